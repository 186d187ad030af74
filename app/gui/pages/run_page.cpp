#include "app/gui/pages/run_page.h"

#include "app/gui/look/status_look.h"
#include "app/gui/look/theme.h"
#include "app/gui/pages/board_view.h"
#include "app/gui/pages/bubble_row.h"
#include "app/gui/pages/compare_data.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/log_pane.h"
#include "app/gui/pages/mfu_view.h"
#include "app/gui/pages/ranks_view.h"
#include "app/gui/pages/throttled_gpus.h"
#include "app/gui/text/format.h"
#include "app/gui/text/label_text.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/explain_dialog.h"
#include "app/gui/widgets/rank_grid.h"
#include "app/gui/widgets/schedule_view.h"
#include "app/gui/widgets/tables.h"
#include "core/base/units.h"
#include "core/metrics/forecast_label.h"

#include <QComboBox>
#include <QHeaderView>
#include <QKeyEvent>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <tuple>

namespace slipway::gui {
namespace {

// Choices of the ranks pane, in order; the figures of GPUs follow the first four.
struct RankQuantity {
    std::string_view key;
    std::optional<double> RankState::*value;
};
constexpr RankQuantity kRankQuantities[] = {
    {"step_seconds", &RankState::stepSeconds},
    {"memory_peak_bytes", &RankState::tensorPeakBytes},
    {"memory_bytes", &RankState::tensorBytes},
    {"memory_rss_bytes", &RankState::rssBytes},
    {"device_clock_hertz", &RankState::deviceClockHertz},
    {"device_power_watts", &RankState::devicePowerWatts},
    {"device_temperature_celsius", &RankState::deviceTemperatureCelsius},
    {"device_memory_used_bytes", &RankState::deviceMemoryUsedBytes},
};
constexpr int kNumPlainQuantities = 4;

bool isSame(const EventRecord& a, const EventRecord& b) {
    const auto key = [](const EventRecord& e) { return std::tie(e.attempt, e.step, e.name, e.detail); };
    return key(a) == key(b) && a.timeUnixMilliseconds == b.timeUnixMilliseconds;
}

}  // namespace

RunPage::RunPage(Context& context, RunController& controller, QWidget* parent)
    : Page(context, parent), m_controller(controller) {
    m_plan = header()->addButton(tr("Open plan"));
    m_resume = header()->addButton(tr("Resume"));
    m_resume->setObjectName(QStringLiteral("resume"));
    m_stop = header()->addButton(tr("Stop after this step"));
    m_stop->setObjectName(QStringLiteral("stop"));
    connect(m_plan, &QPushButton::clicked, this, [this] { emit wantsPlanOf(m_controller.id()); });
    connect(m_resume, &QPushButton::clicked, &m_controller, &RunController::resume);
    connect(m_stop, &QPushButton::clicked, this, [this] { m_controller.askStop(this); });

    m_state = new StatePanel(this);
    auto* content = splitter(Qt::Horizontal, {makeLeft(), makeRight()}, {67, 33});
    content->setSizes({px(840), px(410)});
    rememberSizes(content, QStringLiteral("run/columns"));
    m_stack = new QStackedWidget(this);
    m_stack->addWidget(m_state);
    m_stack->addWidget(makeTabs(content));
    setContent(m_stack);
    connect(&m_controller, &RunController::changed, this, &RunPage::showRun);
    showRun();
}

QWidget* RunPage::makeTabs(QWidget* overview) {
    auto* column = new QWidget(this);
    m_tabs = new QTabBar(column);
    m_tabs->setObjectName(QStringLiteral("runTabs"));
    m_tabs->setAccessibleName(tr("Views of the run"));
    m_tabs->setExpanding(false);
    m_tabs->setDrawBase(false);
    auto* views = new QStackedWidget(column);
    m_ranksView = new RanksView(views);
    m_mfuView = new MfuView(context().engine.home(), views);
    auto* board = new BoardView(context(), views);
    board->showRunOf(m_controller);
    connect(board, &BoardView::said, this, &RunPage::said);
    for (const auto& [title, view] : std::initializer_list<std::pair<QString, QWidget*>>{
             {tr("Overview"), overview}, {tr("Ranks"), m_ranksView}, {tr("MFU"), m_mfuView}, {tr("Board"), board}}) {
        m_tabs->addTab(title);
        views->addWidget(view);
    }
    connect(m_tabs, &QTabBar::currentChanged, views, &QStackedWidget::setCurrentIndex);
    connect(m_ranksView, &RanksView::rankClicked, this, [this](int rank) {
        m_tabs->setCurrentIndex(0);
        m_log->setRank(rank);
    });
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_tabs);
    layout->addWidget(edgeLine(Qt::Horizontal, column));
    layout->addWidget(views, 1);
    return column;
}

MetricChart* RunPage::makeChart(const char* name, const QString& xName) {
    auto* chart = new MetricChart(this);
    chart->setObjectName(QString::fromLatin1(name));
    chart->setXName(xName);
    chart->setXFormat([](double value) { return qs(formatShort(value)); });
    m_charts.push_back(chart);
    // One pointer line and one zoom for all charts of the page.
    connect(chart, &MetricChart::pointerMoved, this, [this, chart](std::optional<double> x) {
        for (MetricChart* other : m_charts)
            if (other != chart) other->setPointer(x);
    });
    connect(chart, &MetricChart::zoomed, this, [this, chart](std::optional<QPair<double, double>> range) {
        for (MetricChart* other : m_charts)
            if (other != chart) other->setZoom(range);
    });
    return chart;
}

QWidget* RunPage::makeLeft() {
    m_loss = makeChart("lossChart", tr("Step"));
    m_speed = makeChart("speedChart", tr("Step"));
    m_norm = makeChart("normChart", tr("Step"));
    m_waiting = makeChart("waitingChart", tr("Step"));
    m_norm->setLogY(true);
    m_waiting->setZeroBased(true);
    m_lossPane = new Pane(tr("Loss"), m_loss, this);
    m_speedPane = new Pane(tr("Throughput"), m_speed, this);
    m_normPane = new Pane(tr("Gradient norm"), m_norm, this);
    m_waitingPane = new Pane(tr("Waiting"), m_waiting, this);
    auto* smooth = new QPushButton(tr("Smooth"), m_lossPane);
    smooth->setCheckable(true);
    auto* log = new QPushButton(tr("Log y"), m_lossPane);
    log->setCheckable(true);
    m_lossPane->addControl(smooth);
    m_lossPane->addControl(log);
    connect(log, &QPushButton::toggled, m_loss, &MetricChart::setLogY);
    connect(m_loss, &MetricChart::logChanged, log, &QPushButton::setChecked);
    connect(smooth, &QPushButton::toggled, this, [this](bool on) {
        m_smooth = on;
        if (m_controller.view()) showCharts(*m_controller.view());
    });

    m_log = new LogPane(this);
    connect(m_log, &LogPane::rankChosen, this, [this](std::optional<int> rank) { m_ranks->setChosen(rank); });

    auto* scheduleBody = new QWidget(this);
    m_schedule = new ScheduleView(scheduleBody);
    m_bubble = new BubbleRow(scheduleBody);
    auto* scheduleLayout = new QVBoxLayout(scheduleBody);
    scheduleLayout->setContentsMargins(0, 0, 0, 0);
    scheduleLayout->addWidget(m_bubble);
    scheduleLayout->addWidget(m_schedule, 1);
    m_schedulePane = new Pane(tr("Pipeline schedule"), scheduleBody, this);
    auto* small = splitter(Qt::Horizontal, {m_speedPane, m_normPane, m_waitingPane}, {1, 1, 1});
    auto* all = splitter(Qt::Vertical, {m_lossPane, small, m_schedulePane, m_log}, {288, 232, 160, 200});
    all->setSizes({px(250), px(190), px(170), px(220)});
    rememberSizes(all, QStringLiteral("run/rows"));
    return all;
}

QWidget* RunPage::makeRight() {
    auto* ranksBody = new QWidget(this);
    m_ranks = new RankGrid(ranksBody);
    m_ranks->setObjectName(QStringLiteral("ranks"));
    m_ranks->setAccessibleName(tr("Ranks"));
    m_rankNote = quietLabel({}, ranksBody, kSideSize);
    m_rankNote->setWordWrap(true);
    auto* ranksLayout = new QVBoxLayout(ranksBody);
    ranksLayout->setContentsMargins(0, 0, 0, 0);
    ranksLayout->addWidget(m_ranks, 1);
    ranksLayout->addWidget(m_rankNote);
    m_ranksPane = new Pane(tr("Ranks"), ranksBody, this);
    m_quantity = new QComboBox(m_ranksPane);
    m_quantity->setObjectName(QStringLiteral("rankQuantity"));
    m_quantity->setAccessibleName(tr("Quantity shown per rank"));
    m_quantity->addItems({tr("Step time"), tr("Peak memory"), tr("Memory now"), tr("Resident memory")});
    m_ranksPane->addControl(m_quantity);
    connect(m_quantity, &QComboBox::currentIndexChanged, this, &RunPage::showRanks);
    connect(m_ranks, &RankGrid::rankClicked, this,
            [this](int rank) { m_log->setRank(m_log->rank() == rank ? std::nullopt : std::optional(rank)); });

    m_promises = new RowsModel<PromiseRow>(promiseColumns(), this);
    auto* promises = new QTableView(this);
    promises->setObjectName(QStringLiteral("promises"));
    promises->setModel(m_promises);
    prepareTable(promises);
    promises->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    promises->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    promises->setAccessibleName(tr("Forecast and measurement"));
    const auto figure = [this](const QModelIndex& index) {
        return m_promises->rows()[static_cast<std::size_t>(index.row())].figure;
    };
    const auto plan = [this](const QModelIndex&) -> std::shared_ptr<const Plan> {
        const auto view = m_controller.view();
        return view ? view->plan : nullptr;
    };
    connect(promises, &QTableView::activated, this, [promises, figure, plan](const QModelIndex& index) {
        ExplainDialog::open(promises, plan(index), figure(index));
    });
    offerFormulas(promises, figure, plan);
    m_promisesPane = new Pane(tr("Forecast and measurement"), promises, this);
    m_promisesPane->setFlush(true);

    m_events = new RowsModel<EventRecord>(eventColumns(), this);
    m_eventTable = new QTableView(this);
    m_eventTable->setObjectName(QStringLiteral("events"));
    m_eventTable->setModel(m_events);
    prepareTable(m_eventTable);
    m_eventTable->horizontalHeader()->setStretchLastSection(true);
    m_eventTable->setAccessibleName(tr("Events"));
    connect(m_eventTable, &QTableView::activated, this,
            [this](const QModelIndex& index) { jumpTo(m_events->rows()[static_cast<std::size_t>(index.row())]); });
    connect(m_eventTable, &QTableView::clicked, this,
            [this](const QModelIndex& index) { jumpTo(m_events->rows()[static_cast<std::size_t>(index.row())]); });
    m_eventsPane = new Pane(tr("Events"), m_eventTable, this);
    m_eventsPane->setFlush(true);
    auto* all = splitter(Qt::Vertical, {m_ranksPane, m_promisesPane, m_eventsPane}, {288, 232, 260});
    all->setSizes({px(190), px(300), px(210)});
    rememberSizes(all, QStringLiteral("run/right"));
    return all;
}

void RunPage::showState() {
    const auto view = m_controller.view();
    if (view) {
        // A later load that fails keeps the last view; the header shows the error.
        header()->setNotice(m_controller.error() ? errorText(*m_controller.error()) : QString());
        m_stack->setCurrentIndex(1);
        return;
    }
    m_stack->setCurrentWidget(m_state);
    if (m_controller.error()) {
        m_state->show(tr("The run cannot be read."), errorText(*m_controller.error()),
                      {{tr("Try again"), [this] { m_controller.reload(); }, true}});
    } else if (m_controller.id().empty()) {
        m_state->show(tr("No run is open."), tr("Open the newest run, or choose one in the table."),
                      {{tr("Open the latest"), [this] { m_controller.openLatest(); }, true},
                       {tr("Choose…"), [this] { emit wantsPage(PageId::Runs); }}});
    } else {
        m_state->show(tr("Reading the run…"), qs(m_controller.id().value));
    }
}

void RunPage::showRun() {
    const auto view = m_controller.view();
    m_plan->setEnabled(view != nullptr);
    m_stop->setVisible(m_controller.isActive());
    m_resume->setVisible(m_controller.canResume());
    if (view) {
        if (m_shown != view->record.id) {
            m_shown = view->record.id;
            for (MetricChart* chart : m_charts) chart->setZoom({});
        }
        showHeader(*view);
        showCharts(*view);
        offerQuantities(view->ranks);
        showRanks();
        showPromises(*view);
        showSchedule(*view);
        showTabs(*view);
        if (const auto folder = context().engine.home().run(view->record.id))
            m_log->setRun(*folder, view, m_controller.isActive());
        if (!std::ranges::equal(m_events->rows(), view->events, isSame)) {
            m_events->setRows(view->events);
            m_eventTable->resizeColumnToContents(0);
        }
        m_eventsPane->setSideText(eventsNote(*view));
    } else {
        header()->setTitle(tr("Run"));
        header()->setSideText({});
        header()->setStatus({}, {}, {});
        header()->setProgress({}, {});
    }
    showState();
}

void RunPage::showHeader(const RunView& view) {
    const RunRecord& record = view.record;
    header()->setTitle(record.name.empty() ? qs(record.id.value) : qs(record.name));
    // Unreachable is not failed: the run there continues.
    const bool isQueued = record.status == RunStatus::Queued;
    if (!m_controller.link().isEmpty() && !isFinal(record.status))
        header()->setStatus(Icon::Lost, isQueued ? tr("Queued, no contact") : tr("Running, no contact"), theme().warn);
    else
        header()->setStatus(statusIcon(record.status), statusText(record.status), statusColour(record.status));
    const QString last = countText(static_cast<double>(record.lastStep));
    const QString steps = record.numSteps > 0
                              ? tr("step %1 of %2").arg(last, countText(static_cast<double>(record.numSteps)))
                              : tr("step %1").arg(last);
    QStringList facts{steps};
    QStringList nodes;
    for (const std::string& node : view.nodes) nodes << qs(node);
    if (!nodes.isEmpty()) facts << tr("on %1").arg(nodes.join(QStringLiteral(", ")));
    const QString reason = view.end                        ? messageText(sentence(view.end->diagnosis))
                           : m_controller.link().isEmpty() ? recordedWords(record.reason)
                                                           : m_controller.link();
    if (!reason.isEmpty()) facts << reason;
    header()->setSideText(facts.join(QStringLiteral(" · ")));
    if (m_controller.isActive() && record.numSteps > 0) {
        const double share = static_cast<double>(record.lastStep) / static_cast<double>(record.numSteps);
        const auto left = m_controller.secondsLeft();
        header()->setProgress(
            share, left ? tr("%1, about %2 left").arg(percentText(share), secondsText(*left)) : percentText(share));
    } else {
        header()->setProgress({}, {});
    }
}

void RunPage::showCharts(const RunView& view) {
    const auto smoothed = [this](const ThinSeries& series) { return m_smooth ? smooth(series, 0.86) : series; };
    QVector<double> attempts;
    for (const AttemptRecord& attempt : view.attempts)
        if (attempt.resumeStep > 0) attempts.append(static_cast<double>(attempt.resumeStep));
    const bool isNew = view.record.status == RunStatus::Queued && view.record.lastStep == 0;
    const QString empty = isNew                      ? tr("The run has not started yet.")
                          : m_controller.isActive()  ? tr("The first step is running.")
                          : view.record.lastStep > 0 ? tr("The steps of this run have no such figure.")
                                                     : tr("No steps of this run were recorded.");
    for (MetricChart* chart : m_charts) {
        chart->setMarks(attempts);
        chart->setEmptyText(empty);
    }
    if (!view.noFigures.empty()) m_loss->setEmptyText(messageText(view.noFigures));

    m_loss->setYFormat([](double value) { return qs(formatFixed(value, 3)); });
    std::vector losses{curveOf(smoothed(view.loss), 0, tr("Loss"))};
    if (!view.evalLoss.buckets.empty()) losses.push_back(curveOf(view.evalLoss, 1, tr("Held-out loss")));
    m_loss->setCurves(losses);
    const auto last = [](const ThinSeries& series) {
        return series.buckets.empty() ? std::optional<double>() : series.buckets.back().last;
    };
    const auto loss = last(view.loss);
    m_lossPane->setSideText(!loss
                                ? (m_controller.isActive() ? tr("waiting for the first step") : tr("no steps recorded"))
                                : tr("nats per token, last %1").arg(qs(formatFixed(*loss, 3))));

    // The steps that the medians beside the forecast skip.
    const std::vector<SeriesBucket>& recorded = view.tokensPerSecond.buckets;
    std::optional<double> warmUp;
    if (const auto steps = view.record.measured.warmupSteps; steps && *steps > 0 && !recorded.empty())
        warmUp = static_cast<double>(recorded.front().firstStep) + *steps - 0.5;
    m_speed->setWarmUp(warmUp);
    m_waiting->setWarmUp(warmUp);
    m_speed->setYFormat([](double value) { return qs(formatShort(value)); });
    m_speed->setCurves({curveOf(view.tokensPerSecond, 0, tr("tokens/s per device"))});
    m_speedPane->setSideText(tr("%1 tokens/s/device").arg(countText(last(view.tokensPerSecond))));
    const auto promised = view.record.forecast.tokensPerSecondPerDevice;
    Reference reference{promised.value_or(0), promised.value_or(0), promised.value_or(0), false};
    if (view.plan && promised && view.plan->step.stepSecondsLow > 0) {
        const auto perDevice = static_cast<double>(view.stored.config.tokensPerStep()) /
                               static_cast<double>(view.stored.config.parallel.worldSize());
        reference.low = perDevice / view.plan->step.stepSecondsHigh;
        reference.high = perDevice / view.plan->step.stepSecondsLow;
    }
    m_speed->setReference(promised ? std::optional(reference) : std::nullopt);

    m_norm->setYFormat([](double value) { return qs(formatSignificant(value, 3)); });
    m_norm->setCurves({curveOf(view.gradNorm, 0, tr("Gradient norm"))});
    const bool knowsClip = view.stored.knows("optimizer.clip_norm");
    const double clip = knowsClip ? view.stored.config.optimizer.clipNorm : 0;
    m_norm->setReference(clip > 0 ? std::optional(Reference{clip, clip, clip, true}) : std::nullopt);
    m_normPane->setSideText(!knowsClip ? QString()
                            : clip > 0 ? tr("clipped at %1").arg(qs(formatSignificant(clip, 3)))
                                       : tr("not clipped"));

    const bool pipeline = view.stored.config.parallel.pp > 1;
    m_waitingPane->setTitle(pipeline ? tr("Pipeline bubble") : tr("Waiting for collectives"));
    m_waiting->setYFormat([pipeline](double value) { return pipeline ? percentText(value) : secondsText(value); });
    m_waiting->setCurves({curveOf(view.waiting, 0, m_waitingPane->title())});
    const auto bubble = view.record.forecast.bubbleFraction;
    m_waiting->setReference(pipeline && bubble ? std::optional(Reference{*bubble, *bubble, *bubble, false})
                                               : std::nullopt);
    m_waitingPane->setSideText(!pipeline ? tr("mean over ranks")
                               : bubble  ? tr("forecast %1").arg(percentText(bubble))
                                         : QString());
}

// The figures of GPUs are offered only if there are GPUs.
void RunPage::offerQuantities(const std::vector<RankState>& ranks) {
    const bool devices = std::any_of(ranks.begin(), ranks.end(), [](const RankState& rank) {
        return rank.deviceClockHertz || rank.devicePowerWatts || rank.deviceTemperatureCelsius ||
               rank.deviceMemoryUsedBytes;
    });
    if (devices == (m_quantity->count() > kNumPlainQuantities)) return;
    const QSignalBlocker quiet(m_quantity);
    if (!devices && m_quantity->currentIndex() >= kNumPlainQuantities) m_quantity->setCurrentIndex(0);
    while (m_quantity->count() > kNumPlainQuantities) m_quantity->removeItem(kNumPlainQuantities);
    if (devices)
        m_quantity->addItems({tr("GPU clock"), tr("GPU power"), tr("GPU temperature"), tr("GPU memory in use")});
}

void RunPage::showRanks() {
    const auto view = m_controller.view();
    if (!view) return;
    const RankQuantity& quantity = kRankQuantities[std::max(0, m_quantity->currentIndex())];
    std::vector<std::optional<double>> values;
    for (const RankState& rank : view->ranks) values.push_back(rank.*quantity.value);
    m_ranks->setValues(std::move(values), 8, [&quantity](double value) { return figureText(quantity.key, value); });
    m_ranksPane->setSideText(tr("latest value per rank"));
    const QString throttled = throttledText(view->ranks);
    m_rankNote->setText(
        wordJoined(throttled.isEmpty() ? m_ranks->summary() : m_ranks->summary() + QLatin1Char(' ') + throttled));
}

void RunPage::showPromises(const RunView& view) {
    m_promises->updateRows(promiseRows(view));
    const std::string label = forecastLabel(view.record.forecastJson);
    m_promisesPane->setSideText(
        label.empty() ? QString() : tr("basis: %1").arg(labelText(label, forecastSoftware(view.record.forecastJson))));
    m_promisesPane->setToolTip(labelHelp(label));
}

void RunPage::showSchedule(const RunView& view) {
    const bool pipeline = view.stored.config.parallel.pp > 1 && view.plan;
    m_schedulePane->setVisible(pipeline);
    if (!pipeline) return;
    m_bubble->setRun(m_controller.view());
    const StepEstimate& step = view.plan->step;
    m_schedule->setForecast(step.timeline, {step.dpExposedSeconds, step.optimizerSeconds + step.fixedSeconds},
                            view.stored.config.parallel.worldSize() / view.stored.config.parallel.pp);
    m_schedule->setMeasured(view.measuredSpans);
    m_schedulePane->setSideText(view.measuredSpans.empty()
                                    ? tr("forecast; no spans recorded (telemetry.spans_every_steps)")
                                    : tr("forecast above, step %1 as measured below").arg(view.spansStep));
}

void RunPage::showTabs(const RunView& view) {
    const std::int64_t ranks = view.stored.config.parallel.worldSize();
    const std::int64_t nodes = view.plan ? std::clamp<std::int64_t>(view.plan->cluster.numNodes, 1, ranks) : 1;
    m_ranksView->setRun(view.record, view.stored.config.parallel, (ranks + nodes - 1) / nodes, view.position,
                        m_controller.isActive());
    m_mfuView->setRun(view.record.id, view.position, m_controller.isActive());
}

void RunPage::jumpTo(const EventRecord& event) {
    for (MetricChart* chart : m_charts) chart->setPointer(static_cast<double>(event.step));
    m_log->showTime(event.timeUnixMilliseconds);
}

bool RunPage::can(PageAction action) const {
    return action == PageAction::Refresh ? !m_controller.id().empty()
                                         : action != PageAction::Primary && m_controller.view() != nullptr;
}

void RunPage::find() {
    m_tabs->setCurrentIndex(0);
    m_log->focusSearch();
}

void RunPage::exportData() {
    if (!m_controller.view()) return;
    const QString file =
        askSaveFile(this, tr("Save the curves as CSV"), QStringLiteral("%1.csv").arg(qs(m_controller.id().value)));
    if (file.isEmpty()) return;
    runOnce(
        this,
        [home = context().engine.home(), view = m_controller.view(), file](const std::stop_token&) {
            return exportCurves(home, *view, file.toStdString());
        },
        [this, file](const Result<void>& saved) {
            emit said(saved ? tr("Saved %1").arg(shown(file)) : errorText(saved.error()));
        });
}

void RunPage::showEvent(QShowEvent* event) {
    Page::showEvent(event);
    m_controller.setSeen(true);
}

// Also when the window is minimised.
void RunPage::hideEvent(QHideEvent* event) {
    Page::hideEvent(event);
    m_controller.setSeen(false);
}

void RunPage::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        for (MetricChart* chart : m_charts) chart->setPointer({});
        return;
    }
    Page::keyPressEvent(event);
}

}  // namespace slipway::gui
