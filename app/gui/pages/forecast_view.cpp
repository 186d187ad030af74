#include "app/gui/pages/forecast_view.h"

#include "app/gui/models/better_layouts.h"
#include "app/gui/pages/gain_text.h"
#include "app/gui/pages/plan_page.h"
#include "app/gui/pages/tab_view.h"
#include "app/gui/text/config_change.h"
#include "app/gui/text/format.h"
#include "app/gui/text/label_text.h"
#include "app/gui/text/layout_words.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/answer_strip.h"
#include "app/gui/widgets/explain_dialog.h"
#include "app/gui/widgets/issue_list.h"
#include "app/gui/widgets/legend.h"
#include "app/gui/widgets/memory_bar.h"
#include "app/gui/widgets/schedule_view.h"
#include "app/gui/widgets/tables.h"
#include "app/gui/widgets/time_split.h"
#include "core/base/units.h"
#include "core/planner/memory/host_memory.h"
#include "core/planner/memory/memory_timeline.h"
#include "core/planner/stack/forecast_basis.h"
#include "core/spec/batch_sizes.h"

#include <QHeaderView>
#include <QSplitter>
#include <QVBoxLayout>
#include <cmath>

namespace slipway::gui {
namespace {

QString phaseText(MemoryPhase phase) {
    switch (phase) {
        case MemoryPhase::Start: return PlanPage::tr("Start");
        case MemoryPhase::FirstForward: return PlanPage::tr("1st forward");
        case MemoryPhase::FirstBackward: return PlanPage::tr("1st backward");
        case MemoryPhase::FirstUpdate: return PlanPage::tr("1st update");
        case MemoryPhase::SecondStep: return PlanPage::tr("2nd step");
    }
    return {};
}

// Text after the peak, with the peak's unit if the capacity has another: "MiB of 23.5 GiB".
QString capacityText(double peakBytes, double capacityBytes) {
    const QString unit = split(bytesText(peakBytes)).unit, capacity = bytesText(capacityBytes);
    return unit.isEmpty() || unit == split(capacity).unit ? PlanPage::tr("of %1").arg(capacity)
                                                          : PlanPage::tr("%1 of %2").arg(unit, capacity);
}

}  // namespace

ForecastView::ForecastView(PlanController& controller, std::function<bool(const std::string&)> isField, QWidget* parent)
    : QScrollArea(parent), m_controller(controller), m_isField(std::move(isField)) {
    auto* results = new QWidget(this);
    m_answers = new AnswerStrip(6, results);
    m_answers->setObjectName(QStringLiteral("answers"));
    m_answers->setAskable();
    connect(m_answers, &AnswerStrip::asked, this, [this](int index, QWidget* cell) {
        const auto plan = m_controller.shownPlan();
        const std::string cost = plan && plan->cost.money ? "money" : "device_hours";
        const std::string figures[] = {
            "memory_peak_bytes", "step_seconds", "tokens_per_second_per_device", "mfu", "bubble_simulated", cost};
        ExplainDialog::open(cell, plan, figures[index]);
    });
    m_memory = new MemoryBar(results);
    m_memory->setObjectName(QStringLiteral("memory"));
    connect(m_memory, &MemoryBar::asked, this, [this](std::size_t row, const std::string& figure) {
        const auto plan = m_controller.shownPlan();
        if (!plan || m_overTime->isChecked() || row >= plan->memory.size())
            return ExplainDialog::open(m_memory, plan, "memory_peak_bytes");
        auto stage = std::make_shared<Plan>(*plan);  // the formulas of a rank other than the fullest
        stage->worstStage = row;
        stage->memoryPeakBytes = plan->memory[row].bytes.totalBytes();
        ExplainDialog::open(m_memory, std::move(stage), figure);
    });
    m_split = new TimeSplit(results);
    connect(m_split, &TimeSplit::asked, this,
            [this](const std::string& figure) { ExplainDialog::open(m_split, m_controller.shownPlan(), figure); });
    m_schedule = new ScheduleView(results);
    m_checks = new IssueList(results);
    m_checks->setObjectName(QStringLiteral("checks"));
    m_layoutsModel = new RowsModel<LayoutRow>(betterLayoutColumns(true), this);
    m_layouts = new QTableView(results);
    m_layouts->setObjectName(QStringLiteral("layouts"));
    m_layouts->setModel(m_layoutsModel);
    m_layouts->setSelectionMode(QAbstractItemView::SingleSelection);
    prepareTable(m_layouts);
    keepColumnsFitted(m_layouts, dispensableLayoutColumns());
    connect(m_layouts->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        if (!m_filling && m_layouts->hasFocus()) m_controller.preview(now.row());
    });
    connect(m_layouts, &QTableView::activated, this,
            [this](const QModelIndex& index) { m_controller.applyLayout(index.row()); });
    offerFormulas(
        m_layouts, [](const QModelIndex& index) { return figureOfLayoutColumn(index.column()); },
        [this](const QModelIndex& index) {
            return m_layoutsModel->rows()[static_cast<std::size_t>(index.row())].plan;
        });

    m_memoryPane = new Pane(PlanPage::tr("Memory per rank"), m_memory, results);
    m_overTime = linkButton(PlanPage::tr("Over time"), m_memoryPane);
    m_overTime->setObjectName(QStringLiteral("memoryOverTime"));
    m_overTime->setCheckable(true);
    m_overTime->setToolTip(PlanPage::tr("From the start to the second step, for the worst rank."));
    m_hostMemory = linkButton({}, m_memoryPane);
    m_hostMemory->setObjectName(QStringLiteral("hostMemory"));
    m_hostMemory->setToolTip(
        PlanPage::tr("Host memory of the worst rank: checkpoint copy and offloaded states. Click for the formula."));
    connect(m_hostMemory, &QPushButton::clicked, this,
            [this] { ExplainDialog::open(m_hostMemory, m_controller.shownPlan(), "host_memory.total_bytes"); });
    m_memoryPane->addControl(m_hostMemory);
    m_memoryPane->addControl(m_overTime);
    connect(m_overTime, &QPushButton::toggled, this, [this](bool on) {
        m_overTime->setText(on ? PlanPage::tr("By stage") : PlanPage::tr("Over time"));
        if (const auto plan = m_controller.shownPlan()) showMemory(*plan);
    });
    m_splitPane = new Pane(PlanPage::tr("Step time"), m_split, results);
    m_splitPane->setSideText(PlanPage::tr("time of one step"));
    m_schedulePane = new Pane(PlanPage::tr("Pipeline schedule"), m_schedule, results);
    m_schedulePane->addControl(new Legend({{PlanPage::tr("Forward"), Hue::Blue},
                                           {PlanPage::tr("Backward"), Hue::Sky},
                                           {PlanPage::tr("Wait"), {}},
                                           {PlanPage::tr("Gradient reduction"), Hue::Rose},
                                           {PlanPage::tr("Optimizer"), Hue::Ochre}},
                                          m_schedulePane));
    connect(m_schedule, &ScheduleView::windowChanged, this, [this] { showPlan(); });
    m_layoutsPane = new Pane(PlanPage::tr("Better layouts"), m_layouts, results);
    m_layoutsPane->setFlush(true);
    auto* all = linkButton(PlanPage::tr("Search all…"), m_layoutsPane);
    all->setObjectName(QStringLiteral("searchAll"));
    connect(all, &QPushButton::clicked, this, &ForecastView::searchWanted);
    m_layoutsPane->addControl(all);
    m_layoutsPane->setToolTip(PlanPage::tr(
        "Select a row to preview it in all panels; Enter applies it to the form. Right-click a figure for its formula."));
    m_checksPane = new Pane(PlanPage::tr("Checks"), m_checks, results);

    m_top = new QSplitter(Qt::Horizontal, results);
    m_top->addWidget(m_memoryPane);
    m_top->addWidget(m_splitPane);
    m_top->setStretchFactor(0, 61);
    m_top->setStretchFactor(1, 39);
    m_top->setSizes({610, 390});
    m_bottom = new QSplitter(Qt::Horizontal, results);
    m_bottom->addWidget(m_layoutsPane);
    m_bottom->addWidget(m_checksPane);
    m_bottom->setStretchFactor(0, 68);
    m_bottom->setStretchFactor(1, 32);
    m_bottom->setSizes({680, 320});
    auto* panes = new QSplitter(Qt::Vertical, results);
    panes->addWidget(m_top);
    panes->addWidget(m_schedulePane);
    panes->addWidget(m_bottom);
    panes->setStretchFactor(0, 3);
    panes->setStretchFactor(1, 2);
    panes->setStretchFactor(2, 5);
    panes->setSizes({190, 150, 360});
    panes->setChildrenCollapsible(false);

    auto* layout = new QVBoxLayout(results);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_answers);
    layout->addWidget(edgeLine(Qt::Horizontal, results));
    layout->addWidget(panes, 1);
    scrollDown(this, results);
}

void ForecastView::showColumns(bool gpu) {
    m_filling = true;
    m_layoutsModel->setColumns(betterLayoutColumns(gpu));
    m_filling = false;
}

void ForecastView::showPlan() {
    const auto plan = m_controller.shownPlan();
    if (!plan) return;
    const StepEstimate& s = plan->step;
    const RunConfig& c = plan->config;
    const bool gpu = plan->cluster.device.kind != DeviceKind::Cpu;
    const double spare = plan->memoryCapacityBytes - plan->memoryPeakBytes;
    const bool known = std::isfinite(s.stepSeconds);  // otherwise the device's peak is unknown
    const bool knownCapacity = !std::isnan(plan->memoryCapacityBytes);
    const double tokens = static_cast<double>(c.tokensPerStep()) * BatchSizes(c.train).wholeSteps(c.train.numSteps);
    m_answers->setAnswers({
        {PlanPage::tr("Memory, worst rank"), bytesText(plan->memoryPeakBytes),
         knownCapacity ? capacityText(plan->memoryPeakBytes, plan->memoryCapacityBytes) : QString(),
         !knownCapacity ? PlanPage::tr("capacity unknown")
         : spare >= 0   ? PlanPage::tr("%1 free").arg(bytesText(spare))
                        : PlanPage::tr("%1 too much").arg(bytesText(-spare)),
         spare < 0},
        {PlanPage::tr("Step time"),
         secondsText(s.stepSeconds),
         {},
         known ? intervalText({s.stepSecondsLow, s.stepSecondsHigh}, s.label, secondsText)
               : PlanPage::tr("peak unknown")},
        {PlanPage::tr("Throughput"), countText(s.tokensPerSecondPerDevice),
         gpu ? PlanPage::tr("tokens/s/GPU") : PlanPage::tr("tokens/s/device"),
         known ? PlanPage::tr("%1 tokens/s in total").arg(shortText(s.tokensPerSecond)) : PlanPage::tr("peak unknown")},
        {PlanPage::tr("MFU"),
         s.mfu ? percentText(*s.mfu) : unknownText(),
         {},
         s.mfu ? mfuRuleText(s.mfuRule) : PlanPage::tr("peak unknown")},
        {PlanPage::tr("Pipeline bubble"),
         percentText(s.bubbleSimulated),
         {},
         known ? PlanPage::tr("ideal %1").arg(percentText(s.bubbleTheoretical)) : PlanPage::tr("peak unknown")},
        {PlanPage::tr("Cost of %1 tokens").arg(shortText(tokens)),
         plan->cost.money ? moneyText(plan->cost.money, plan->cost.currency) : secondsText(plan->cost.trainingSeconds),
         {},
         plan->cost.money ? PlanPage::tr("%1, %2 device-hours")
                                .arg(secondsText(plan->cost.trainingSeconds), countText(plan->cost.deviceHours))
         : known ? PlanPage::tr("%1 device-hours, price unknown").arg(qs(formatSignificant(plan->cost.deviceHours, 3)))
                 : PlanPage::tr("peak unknown")},
    });
    showMemory(*plan);
    m_split->setStep(s);
    m_splitPane->setSideText(
        PlanPage::tr("%1, %2").arg(secondsText(s.stepSeconds), labelText(s.label, softwareOf(plan->cluster))));
    const QString zoom = m_schedule->windowText();
    if (zoom.isEmpty() || sender() != m_schedule) {
        const QSignalBlocker quiet(m_schedule);
        const auto value = [](double v) { return std::isfinite(v) ? v : 0.0; };
        m_schedule->setForecast(known ? s.timeline : std::vector<TimeSpan>(),
                                {value(s.dpExposedSeconds), value(s.optimizerSeconds) + value(s.fixedSeconds)},
                                c.parallel.worldSize() / std::max<std::int64_t>(c.parallel.pp, 1));
    }
    const QString what =
        PlanPage::tr("%1, %n micro-batch(es), replica 0", nullptr, static_cast<int>(c.numMicroBatches()))
            .arg(choiceText("parallel.schedule", std::string(wordOf(c.parallel.schedule))));
    m_schedulePane->setSideText(zoom.isEmpty() ? PlanPage::tr("one step, %1").arg(what)
                                               : PlanPage::tr("%1, %2").arg(zoom, what));
}

void ForecastView::showMemory(const Plan& plan) {
    const double hostBytes = plan.memory.empty() ? 0 : hostMemory(plan.config).totalBytes();
    m_hostMemory->setVisible(hostBytes > 0);
    m_hostMemory->setText(PlanPage::tr("Host: %1").arg(bytesText(hostBytes)));
    if (!m_overTime->isChecked() || plan.memory.empty()) {
        m_memory->setMemory(plan.memory, plan.worstStage, plan.memoryCapacityBytes);
        m_memoryPane->setSideText(PlanPage::tr("%1 per rank, by pipeline stage").arg(m_memory->unit()));
        return;
    }
    const StageMemory& worst = plan.memory[plan.worstStage];
    const StateAllocation allocation = allocationOf(plan.cluster);
    std::vector<MemoryRow> rows;
    for (const MemoryMoment& moment : memoryTimeline(worst, allocation))
        rows.push_back({phaseText(moment.phase), {}, moment.bytes});
    const std::size_t last = rows.size() - 1;
    m_memory->setRows(PlanPage::tr("Moment"), std::move(rows), last, plan.memoryCapacityBytes);
    m_memoryPane->setSideText(allocation == StateAllocation::BeforeFirstStep
                                  ? PlanPage::tr("%1, stage %2; states allocated before the first step")
                                        .arg(m_memory->unit())
                                        .arg(worst.stage)
                                  : PlanPage::tr("%1, stage %2; states allocated during the first step")
                                        .arg(m_memory->unit())
                                        .arg(worst.stage));
}

// If no rule finds anything, the table may still have a layout that is worth the change.
bool ForecastView::addFasterLayout(std::vector<IssueRow>& rows) {
    constexpr double kWorthSaying = 0.05;
    const auto& layouts = m_controller.layouts();
    const auto plan = m_controller.plan();
    if (m_controller.isStale() || !plan || layouts.empty() || !(layouts.front().change < -kWorthSaying)) return false;
    const LayoutRow& best = layouts.front();
    rows.push_back(
        {Icon::Info,
         theme().idle,
         {},
         PlanPage::tr("A faster layout: %1, a step of %2 instead of %3 (%4).")
             .arg(configChangeText(plan->config, best.plan->config), secondsText(best.plan->step.stepSeconds),
                  secondsText(plan->step.stepSeconds), deltaText(best.change)),
         {},
         PlanPage::tr("Apply"),
         [this] { m_controller.applyLayout(0); }});
    return true;
}

QString ForecastView::showChecks() {
    const Theme& t = theme();
    std::vector<IssueRow> rows;
    int errors = 0, warnings = 0, suggestions = 0;
    for (const auto severity : {Severity::Error, Severity::Warning, Severity::Info})
        for (const Issue& issue : m_controller.issues()) {
            if (issue.severity != severity) continue;
            const AdviceGain* gain =
                m_controller.isStale() || !m_controller.plan() ? nullptr : gainOf(m_controller.gains(), issue.code);
            // Advice that no change improves is not a suggestion.
            if (severity == Severity::Info && isAnswerable(issue.code) && !gain) continue;
            suggestions += severity == Severity::Info && gain;
            errors += severity == Severity::Error;
            warnings += severity == Severity::Warning;
            const QString text = withFormWords(issueText(issue));
            IssueRow row{severity == Severity::Error     ? Icon::Error
                         : severity == Severity::Warning ? Icon::Warning
                                                         : Icon::Info,
                         severity == Severity::Error     ? t.bad
                         : severity == Severity::Warning ? t.warn
                                                         : t.idle,
                         {},
                         text,
                         issue.source.empty() ? shownLines(issue.message) : text,
                         {}};
            if (gain) row.text += ' ' + gainText(*m_controller.plan(), *gain);
            if (gain && !gain->change.empty()) {
                row.link = PlanPage::tr("Apply");
                row.follow = [this, code = gain->code] { m_controller.applyGain(code); };
            } else if (m_isField(issue.field)) {
                row.link = PlanPage::tr("Go to");
                row.follow = [this, path = issue.field] { emit fieldWanted(qs(path)); };
            }
            rows.push_back(std::move(row));
        }
    if (suggestions + warnings + errors == 0 && addFasterLayout(rows)) ++suggestions;
    for (const QString& fact : m_controller.goodFacts()) rows.push_back({Icon::Good, t.ok, {}, fact, {}, {}});
    m_checks->setRows(rows);
    m_checksPane->setSideText(errors > 0        ? PlanPage::tr("%n error(s)", nullptr, errors)
                              : warnings > 0    ? PlanPage::tr("%n warning(s)", nullptr, warnings)
                              : suggestions > 0 ? PlanPage::tr("%n suggestion(s)", nullptr, suggestions)
                                                : PlanPage::tr("no problems"));
    return errors > 0 ? rows.front().text : QString();
}

void ForecastView::showLayouts() {
    m_filling = true;
    m_layoutsModel->setRows(m_controller.layouts());
    for (std::size_t i = 0; i < m_controller.layouts().size(); ++i)
        if (m_controller.layouts()[i].isCurrent) m_layouts->selectRow(static_cast<int>(i));
    m_layouts->scrollToTop();  // the best stay visible, regardless of the selection
    fitColumns(m_layouts, dispensableLayoutColumns());
    m_layoutsPane->setSideText(PlanPage::tr("%n layout(s) that fit in memory, fastest first", nullptr,
                                            static_cast<int>(m_controller.layouts().size())));
    m_filling = false;
}

}  // namespace slipway::gui
