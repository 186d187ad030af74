#include "app/gui/pages/plan_page.h"

#include "app/gui/dialogs.h"
#include "app/gui/explanation_text.h"
#include "app/gui/format.h"
#include "app/gui/label_text.h"
#include "app/gui/models/better_layouts.h"
#include "app/gui/pages/curves_dialog.h"
#include "app/gui/pages/gain_text.h"
#include "app/gui/pages/launch_sheet.h"
#include "app/gui/pages/plan_form.h"
#include "app/gui/pages/search_view.h"
#include "app/gui/pages/tab_view.h"
#include "app/gui/pages/what_if_view.h"
#include "app/gui/text.h"
#include "app/gui/widgets/answer_strip.h"
#include "app/gui/widgets/explain_dialog.h"
#include "app/gui/widgets/issue_list.h"
#include "app/gui/widgets/legend.h"
#include "app/gui/widgets/memory_bar.h"
#include "app/gui/widgets/schedule_view.h"
#include "app/gui/widgets/spec_form.h"
#include "app/gui/widgets/tables.h"
#include "app/gui/widgets/time_split.h"
#include "core/base/units.h"
#include "core/planner/memory/host_memory.h"
#include "core/planner/memory/memory_timeline.h"
#include "core/spec/batch_sizes.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr int kTiny = -2;  // item data of presets that are no index
constexpr int kHub = -3;

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

}  // namespace

PlanPage::PlanPage(Context& context, PlanController& controller, QWidget* parent)
    : Page(context, parent), m_controller(controller) {
    auto* save = header()->addButton(tr("Save…"));
    connect(save, &QPushButton::clicked, this, &PlanPage::savePlan);
    auto* exportButton = header()->addButton(tr("Export"));
    auto* menu = new QMenu(exportButton);
    menu->addAction(tr("Copy config as JSON"), this,
                    [this] { QApplication::clipboard()->setText(qs(documentJson(m_controller.document()))); });
    menu->addAction(tr("Copy command line"), this, [this] {
        QApplication::clipboard()->setText(
            QStringLiteral("slipway launch %1.json").arg(qs(m_controller.document().config.name)));
    });
    menu->addAction(tr("Save config…"), this, &PlanPage::savePlan);
    exportButton->setMenu(menu);
    m_launch = header()->addButton(tr("Launch…"), true);
    m_launch->setObjectName(QStringLiteral("launch"));
    connect(m_launch, &QPushButton::clicked, this, &PlanPage::openLaunchSheet);

    auto* content = new QWidget(this);
    auto* row = new QHBoxLayout(content);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(makeForm());
    row->addWidget(edgeLine(Qt::Vertical, content));
    row->addWidget(makeResults(), 1);
    setContent(content);

    connect(&m_controller, &PlanController::documentChanged, this, &PlanPage::showDocument);
    connect(&m_controller, &PlanController::planChanged, this, &PlanPage::showPlan);
    connect(&m_controller, &PlanController::issuesChanged, this, &PlanPage::showIssues);
    connect(&m_controller, &PlanController::layoutsChanged, this, &PlanPage::showLayouts);
    connect(&m_controller, &PlanController::gainsChanged, this, &PlanPage::showIssues);
    connect(&m_controller, &PlanController::said, this, &PlanPage::said);
    showDocument();
    showPlan();
    showIssues();
    showLayouts();
}

QWidget* PlanPage::makeForm() {
    auto* column = new QWidget(this);
    column->setFixedWidth(px(344));
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_search = new QLineEdit(column);
    m_search->setObjectName(QStringLiteral("fieldSearch"));
    m_search->setPlaceholderText(tr("Find a field"));
    m_search->setAccessibleName(tr("Find a field"));
    m_search->setClearButtonEnabled(true);
    m_search->hide();
    layout->addWidget(m_search);
    m_form = new SpecForm(column);
    m_form->setObjectName(QStringLiteral("planForm"));
    layout->addWidget(m_form, 1);
    arrangePlanForm(*m_form, documentFields(m_controller.document()));

    m_model = new QComboBox(column);
    m_model->setObjectName(QStringLiteral("modelPreset"));
    m_model->addItem(tr("Own shape"), -1);
    m_model->addItem(tr("Tiny, trains here in minutes"), kTiny);
    m_model->addItem(tr("From Hugging Face or a URL…"), kHub);
    for (std::size_t i = 0; i < modelPresets().size(); ++i)
        m_model->addItem(qs(modelPresets()[i].title), static_cast<int>(i));
    connect(m_model, &QComboBox::activated, this, [this] {
        const int index = m_model->currentData().toInt();
        if (index == kTiny)
            m_controller.chooseTiny();
        else if (index == kHub)
            askForModel();
        else if (index >= 0)
            m_controller.chooseModel(modelPresets()[static_cast<std::size_t>(index)].id);
    });
    m_form->addRow(QStringLiteral("model"), tr("Preset"), m_model, true);
    m_shape = quietLabel({}, column);
    m_form->addRow(QStringLiteral("model"), tr("Shape"), m_shape, false);

    m_device = new QComboBox(column);
    m_device->setObjectName(QStringLiteral("devicePreset"));
    m_device->addItem(tr("Own hardware"), -1);
    m_device->addItem(tr("This computer"), kTiny);
    for (std::size_t i = 0; i < devicePresets().size(); ++i)
        m_device->addItem(qs(devicePresets()[i].device.name), static_cast<int>(i));
    connect(m_device, &QComboBox::activated, this, [this] {
        const int index = m_device->currentData().toInt();
        if (index == kTiny)
            m_controller.chooseThisMachine();
        else if (index >= 0)
            m_controller.chooseCluster(devicePresets()[static_cast<std::size_t>(index)]);
    });
    m_form->addRow(QStringLiteral("hardware"), tr("Device"), m_device, true);
    m_curves = linkButton({}, column);
    m_curves->setObjectName(QStringLiteral("curves"));
    connect(m_curves, &QPushButton::clicked, this, [this] { (new CurvesDialog(m_controller, this))->open(); });
    auto* link = new QWidget(column);  // a button as wide as the row would have its text in the middle
    auto* atLeft = new QHBoxLayout(link);
    atLeft->setContentsMargins(0, 0, 0, 0);
    atLeft->addWidget(m_curves);
    atLeft->addStretch();
    m_form->addRow(QStringLiteral("hardware"), tr("Collectives"), link, false);
    m_accumulation = quietLabel({}, column);
    m_form->addRow(QStringLiteral("batch"), tr("Accumulation"), m_accumulation, false);
    m_form->orderTabs();
    for (QComboBox* box : {m_model, m_device})
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);

    connect(m_form, &SpecForm::edited, &m_controller, &PlanController::edit);
    connect(m_form, &SpecForm::helpWanted, this, [this](const QString& path) {
        if (QWidget* editor = m_form->editor(path.toStdString())) showHelp(editor, editor->toolTip());
    });
    connect(m_search, &QLineEdit::textChanged, m_form, &SpecForm::setSearch);
    return column;
}

QWidget* PlanPage::makeResults() {
    auto* column = new QWidget(this);
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_tabs = new QTabBar(column);
    m_tabs->setObjectName(QStringLiteral("planTabs"));
    m_tabs->setAccessibleName(tr("Results"));
    m_tabs->setExpanding(false);
    m_tabs->setDrawBase(false);
    m_results = new QStackedWidget(column);
    m_searchView = new SearchView(m_controller, m_results);
    rememberSizes(m_searchView->charts(), QStringLiteral("search/charts"));
    const auto add = [this](const QString& title, QWidget* widget) {
        m_tabs->addTab(title);
        m_results->addWidget(widget);
    };
    add(tr("Forecast"), makeForecast());
    add(tr("Search"), m_searchView);
    m_whatIf = new WhatIfView(context(), m_controller, m_results);
    add(tr("What if"), m_whatIf);
    connect(m_tabs, &QTabBar::currentChanged, m_results, &QStackedWidget::setCurrentIndex);
    connect(m_searchView, &SearchView::said, this, &PlanPage::said);
    auto* line = new QHBoxLayout;
    line->setContentsMargins(px(8), px(2), px(8), 0);
    m_basis = quietLabel({}, column, kSideSize);
    m_basis->setObjectName(QStringLiteral("basis"));
    m_basis->setContentsMargins(0, 0, px(8), 0);
    line->addWidget(m_tabs);
    line->addStretch(1);
    line->addWidget(m_basis);
    layout->addLayout(line);
    layout->addWidget(edgeLine(Qt::Horizontal, column));
    layout->addWidget(m_results, 1);
    return column;
}

QWidget* PlanPage::makeForecast() {
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
        auto stage = std::make_shared<Plan>(*plan);  // the formulas of another rank than the fullest
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

    m_memoryPane = new Pane(tr("Memory per rank"), m_memory, results);
    m_overTime = linkButton(tr("Over time"), m_memoryPane);
    m_overTime->setObjectName(QStringLiteral("memoryOverTime"));
    m_overTime->setCheckable(true);
    m_overTime->setToolTip(tr("From the start over the first step to the second, for the fullest rank."));
    m_hostMemory = linkButton({}, m_memoryPane);
    m_hostMemory->setObjectName(QStringLiteral("hostMemory"));
    m_hostMemory->setToolTip(tr(
        "What the fullest rank keeps in its node's memory: the checkpoint copy and what is offloaded. Click for the formula."));
    connect(m_hostMemory, &QPushButton::clicked, this,
            [this] { ExplainDialog::open(m_hostMemory, m_controller.shownPlan(), "host_memory.total_bytes"); });
    m_memoryPane->addControl(m_hostMemory);
    m_memoryPane->addControl(m_overTime);
    connect(m_overTime, &QPushButton::toggled, this, [this](bool on) {
        m_overTime->setText(on ? tr("By stage") : tr("Over time"));
        if (const auto plan = m_controller.shownPlan()) showMemory(*plan);
    });
    m_splitPane = new Pane(tr("Step time"), m_split, results);
    m_splitPane->setSideText(tr("where one step goes"));
    m_schedulePane = new Pane(tr("Pipeline schedule"), m_schedule, results);
    m_schedulePane->addControl(new Legend({{tr("Forward"), Hue::Blue},
                                           {tr("Backward"), Hue::Sky},
                                           {tr("Wait"), {}},
                                           {tr("Gradient reduction"), Hue::Rose},
                                           {tr("Optimizer"), Hue::Ochre}},
                                          m_schedulePane));
    connect(m_schedule, &ScheduleView::windowChanged, this, [this] { showPlan(); });
    m_layoutsPane = new Pane(tr("Better layouts"), m_layouts, results);
    m_layoutsPane->setFlush(true);
    auto* all = linkButton(tr("Search all…"), m_layoutsPane);
    all->setObjectName(QStringLiteral("searchAll"));
    connect(all, &QPushButton::clicked, this, &PlanPage::search);
    m_layoutsPane->addControl(all);
    m_layoutsPane->setToolTip(tr(
        "Select a row to preview it in all panels; Enter applies it to the form. A right click on a figure offers its formula."));
    m_checksPane = new Pane(tr("Checks"), m_checks, results);

    auto* top = new QSplitter(Qt::Horizontal, results);
    top->addWidget(m_memoryPane);
    top->addWidget(m_splitPane);
    top->setStretchFactor(0, 61);
    top->setStretchFactor(1, 39);
    top->setSizes({610, 390});
    rememberSizes(top, QStringLiteral("plan/top"));
    auto* bottom = new QSplitter(Qt::Horizontal, results);
    bottom->addWidget(m_layoutsPane);
    bottom->addWidget(m_checksPane);
    bottom->setStretchFactor(0, 68);
    bottom->setStretchFactor(1, 32);
    bottom->setSizes({680, 320});
    rememberSizes(bottom, QStringLiteral("plan/bottom"));
    auto* panes = new QSplitter(Qt::Vertical, results);
    panes->addWidget(top);
    panes->addWidget(m_schedulePane);
    panes->addWidget(bottom);
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
    auto* area = new QScrollArea(this);
    scrollDown(area, results);
    return area;
}

void PlanPage::showDocument() {
    const PlanDocument& d = m_controller.document();
    m_filling = true;
    m_form->setFields(documentFields(d));
    m_form->setReference(m_controller.reference());
    int model = 0;
    for (std::size_t i = 0; i < modelPresets().size(); ++i)
        if (modelPresets()[i].id == d.modelPreset) model = static_cast<int>(i) + 3;
    m_model->setCurrentIndex(model);
    int device = d.cluster.device.name == m_controller.thisMachine().device.name ? 1 : 0;
    for (std::size_t i = 0; i < devicePresets().size(); ++i)
        if (devicePresets()[i].device.name == d.cluster.device.name) device = static_cast<int>(i) + 2;
    m_device->setCurrentIndex(device);
    const ModelSpec& m = d.config.model;
    m_shape->setText(tr("%1 layers, hidden %2").arg(m.numLayers).arg(countText(static_cast<double>(m.hiddenSize))));
    m_curves->setText(curvesText(d.cluster.commCurves));
    m_curves->setToolTip(curvesHelp(d.cluster.commCurves));
    const std::int64_t perStep = d.config.train.microBatchSize * d.config.parallel.dp;
    m_accumulation->setText(perStep > 0 && d.config.train.globalBatchSize % perStep == 0
                                ? tr("%n micro-batch(es)", nullptr, static_cast<int>(d.config.numMicroBatches()))
                                : unknownText());
    const bool gpu = d.cluster.device.kind != DeviceKind::Cpu;
    const int devices = static_cast<int>(d.cluster.numDevices());
    m_form->setSectionResult(QStringLiteral("hardware"),
                             gpu ? tr("%n GPU(s)", nullptr, devices) : tr("%n CPU rank(s)", nullptr, devices));
    m_form->setSectionResult(QStringLiteral("batch"),
                             tr("%1 tokens").arg(shortText(static_cast<double>(d.config.tokensPerStep()))));
    m_form->setSectionResult(QStringLiteral("layout"),
                             tr("%1 of %2 used").arg(d.config.parallel.worldSize()).arg(devices));
    m_layoutsModel->setColumns(betterLayoutColumns(gpu));
    m_filling = false;
}

void PlanPage::showPlan() {
    const auto plan = m_controller.shownPlan();
    if (!plan) return;
    const StepEstimate& s = plan->step;
    const RunConfig& c = plan->config;
    const bool gpu = plan->cluster.device.kind != DeviceKind::Cpu;
    header()->setTitle(qs(m_controller.document().config.name));
    header()->setSideText(tr("%1 parameters on %2: dp %3 × tp %4 × pp %5")
                              .arg(shortText(plan->parameters.total),
                                   gpu ? tr("%n GPU(s)", nullptr, static_cast<int>(c.parallel.worldSize()))
                                       : tr("%n CPU rank(s)", nullptr, static_cast<int>(c.parallel.worldSize())))
                              .arg(c.parallel.dp)
                              .arg(c.parallel.tp)
                              .arg(c.parallel.pp));
    const double spare = plan->memoryCapacityBytes - plan->memoryPeakBytes;
    const bool knownCapacity = !std::isnan(plan->memoryCapacityBytes);
    const double tokens = static_cast<double>(c.tokensPerStep()) * BatchSizes(c.train).wholeSteps(c.train.numSteps);
    m_answers->setAnswers({
        {tr("Memory, worst rank"), bytesText(plan->memoryPeakBytes),
         knownCapacity ? tr("of %1").arg(bytesText(plan->memoryCapacityBytes)) : QString(),
         !knownCapacity ? tr("capacity unknown")
         : spare >= 0   ? tr("%1 free").arg(bytesText(spare))
                        : tr("%1 too much").arg(bytesText(-spare)),
         spare < 0},
        {tr("Step time"),
         secondsText(s.stepSeconds),
         {},
         intervalText({s.stepSecondsLow, s.stepSecondsHigh}, secondsText)},
        {tr("Throughput"), countText(s.tokensPerSecondPerDevice), gpu ? tr("tokens/s/GPU") : tr("tokens/s/device"),
         tr("%1 tokens/s in all").arg(shortText(s.tokensPerSecond))},
        {tr("MFU"),
         s.mfu ? percentText(*s.mfu) : unknownText(),
         {},
         s.mfu ? tr("rule %1, causal").arg(qs(s.mfuRule)) : tr("peak unknown")},
        {tr("Pipeline bubble"),
         percentText(s.bubbleSimulated),
         {},
         tr("ideal %1").arg(percentText(s.bubbleTheoretical))},
        {tr("Cost of %1 tokens").arg(shortText(tokens)),
         plan->cost.money ? moneyText(plan->cost.money, plan->cost.currency) : secondsText(plan->cost.trainingSeconds),
         {},
         plan->cost.money
             ? tr("%1, %2 device-hours").arg(secondsText(plan->cost.trainingSeconds), countText(plan->cost.deviceHours))
             : tr("%1 device-hours, price unknown").arg(qs(formatSignificant(plan->cost.deviceHours, 3)))},
    });
    showMemory(*plan);
    m_split->setStep(s);
    m_splitPane->setSideText(tr("%1, %2").arg(secondsText(s.stepSeconds), labelText(s.label)));
    m_basis->setText(tr("Estimates: %1").arg(labelText(s.label)));
    m_basis->setToolTip(labelHelp(s.label));
    const QString zoom = m_schedule->windowText();
    if (zoom.isEmpty() || sender() != m_schedule) {
        const QSignalBlocker quiet(m_schedule);
        const auto value = [](double v) { return std::isfinite(v) ? v : 0.0; };
        m_schedule->setForecast(s.timeline,
                                {value(s.dpExposedSeconds), value(s.optimizerSeconds) + value(s.fixedSeconds)},
                                c.parallel.worldSize() / std::max<std::int64_t>(c.parallel.pp, 1));
    }
    const QString what = tr("%1, %n micro-batch(es), replica 0", nullptr, static_cast<int>(c.numMicroBatches()))
                             .arg(choiceText("parallel.schedule", std::string(wordOf(c.parallel.schedule))));
    m_schedulePane->setSideText(zoom.isEmpty() ? tr("one step, %1").arg(what) : tr("%1, %2").arg(zoom, what));
    emit said(tr("Forecast updated in %1").arg(secondsText(m_controller.lastPlanSeconds())));
}

void PlanPage::showMemory(const Plan& plan) {
    const double hostBytes = plan.memory.empty() ? 0 : hostMemory(plan.config).totalBytes();
    m_hostMemory->setVisible(hostBytes > 0);
    m_hostMemory->setText(tr("Host: %1").arg(bytesText(hostBytes)));
    if (!m_overTime->isChecked() || plan.memory.empty()) {
        m_memory->setMemory(plan.memory, plan.worstStage, plan.memoryCapacityBytes);
        m_memoryPane->setSideText(tr("%1 per rank, by pipeline stage").arg(m_memory->unit()));
        return;
    }
    const StageMemory& worst = plan.memory[plan.worstStage];
    const StateAllocation allocation = allocationOf(plan.cluster);
    std::vector<MemoryRow> rows;
    for (const MemoryMoment& moment : memoryTimeline(worst.bytes, allocation))
        rows.push_back({phaseText(moment.phase), {}, moment.bytes});
    const std::size_t last = rows.size() - 1;
    m_memory->setRows(tr("Moment"), std::move(rows), last, plan.memoryCapacityBytes);
    m_memoryPane->setSideText(
        allocation == StateAllocation::BeforeFirstStep
            ? tr("%1, stage %2; states are made before the first step").arg(m_memory->unit()).arg(worst.stage)
            : tr("%1, stage %2; states are made during the first step").arg(m_memory->unit()).arg(worst.stage));
}

void PlanPage::askForModel() {
    const auto place =
        askText(this, tr("Import a model"),
                tr("hf:ORG/NAME, the model's page, or the URL of its config.json. Only this one document is read."),
                QStringLiteral("hf:"));
    if (place && !place->trimmed().isEmpty() && *place != QStringLiteral("hf:"))
        m_controller.importModel(*place);
    else
        showDocument();
}

void PlanPage::showIssues() {
    m_form->setIssues(m_controller.issues());
    header()->setNotice(m_controller.isStale() ? tr("The last valid forecast is shown until the errors are fixed.")
                                               : QString());
    const Theme& t = theme();
    std::vector<IssueRow> rows;
    int errors = 0, warnings = 0;
    const Advices advices =
        m_controller.isStale() || !m_controller.plan() ? Advices() : allAdvice(*m_controller.plan());
    for (const auto severity : {Severity::Error, Severity::Warning, Severity::Info})
        for (const Issue& issue : m_controller.issues()) {
            if (issue.severity != severity) continue;
            errors += severity == Severity::Error;
            warnings += severity == Severity::Warning;
            const QString text = adviceText(issue, advices);
            IssueRow row{severity == Severity::Error     ? Icon::Error
                         : severity == Severity::Warning ? Icon::Warning
                                                         : Icon::Info,
                         severity == Severity::Error     ? t.bad
                         : severity == Severity::Warning ? t.warn
                                                         : t.idle,
                         {},
                         text,
                         text == issueText(issue) ? qs(issue.message) : text,
                         {}};
            const AdviceGain* gain =
                m_controller.isStale() || !m_controller.plan() ? nullptr : gainOf(m_controller.gains(), issue.code);
            if (gain) row.text += ' ' + gainText(*m_controller.plan(), *gain);
            if (gain && !gain->change.empty()) {
                row.link = tr("Apply");
                row.follow = [this, code = gain->code] { m_controller.applyGain(code); };
            } else if (m_form->editor(issue.field)) {
                row.link = tr("Go to");
                row.follow = [this, path = issue.field] { m_form->focusField(path); };
            }
            rows.push_back(std::move(row));
        }
    for (const QString& fact : m_controller.goodFacts()) rows.push_back({Icon::Good, t.ok, {}, fact, {}, {}});
    m_checks->setRows(rows);
    m_checksPane->setSideText(errors > 0     ? tr("%n error(s)", nullptr, errors)
                              : warnings > 0 ? tr("%n warning(s)", nullptr, warnings)
                                             : tr("all in order"));
    m_launch->setEnabled(errors == 0);
    m_launch->setToolTip(errors > 0 && !rows.empty() ? rows.front().text : QString());
}

void PlanPage::showLayouts() {
    m_filling = true;
    m_layoutsModel->setRows(m_controller.layouts());
    for (std::size_t i = 0; i < m_controller.layouts().size(); ++i)
        if (m_controller.layouts()[i].isCurrent) m_layouts->selectRow(static_cast<int>(i));
    m_layouts->scrollToTop();  // the best stay in sight, whatever is selected
    fitColumns(m_layouts, dispensableLayoutColumns());
    m_layoutsPane->setSideText(
        tr("%n legal layout(s) that fit, fastest first", nullptr, static_cast<int>(m_controller.layouts().size())));
    m_filling = false;
    showIssues();
}

void PlanPage::find() {
    if (tab() == PlanTab::Search) return m_searchView->find();
    m_search->show();
    m_search->setFocus();
    m_search->selectAll();
}

void PlanPage::exportData() {
    if (tab() == PlanTab::Search && !m_controller.search().rows().empty()) return m_searchView->exportTable();
    if (tab() != PlanTab::WhatIf || !m_controller.baseline()) return savePlan();
    const QString file = askSaveFile(this, tr("Save differences"), QStringLiteral("differences.tsv"));
    if (file.isEmpty()) return;
    saveText(this, file, m_whatIf->tableText(), [this, file](const QString& problem) {
        emit said(problem.isEmpty() ? tr("Saved %1").arg(file) : problem);
    });
}

void PlanPage::showTab(PlanTab tab) {
    m_tabs->setCurrentIndex(static_cast<int>(tab));
}

PlanTab PlanPage::tab() const {
    return static_cast<PlanTab>(m_tabs->currentIndex());
}

void PlanPage::search() {
    showTab(PlanTab::Search);
    if (m_controller.search().state() == SearchController::State::Empty || m_controller.search().isStale())
        m_searchView->start();
}

void PlanPage::primaryAction() {
    if (tab() == PlanTab::Search)
        m_searchView->start();
    else
        openLaunchSheet();
}

void PlanPage::refresh() {
    if (tab() == PlanTab::Search) m_searchView->start();
}

void PlanPage::savePlan() {
    const QString file =
        askSaveFile(this, tr("Save config"), qs(m_controller.document().config.name) + QStringLiteral(".json"));
    if (file.isEmpty()) return;
    saveText(this, file, qs(documentJson(m_controller.document())), [this, file](const QString& problem) {
        emit said(problem.isEmpty() ? tr("Saved %1").arg(file) : problem);
    });
}

void PlanPage::openLaunchSheet() {
    if (!m_launch->isEnabled()) return;
    auto* sheet = new LaunchSheet(context(), m_controller.document(), this);
    sheet->setAttribute(Qt::WA_DeleteOnClose);
    sheet->open();
}

}  // namespace slipway::gui
