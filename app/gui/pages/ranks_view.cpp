#include "app/gui/pages/ranks_view.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/widgets/issue_list.h"
#include "app/gui/widgets/legend.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/rank_map_view.h"
#include "app/gui/widgets/span_timeline.h"

#include <QComboBox>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <array>

namespace slipway::gui {
namespace {

constexpr qint64 kRefreshMilliseconds = 5000;  // of a run in progress
constexpr std::size_t kMostNamed = 8;
constexpr std::size_t kMostRows = 64;  // of the timeline
constexpr std::array kQuantities{RankQuantity::OwnTime, RankQuantity::StepTime, RankQuantity::Wait,
                                 RankQuantity::Memory};

}  // namespace

RanksView::RanksView(QWidget* parent) : TabView(parent) {
    auto* shown = new QWidget(content());
    m_picture = new RankMapView(shown);
    m_picture->setObjectName(QStringLiteral("rankMap"));
    m_pane = new Pane(tr("Ranks by step"), m_picture, shown);
    m_quantity = new QComboBox(m_pane);
    m_quantity->setObjectName(QStringLiteral("mapQuantity"));
    m_quantity->setAccessibleName(tr("Quantity of the heat map"));
    m_quantity->addItems({tr("Own time"), tr("Step time"), tr("Waiting"), tr("Peak memory")});
    m_pane->addControl(m_quantity);
    m_slow = new IssueList(shown);
    m_slow->setObjectName(QStringLiteral("stragglers"));
    m_slow->setAccessibleName(tr("Slow ranks"));
    m_slow->setMinimumHeight(px(120));
    m_slowPane = new Pane(tr("Slow ranks"), m_slow, shown);
    auto* column = new QVBoxLayout(shown);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_pane, 3);
    column->addWidget(edgeLine(Qt::Horizontal, shown));
    column->addWidget(m_slowPane, 1);
    m_timeline = new SpanTimeline(shown);
    m_timeline->setObjectName(QStringLiteral("spans"));
    m_timelinePane = new Pane(tr("Spans"), m_timeline, shown);
    m_timelinePane->addControl(new Legend({{tr("Forward"), Hue::Blue},
                                           {tr("Backward"), Hue::Sky},
                                           {tr("Weight gradient"), Hue::Violet},
                                           {QStringLiteral("TP"), Hue::Teal},
                                           {QStringLiteral("DP"), Hue::Rose},
                                           {QStringLiteral("PP"), Hue::Sky},
                                           {tr("Optimizer"), Hue::Ochre},
                                           {tr("Wait"), {}}},
                                          m_timelinePane));
    column->addWidget(edgeLine(Qt::Horizontal, shown));
    column->addWidget(m_timelinePane, 2);
    addStack(shown);
    connect(m_timeline, &SpanTimeline::windowChanged, this, [this] {
        const QString part = m_timeline->windowText();
        m_timelinePane->setSideText(part.isEmpty() ? m_timelineText : m_timelineText + QStringLiteral("; ") + part);
    });
    connect(m_picture, &RankMapView::stepClicked, this, [this](int rank, std::int64_t step) {
        m_chosenRank = rank;
        m_chosenStep = step;
        readTimeline();
    });
    connect(m_quantity, &QComboBox::currentIndexChanged, this, &RanksView::showMap);
    connect(m_picture, &RankMapView::rankClicked, this, &RanksView::rankClicked);
}

void RanksView::setRun(const RunRecord& record, const ParallelLayout& layout, std::int64_t ranksPerNode,
                       const StreamPosition& position, bool active) {
    if (record.id != m_id) {
        m_map.reset();
        m_shown = {};
        m_chosenRank = 0;
        m_chosenStep.reset();
        m_timelineJob.cancel();
        m_timeline->setRows({});
        m_job.cancel();
    }
    m_id = record.id;
    m_folder = RunDir{record.folder};
    m_layout = layout;
    m_perNode = ranksPerNode;
    m_position = position;
    m_active = active;
    if (isVisible()) read();
}

void RanksView::showEvent(QShowEvent* event) {
    TabView::showEvent(event);
    read();
}

void RanksView::read() {
    if (m_id.empty()) return;
    const bool known = m_shown == m_id;
    if (known && m_read == m_position) return;
    if (known && m_active && m_age.isValid() && m_age.elapsed() < kRefreshMilliseconds) return;
    if (!known) showMap();
    m_shown = m_id;
    m_read = m_position;
    m_age.start();
    m_job.start(
        [folder = m_folder, ranks = m_layout.worldSize()](const std::stop_token& token) {
            RankMapRequest request;
            request.numRanks = ranks;
            request.isCancelled = [token] { return token.stop_requested(); };
            return std::make_shared<const RankMap>(readRankMap(folder, request));
        },
        [this](std::shared_ptr<const RankMap> map) {
            m_map = std::move(map);
            showMap();
            if (!m_chosenStep) readTimeline();  // the newest step, unless one was chosen
        });
}

void RanksView::readTimeline() {
    // A replica: all stages of the pipeline, with the ranks that share each layer.
    std::vector<std::int64_t> ranks;
    for (const std::int64_t stage : m_layout.groupOf(Axis::Pp, m_chosenRank))
        for (const std::int64_t rank : m_layout.groupOf(Axis::Tp, stage)) ranks.push_back(rank);
    const std::size_t all = ranks.size();
    if (ranks.size() > kMostRows) ranks = m_layout.groupOf(Axis::Pp, m_chosenRank);
    if (ranks.size() > kMostRows) ranks.resize(kMostRows);
    m_timelineJob.start(
        [folder = m_folder, ranks, step = m_chosenStep](const std::stop_token&) {
            return readSpans(folder, ranks, step);
        },
        [this, all](const std::vector<RankSpans>& read) {
            std::vector<TimelineRow> rows;
            for (const RankSpans& one : read)
                rows.push_back({m_layout.coordinates(one.rank).pp, one.rank == m_chosenRank, one});
            m_timelineText =
                rows.empty() ? tr("none recorded; telemetry.spans_every_steps sets how often the trainer records them")
                             : tr("step %1, the replica of rank %2")
                                   .arg(countText(static_cast<double>(rows.front().spans.step)))
                                   .arg(m_chosenRank);
            if (!rows.empty() && rows.size() < all)
                m_timelineText += QStringLiteral("; ") + tr("%1 of %2 ranks").arg(rows.size()).arg(all);
            m_timeline->setRows(std::move(rows));
        });
}

void RanksView::showMap() {
    if (!m_map) {
        state()->show(tr("Reading the ranks…"), qs(m_id.value));
        return stack()->setCurrentIndex(0);
    }
    if (m_map->numColumns == 0) {
        state()->show(tr("No rank has written a record."),
                      tr("The bundled trainer writes one for each rank and step; imported runs have none."));
        return stack()->setCurrentIndex(0);
    }
    stack()->setCurrentIndex(1);
    const auto quantity = kQuantities[static_cast<std::size_t>(std::max(0, m_quantity->currentIndex()))];
    const std::vector<Straggler> slow = stragglersOf(*m_map, m_layout);
    m_picture->setMap(m_map, m_perNode);
    m_picture->setQuantity(quantity);
    m_picture->setStragglers(slow);
    QStringList side{tr("difference from the median of the same steps")};
    if (m_map->isSampled) side << tr("%n record(s) read at even distances", nullptr, static_cast<int>(m_map->numRead));
    if (m_picture->ranksPerRow() > 1)
        side << tr("%n rank(s) a row, the one furthest from the median", nullptr,
                   static_cast<int>(m_picture->ranksPerRow()));
    m_pane->setSideText(side.join(QStringLiteral(" · ")));
    std::vector<IssueRow> rows;
    for (std::size_t i = 0; i < std::min(slow.size(), kMostNamed); ++i) {
        const Straggler& one = slow[i];
        rows.push_back({Icon::Warning,
                        theme().warn,
                        {},
                        tr("node %1, rank %2: %3 slower for %n step(s), %4 to %5; %6 lost", nullptr,
                           static_cast<int>(one.numSteps))
                            .arg(one.rank / m_perNode)
                            .arg(one.rank)
                            .arg(percentText(one.slower), countText(static_cast<double>(one.fromStep)),
                                 countText(static_cast<double>(one.toStep)), secondsText(one.lostSeconds)),
                        {},
                        {}});
    }
    if (rows.empty()) {
        const bool small = m_map->hasWaits && m_layout.worldSize() / m_layout.pp < 3;
        rows.push_back({Icon::Info,
                        theme().idle,
                        {},
                        small ? tr("A stage has fewer than three ranks: too few for a median that shows a slow one.")
                              : m_picture->summary(),
                        {},
                        {}});
    }
    m_slow->setRows(rows);
    m_slowPane->setSideText(tr("own time more than 5 % above the median of the stage, in a tenth of the steps"));
}

}  // namespace slipway::gui
