#include "app/gui/pages/board_view.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/board_values.h"
#include "app/gui/pages/compare_data.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/page.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/metric_chart.h"
#include "app/gui/widgets/metric_chooser.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/run_list_delegate.h"
#include "app/gui/widgets/tables.h"
#include "core/base/units.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSlider>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableWidget>
#include <algorithm>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr int kColumns = 2;
constexpr int kNamedEvents = 6;
constexpr int kTurnMilliseconds = 40;  // between two charts of a refresh: each has a frame of its own
constexpr double kMostSmoothing = 0.99;

/// Two groups of controls in a line, or in two where the window is narrow: their words are never cut.
class ControlLine : public QWidget {
public:
    explicit ControlLine(QWidget* parent) : QWidget(parent), m_groups(new QBoxLayout(QBoxLayout::LeftToRight, this)) {
        m_groups->setContentsMargins(px(16), px(6), px(16), px(6));
        m_groups->setSpacing(px(8));
    }
    QHBoxLayout* addGroup() {
        auto* group = new QHBoxLayout;
        group->setSpacing(px(8));
        m_groups->addLayout(group, m_groups->count());  // room that is left is beside the last group
        return group;
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        QWidget::resizeEvent(event);
        int needed = px(32) + m_groups->spacing() * (m_groups->count() - 1);
        for (int i = 0; i < m_groups->count(); ++i) needed += m_groups->itemAt(i)->sizeHint().width();
        m_groups->setDirection(needed <= width() ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    }

private:
    QBoxLayout* m_groups;
};

}  // namespace

BoardView::BoardView(Context& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_live(this, [this] {
          reload(true);
          return !m_isOld;
      }) {
    auto* right = new QWidget(this);
    auto* column = new QVBoxLayout(right);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_state = new StatePanel(right);
    m_stack = new QStackedWidget(right);
    m_stack->addWidget(m_state);
    m_stack->addWidget(makeCharts());
    column->addWidget(m_stack, 1);
    auto* all = splitter(Qt::Horizontal, {makeChoices(), right}, {0, 1});
    all->setSizes({px(260), px(1000)});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeControls());
    layout->addWidget(edgeLine(Qt::Horizontal, this));
    layout->addWidget(all, 1);
    m_soon.setSingleShot(true);
    m_soon.setInterval(0);
    connect(&m_soon, &QTimer::timeout, this, [this] { reload(); });
    m_partSoon.setSingleShot(true);
    connect(&m_partSoon, &QTimer::timeout, this, &BoardView::loadPart);
    connect(&m_context.engine, &Engine::runsChanged, this, [this] { follow({}); });
    connect(&m_context.engine, &Engine::runAdvanced, this, &BoardView::follow);
    fillBoards();
    showBoard();
    showData();
}

QWidget* BoardView::makeControls() {
    auto* line = new ControlLine(this);
    const auto button = [&](const char* name, const QString& text, bool checkable) {
        auto* out = new QPushButton(text, line);
        out->setObjectName(QString::fromLatin1(name));
        out->setCheckable(checkable);
        return out;
    };
    m_name = new QComboBox(line);
    m_name->setObjectName(QStringLiteral("boardName"));
    m_name->setAccessibleName(tr("Board"));
    m_name->setMinimumContentsLength(14);
    m_save = button("saveBoard", tr("Save board…"), false);
    m_remove = button("removeBoard", tr("Delete"), false);
    m_x = new QComboBox(line);
    m_x->setObjectName(QStringLiteral("boardX"));
    m_x->setAccessibleName(tr("Horizontal axis of the board"));
    m_x->addItems({tr("by step"), tr("by tokens"), tr("by time"), tr("by FLOPs")});
    m_smoothing = new QSlider(Qt::Horizontal, line);
    m_smoothing->setObjectName(QStringLiteral("boardSmoothing"));
    m_smoothing->setAccessibleName(tr("Smoothing"));
    m_smoothing->setRange(0, static_cast<int>(kMostSmoothing * 100));
    m_smoothing->setFixedWidth(px(110));
    m_smoothingText = quietLabel({}, line, kSideSize);
    m_logY = button("boardLogY", tr("Log y"), true);
    m_clip = button("boardClip", tr("Clip outliers"), true);
    m_band = new QCheckBox(tr("Min–max band"), line);
    m_band->setObjectName(QStringLiteral("boardBand"));
    m_events = new QCheckBox(tr("Events"), line);
    m_events->setObjectName(QStringLiteral("boardEvents"));
    QHBoxLayout* what = line->addGroup();
    what->addWidget(quietLabel(tr("Board"), line, kSideSize));
    for (QWidget* widget : std::initializer_list<QWidget*>{m_name, m_save, m_remove, m_x}) what->addWidget(widget);
    what->addStretch(1);
    QHBoxLayout* how = line->addGroup();
    how->addWidget(quietLabel(tr("Smoothing"), line, kSideSize));
    for (QWidget* widget :
         std::initializer_list<QWidget*>{m_smoothing, m_smoothingText, m_logY, m_clip, m_band, m_events})
        how->addWidget(widget);
    how->addStretch(1);
    connect(m_name, &QComboBox::activated, this, [this](int index) {
        if (index > 0) open(m_name->itemText(index));
    });
    connect(m_save, &QPushButton::clicked, this, &BoardView::save);
    connect(m_remove, &QPushButton::clicked, this, &BoardView::remove);
    connect(m_x, &QComboBox::activated, this, &BoardView::changeBoard);
    connect(m_smoothing, &QSlider::valueChanged, this, &BoardView::changeBoard);
    for (QPushButton* toggle : {m_logY, m_clip}) connect(toggle, &QPushButton::toggled, this, &BoardView::changeBoard);
    for (QCheckBox* box : {m_band, m_events}) connect(box, &QCheckBox::toggled, this, &BoardView::changeBoard);
    return line;
}

QWidget* BoardView::makeChoices() {
    m_list = new QListWidget(this);
    m_list->setObjectName(QStringLiteral("boardRuns"));
    m_list->setAccessibleName(tr("Runs of the board"));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setItemDelegate(new RunListDelegate(m_list));
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(m_list, &QListWidget::itemChanged, this, [this](QListWidgetItem* item) {
        if (m_filling) return;
        const int run = m_list->row(item);
        if (item->checkState() == Qt::Checked)
            m_hidden.remove(run);
        else
            m_hidden.insert(run);
        showCharts();
    });
    connect(m_list, &QListWidget::itemDoubleClicked, this, [this](QListWidgetItem* item) {
        emit runWanted(m_data->runs[static_cast<std::size_t>(m_list->row(item))].source.record.id);
    });
    auto* runsPane = new Pane(tr("Runs"), m_list, this);
    runsPane->setFlush(true);
    m_metrics = new MetricChooser(this);
    m_metricsPane = new Pane(tr("Metrics"), m_metrics, this);
    m_metricsPane->setFlush(true);
    connect(m_metrics, &MetricChooser::toggled, this, [this](const QString& name, bool on) {
        const std::string metric = name.toStdString();
        std::erase(m_board.metrics, metric);
        if (on) m_board.metrics.push_back(metric);
        changeBoard();
    });
    return splitter(Qt::Vertical, {runsPane, m_metricsPane}, {45, 55});
}

QWidget* BoardView::makeCharts() {
    auto* body = new QWidget(this);
    m_grid = new QGridLayout(body);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(0);
    for (int column = 0; column < kColumns; ++column) m_grid->setColumnStretch(column, 1);
    body->setBackgroundRole(QPalette::Base);
    auto* area = new QScrollArea(this);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setFocusPolicy(Qt::NoFocus);
    area->setWidget(body);
    m_eventText = quietLabel({}, this, kSideSize);
    m_eventText->setObjectName(QStringLiteral("boardEventText"));
    m_eventText->setWordWrap(true);
    m_eventText->setContentsMargins(px(16), px(6), px(16), px(6));
    auto* upper = new QWidget(this);
    auto* column = new QVBoxLayout(upper);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(area, 1);
    column->addWidget(edgeLine(Qt::Horizontal, upper));
    column->addWidget(m_eventText);
    m_table = new QTableWidget(this);
    m_table->setObjectName(QStringLiteral("boardReadOut"));
    m_table->setAccessibleName(tr("Values at the pointer"));
    prepareTable(m_table);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_tablePane = new Pane(tr("Latest values"), m_table, this);
    m_tablePane->setFlush(true);
    auto* all = splitter(Qt::Vertical, {upper, m_tablePane}, {74, 26});
    all->setSizes({px(500), px(180)});
    return all;
}

MetricChart* BoardView::makeChart() {
    auto* chart = new MetricChart(this);
    chart->setObjectName(QStringLiteral("boardChart%1").arg(m_charts.size()));
    connect(chart, &MetricChart::pointerMoved, this, &BoardView::movePointer);
    connect(chart, &MetricChart::zoomed, this, &BoardView::zoom);
    auto* pane = new Pane({}, chart, this);
    pane->setMinimumHeight(px(210));
    const int at = static_cast<int>(m_charts.size());
    m_grid->addWidget(pane, at / kColumns, at % kColumns);
    m_charts.push_back(chart);
    m_panes.push_back(pane);
    return chart;
}

void BoardView::fillBoards() {
    const QSignalBlocker quiet(m_name);
    m_name->clear();
    m_name->addItem(tr("not saved"));
    for (const std::string& name : savedBoards(m_context.engine.home())) m_name->addItem(qs(name));
    m_name->setCurrentIndex(std::max(0, m_name->findText(qs(m_board.name))));
}

void BoardView::open(const QString& name) {
    auto board = readBoard(m_context.engine.home(), name.toStdString());
    if (!board) {
        emit said(errorText(board.error()));
        return fillBoards();
    }
    m_board = m_saved = std::move(*board);
    if (!m_board.runs.empty() && m_runs.empty())
        for (const std::string& id : m_board.runs) m_runs.push_back(RunId(id));
    m_followed = {m_runs.begin(), m_runs.end()};
    m_zoom.reset();
    dropPart();
    showBoard();
    reload();
}

void BoardView::save() {
    const auto name = askText(this, tr("Save board"), tr("Name of the board"), qs(m_board.name));
    if (!name || name->trimmed().isEmpty()) return;
    Board board = m_board;
    board.name = name->trimmed().toStdString();
    board.runs.clear();
    for (const RunId& id : m_runs) board.runs.push_back(id.value);
    if (const auto saved = saveBoard(m_context.engine.home(), board); !saved)
        return emit said(errorText(saved.error()));
    m_board = m_saved = std::move(board);
    emit said(tr("Saved the board %1.").arg(qs(m_board.name)));
    fillBoards();
    showBoard();
}

void BoardView::remove() {
    if (m_board.name.empty() ||
        !askConfirm(this, tr("Delete the board?"), tr("The board %1 is deleted; its runs stay.").arg(qs(m_board.name)),
                    tr("Delete")))
        return;
    if (const auto removed = removeBoard(m_context.engine.home(), m_board.name); !removed)
        return emit said(errorText(removed.error()));
    m_board.name.clear();
    fillBoards();
    showBoard();
}

/// Copies the controls to the board.
void BoardView::changeBoard() {
    if (m_filling) return;
    m_board.x = static_cast<CurveX>(m_x->currentIndex());
    m_board.smoothing = m_smoothing->value() / 100.0;
    m_board.logY = m_logY->isChecked();
    m_board.clip = m_clip->isChecked();
    m_board.band = m_band->isChecked();
    m_board.events = m_events->isChecked();
    if (m_board.x != m_axis) m_zoom.reset();
    dropPart();
    showBoard();
    m_soon.start();
}

/// Copies the board to the controls.
void BoardView::showBoard() {
    m_filling = true;
    m_x->setCurrentIndex(static_cast<int>(m_board.x));
    m_smoothing->setValue(static_cast<int>(std::lround(m_board.smoothing * 100)));
    m_smoothingText->setText(m_board.smoothing > 0 ? qs(formatFixed(m_board.smoothing, 2)) : tr("none"));
    m_logY->setChecked(m_board.logY);
    m_clip->setChecked(m_board.clip);
    m_band->setChecked(m_board.band);
    m_events->setChecked(m_board.events);
    QStringList metrics;
    for (const std::string& metric : m_board.metrics) metrics << qs(metric);
    m_metrics->setChosen(metrics);
    m_filling = false;
    m_remove->setEnabled(!m_board.name.empty());
    const int at = std::max(0, m_name->findText(qs(m_board.name)));
    m_name->setCurrentIndex(at);
    m_metricsPane->setSideText(tr("%1 on this board").arg(m_board.metrics.size()));
}

void BoardView::showData(bool inTurn) {
    showRuns();
    if (isOfFew({m_runs, m_board})) showRecorded(m_data->recorded);
    if (m_data->runs.empty() || m_board.metrics.empty()) {
        if (!m_data->unreadable.isEmpty())
            m_state->show(tr("The runs cannot be read."), m_data->unreadable.join('\n'));
        else if (m_data->runs.empty())
            m_state->show(tr("No run is on the board."), tr("Select runs in the table and press Compare."));
        else
            m_state->show(tr("No metric is on the board."), tr("Choose metrics on the left."));
        return m_stack->setCurrentIndex(0);
    }
    m_stack->setCurrentIndex(1);
    showCharts(inTurn);
    showEvents();
}

void BoardView::showRecorded(std::map<std::string, QStringList> recorded) {
    if (recorded == m_recorded && !m_data->runs.empty()) return;
    m_recorded = std::move(recorded);
    QMap<QString, QStringList> letters;
    for (const auto& [metric, of] : m_recorded) letters[qs(metric)] = of;
    m_metrics->setRecorded(letters, static_cast<int>(m_data->runs.size()));
}

void BoardView::showRuns() {
    QStringList listed;
    for (const BoardRun& run : m_data->runs)
        listed << run.letter << exactText(run.source.record.id.value) << run.name
               << statusText(run.source.record.status) << layoutText(run.source.config);
    if (listed == m_listed && m_list->count() == static_cast<int>(m_data->runs.size())) return;
    m_listed = std::move(listed);
    m_filling = true;
    m_list->clear();
    for (std::size_t i = 0; i < m_data->runs.size(); ++i) {
        const BoardRun& run = m_data->runs[i];
        const RunRecord& record = run.source.record;
        auto* item = new QListWidgetItem(m_list);
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setCheckState(m_hidden.contains(static_cast<int>(i)) ? Qt::Unchecked : Qt::Checked);
        item->setData(RunListDelegate::kId, qs(record.id.value));
        item->setData(RunListDelegate::kLetter, run.letter);
        item->setData(RunListDelegate::kColour, static_cast<int>(i));
        item->setData(RunListDelegate::kFigure, statusText(record.status));
        item->setData(RunListDelegate::kLines, QStringList{run.name, layoutText(run.source.config)});
        item->setData(Qt::AccessibleTextRole, run.letter + QStringLiteral(": ") + run.name);
        item->setToolTip(run.name);
    }
    m_filling = false;
}

void BoardView::showCharts(bool inTurn) {
    const std::vector<BoardChart>& shown = shownCharts();
    const std::size_t known = m_charts.size();
    while (m_charts.size() > shown.size()) {
        delete m_panes.back();
        m_panes.pop_back();
        m_charts.pop_back();
    }
    while (m_charts.size() < shown.size()) makeChart();
    for (std::size_t i = 0; i < m_charts.size(); ++i) {
        if (inTurn && i > 0 && i < known)
            QTimer::singleShot(static_cast<int>(i) * kTurnMilliseconds, this, [this, i, data = m_data] {
                if (data == m_data && i < m_charts.size() && i < shownCharts().size()) showChart(i);
            });
        else
            showChart(i);
    }
    showReadOut();
}

void BoardView::showChart(std::size_t i) {
    QVector<ChartEvent> events;
    if (m_board.events)
        for (std::size_t i = 0; i < m_data->events.size(); ++i)
            if (!m_hidden.contains(m_data->events[i].run))
                events.append({m_data->events[i].x, QString::number(i + 1), m_data->events[i].isBad});
    const BoardChart& from = shownCharts()[i];
    MetricChart& chart = *m_charts[i];
    std::vector<Curve> curves;
    for (std::size_t c = 0; c < from.curves.size(); ++c)
        if (!m_hidden.contains(from.runs[c])) curves.push_back(from.curves[c]);
    const QString title = metricTitle(qs(from.metric));
    chart.setAccessibleName(title);
    chart.setYFormat([metric = from.metric](double y) { return metricText(metric, y); },
                     from.metric.ends_with("_bytes"));
    chart.setXName(curveXName(m_axis));
    chart.setXFormat([x = m_axis](double value) {
        return qs(x == CurveX::Time    ? formatSeconds(value)
                  : x == CurveX::Flops ? formatSignificant(value, 3)
                                       : formatShort(value));
    });
    chart.setEmptyText(tr("None of these runs recorded this metric."));
    chart.setLogY(m_board.logY);
    chart.setClip(m_board.clip);
    chart.setEvents(events);
    chart.setMarks(m_board.events ? m_data->marks : QVector<double>());
    chart.setCurves(std::move(curves));
    chart.setZoom(m_zoom);
    chart.setPointer(m_pointer);
    m_panes[i]->setTitle(title);
    QStringList side;
    if (m_board.smoothing > 0) side << tr("line: EMA %1").arg(qs(formatFixed(m_board.smoothing, 2)));
    if (m_data->runs.size() > MetricChart::kMaxChartSeries)
        side << tr("%Ln run(s), no bands", nullptr, static_cast<int>(m_data->runs.size()));
    m_panes[i]->setSideText(side.join(QStringLiteral("; ")));
}

void BoardView::showEvents() {
    QStringList lines;
    for (std::size_t i = 0; i < m_data->events.size() && i < kNamedEvents; ++i) {
        const BoardEvent& event = m_data->events[i];
        lines << QStringLiteral("%1  %2  %3 %4")
                     .arg(i + 1)
                     .arg(countText(static_cast<double>(event.step)),
                          m_data->runs[static_cast<std::size_t>(event.run)].letter, event.text);
    }
    const int more = static_cast<int>(m_data->events.size()) - kNamedEvents;
    if (more > 0) lines << tr("%n more", nullptr, more);
    m_eventText->setText(lines.join(QStringLiteral("    ")));
    m_eventText->setVisible(m_board.events && !lines.isEmpty());
}

/// Shows each run's value at the pointer, or its last one, and the difference from the first run.
void BoardView::showReadOut() {
    m_tablePane->setTitle(m_pointer && !m_charts.empty() ? tr("Values at the pointer") : tr("Latest values"));
    const int rows = fillReadOut(*m_table, *m_data, shownCharts(), m_pointer);
    m_tablePane->setSideText(
        rows < static_cast<int>(m_data->runs.size())
            ? tr("the first %1 of %2 runs").arg(rows).arg(countText(static_cast<double>(m_data->runs.size())))
            : tr("with the difference from %1").arg(groupLetter(0)));
}

void BoardView::movePointer(std::optional<double> x) {
    m_pointer = x;
    for (MetricChart* chart : m_charts)
        if (chart != sender()) chart->setPointer(x);
    showReadOut();
}

}  // namespace slipway::gui
