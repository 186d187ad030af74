#include "app/gui/pages/run_preview.h"

#include "app/gui/engine/list_store.h"
#include "app/gui/models/runs_model.h"
#include "app/gui/pages/curve_data.h"
#include "app/gui/pages/tab_view.h"
#include "app/gui/text/format.h"
#include "app/gui/text/label_text.h"
#include "app/gui/text/text.h"
#include "app/gui/values/plan_document.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/row_density.h"
#include "app/gui/widgets/strip_plot.h"
#include "app/gui/widgets/tables.h"
#include "core/metrics/forecast_label.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

namespace slipway::gui {
namespace {

constexpr std::size_t kMaxLettered = 8;
constexpr std::int64_t kMostOthers = 2000;
constexpr int kOthersMilliseconds = 5000;  // their picture may be older than the table

QString letter(std::size_t index) {
    return QString(QChar(static_cast<char16_t>(u'A' + index)));
}

QString degreesText(const ParallelLayout& parallel) {
    return QStringLiteral("%1 × %2 × %3").arg(parallel.dp).arg(parallel.tp).arg(parallel.pp);
}

}  // namespace

RunPreview::RunPreview(Context& context, QWidget* parent) : QWidget(parent), m_context(context), m_job(this) {
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(px(16), px(10), px(16), px(10));
    outer->setSpacing(px(10));
    auto* head = new QHBoxLayout;
    m_title = new QLabel(this);
    m_title->setFont(fontOf(1.0, true));
    m_title->setWordWrap(true);
    auto* open = linkButton(tr("Open"), this);
    m_openButton = open;
    head->addWidget(m_title, 1);
    head->addWidget(open, 0, Qt::AlignTop);
    outer->addLayout(head);
    m_body = new QWidget(this);
    auto* layout = new QVBoxLayout(m_body);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(px(8));
    m_model = new RowsModel<Line>({}, this);
    m_table = new QTableView(m_body);
    m_table->setObjectName(QStringLiteral("previewTable"));
    m_table->setAccessibleName(tr("Selected runs"));
    m_table->setModel(m_model);
    prepareTable(m_table);
    m_table->setSelectionMode(QAbstractItemView::NoSelection);
    layout->addWidget(m_table);
    m_stripTitle = new QLabel(tr("Among other runs"), m_body);
    m_stripTitle->setFont(fontOf(1.0, true));
    m_strip = new StripPlot(m_body);
    m_strip->setAccessibleName(tr("Among other runs"));
    layout->addWidget(m_stripTitle);
    layout->addWidget(m_strip);
    m_reasonTitle = new QLabel(tr("Outcome"), m_body);
    m_reasonTitle->setFont(fontOf(1.0, true));
    m_reason = quietLabel({}, m_body, kSideSize);
    m_reason->setWordWrap(true);
    m_reason->setTextInteractionFlags(Qt::TextSelectableByMouse);
    layout->addWidget(m_reasonTitle);
    layout->addWidget(m_reason);
    m_notesHead = new QWidget(m_body);
    auto* notesRow = new QHBoxLayout(m_notesHead);
    notesRow->setContentsMargins(0, 0, 0, 0);
    auto* notesTitle = new QLabel(tr("Notes and tags"), m_notesHead);
    notesTitle->setFont(fontOf(1.0, true));
    auto* editNotes = linkButton(tr("Notes…"), m_notesHead);
    auto* editTags = linkButton(tr("Tags…"), m_notesHead);
    notesRow->addWidget(notesTitle, 1);
    notesRow->addWidget(editNotes);
    notesRow->addWidget(editTags);
    layout->addWidget(m_notesHead);
    m_notes = quietLabel({}, m_body, kSideSize);
    m_notes->setWordWrap(true);
    m_notes->setTextInteractionFlags(Qt::TextSelectableByMouse);
    layout->addWidget(m_notes);
    layout->addStretch(1);
    auto* area = new QScrollArea(this);  // below 800 px a run has more to show than fits
    scrollDown(area, m_body);
    m_area = area;
    outer->addWidget(area, 1);
    outer->addStretch(0);
    connect(open, &QPushButton::clicked, this, [this] {
        if (m_ids.size() == 1)
            emit openWanted(m_ids.front());
        else if (m_ids.size() > 1)
            emit compareWanted();
    });
    connect(editNotes, &QPushButton::clicked, this, [this] {
        if (m_records.size() == 1) emit notesWanted(m_records.front());
    });
    connect(editTags, &QPushButton::clicked, this, [this] {
        if (m_records.size() == 1) emit tagsWanted(m_records.front());
    });
    setRuns({});
}

QString RunPreview::headline() const {
    return m_title->text();
}

void RunPreview::setRuns(const std::vector<RunId>& ids) {
    m_ids = ids;
    m_area->setVisible(!ids.empty());
    layout()->setAlignment(ids.empty() ? Qt::AlignTop : Qt::Alignment());
    m_openButton->setVisible(!ids.empty());
    if (ids.empty()) {
        m_title->setText(tr("No run selected"));
        m_job.cancel();
        return;
    }
    if (ids.size() > 1) m_title->setText(tr("%Ln run(s) selected", nullptr, static_cast<int>(ids.size())));
    m_job.start(
        [home = m_context.engine.home(), ids, known = m_others](std::stop_token) {
            return readLists(home, [&](RunStore& store) -> Result<Loaded> {
                Loaded loaded;
                for (std::size_t i = 0; i < ids.size() && i < kMaxLettered; ++i)
                    if (auto record = store.run(ids[i])) loaded.records.push_back(std::move(*record));
                if (!known->age.isValid() || known->age.elapsed() > kOthersMilliseconds) {
                    RunQuery query;
                    query.filter = std::string(kKeyColumn) + ":known";
                    query.columns = {kKeyColumn};
                    query.limit = kMostOthers;
                    known->values.clear();
                    if (const auto rows = store.list(query))
                        for (const RunRow& row : *rows)
                            if (const auto* value = std::get_if<double>(&row.cells.front()))
                                known->values.emplace_back(row.record.id, *value);
                    known->isPart = static_cast<std::int64_t>(known->values.size()) == kMostOthers;
                    known->age.start();
                }
                for (const auto& [id, value] : known->values)
                    if (std::none_of(loaded.records.begin(), loaded.records.end(),
                                     [&, other = id](const RunRecord& r) { return r.id == other; }))
                        loaded.others.push_back(value);
                loaded.isPart = known->isPart;
                return loaded;
            });
        },
        [this](const Result<Loaded>& loaded) {
            if (loaded) show(*loaded);
        });
}

void RunPreview::show(const Loaded& loaded) {
    m_records = loaded.records;
    if (m_records.empty()) return;
    if (m_ids.size() == 1) m_title->setText(qs(m_records.front().name));
    showLines(m_records);
    std::vector<StripPlot::Mark> marks;
    for (std::size_t i = 0; i < m_records.size(); ++i)
        if (m_records[i].measured.tokensPerSecondPerDevice)
            marks.push_back({letter(i), *m_records[i].measured.tokensPerSecondPerDevice});
    const int shown = static_cast<int>(loaded.others.size() + marks.size());
    m_strip->setValues(loaded.others, marks,
                       loaded.isPart ? tr("tokens/s/device of the newest %Ln run(s)", nullptr, shown)
                                     : tr("tokens/s/device of %Ln run(s)", nullptr, shown),
                       [](double v) { return countText(v); });
    const bool one = m_ids.size() == 1;
    const RunRecord& first = m_records.front();
    const QString reason = statusText(first.status) +
                           (first.reason.empty() ? QString() : QStringLiteral(". ") + recordedWords(first.reason));
    m_reason->setText(reason);
    m_reason->setVisible(one);
    m_reasonTitle->setVisible(one);
    QStringList tags;
    for (const std::string& tag : first.tags) tags << qs(tag);
    const QString notes = shownLines(first.notes);
    m_notes->setText(tags.isEmpty() && notes.isEmpty()
                         ? tr("none")
                         : (notes + (notes.isEmpty() || tags.isEmpty() ? QString() : QStringLiteral("\n")) +
                            tags.join(QStringLiteral(", "))));
    m_notes->setVisible(one);
    m_notesHead->setVisible(one);
}

void RunPreview::showLines(const std::vector<RunRecord>& records) {
    const bool one = records.size() == 1;
    std::vector<Line> lines;
    const auto add = [&](const QString& name, auto cell) {
        Line line{name, {}};
        for (const RunRecord& record : records) line.cells << cell(record);
        lines.push_back(std::move(line));
    };
    const auto figure = [&](const QString& name, std::optional<double> RunFigures::*member, auto format) {
        // A figure missing from a finished run will never be measured.
        const auto measured = [&](const RunRecord& r) {
            return !(r.measured.*member) && isFinal(r.status) ? notApplicableText() : format(r.measured.*member);
        };
        if (one)
            lines.push_back({name, {format(records.front().forecast.*member), measured(records.front())}});
        else
            add(name, measured);
    };
    std::vector<std::optional<StoredConfig>> configs;
    for (const RunRecord& record : records) configs.push_back(configOf(record));
    {
        Line layout{QStringLiteral("dp × tp × pp"), {}}, micro{fieldLabel("train.micro_batch_size"), {}},
            zero{fieldLabel("parallel.zero_stage"), {}};
        for (const auto& stored : configs) {
            const auto known = [&](const char* path) { return stored && stored->knows(path); };
            layout.cells << (known("parallel.dp") ? degreesText(stored->config.parallel) : unknownText());
            micro.cells << (known("train.micro_batch_size") ? QString::number(stored->config.train.microBatchSize)
                                                            : unknownText());
            zero.cells << (known("parallel.zero_stage") ? QString::number(stored->config.parallel.zeroStage)
                                                        : unknownText());
        }
        if (one) layout.cells.prepend(QString());  // a layout is not a forecast
        lines.push_back(layout);
        if (!one) lines.insert(lines.end(), {micro, zero});
    }
    figure(tr("tokens/s/device"), &RunFigures::tokensPerSecondPerDevice, [](auto v) { return countText(v); });
    figure(tr("Step time"), &RunFigures::stepSeconds, [](auto v) { return secondsText(v); });
    figure(tr("MFU"), &RunFigures::mfu, [](auto v) { return percentText(v); });
    figure(tr("Memory"), &RunFigures::memoryPeakBytes, [](auto v) { return bytesText(v); });
    figure(tr("Pipeline bubble"), &RunFigures::bubbleFraction, [](auto v) { return percentText(v); });
    figure(tr("Traffic per step"), &RunFigures::commBytes, [](auto v) { return bytesText(v); });
    const bool running = one && !isFinal(records.front().status);
    figure(running ? tr("Latest loss") : tr("Final loss"), &RunFigures::finalLoss,
           [](auto v) { return fixedText(v, 3); });
    if (std::any_of(records.begin(), records.end(),
                    [](const RunRecord& r) { return r.measured.finalEvalLoss.has_value(); }))
        figure(tr("Latest held-out loss"), &RunFigures::finalEvalLoss, [](auto v) { return fixedText(v, 3); });
    std::vector<RowColumn<Line>> columns{{QString(), [](const Line& l) { return l.name; }}};
    const auto cell = [](int index) { return [index](const Line& l) { return l.cells.value(index); }; };
    if (one) {
        const std::string label = forecastLabel(records.front().forecastJson);
        columns.push_back({tr("Forecast"),
                           cell(0),
                           Qt::AlignRight,
                           [](const Line&) { return theme().text2; },
                           {},
                           [label](const Line&) { return labelHelp(label); }});
        columns.push_back({tr("Measured"), cell(1), Qt::AlignRight, {}, [](const Line&) { return true; }});
    } else {
        const std::size_t most = width() < px(320) ? 2 : 3;  // the names of the figures need room, too
        for (std::size_t i = 0; i < records.size() && i < most; ++i)
            columns.push_back({letter(i), cell(static_cast<int>(i)), Qt::AlignRight});
    }
    m_model->setRows({});
    m_model->setColumns(columns);
    m_model->setRows(lines);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_table->setFixedHeight(lineHeight(26) + static_cast<int>(lines.size()) * tableRowHeight() + 2);
}

}  // namespace slipway::gui
