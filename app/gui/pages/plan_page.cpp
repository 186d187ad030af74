#include "app/gui/pages/plan_page.h"

#include "app/gui/pages/curves_dialog.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/export_dialog.h"
#include "app/gui/pages/forecast_view.h"
#include "app/gui/pages/launch_sheet.h"
#include "app/gui/pages/plan_form.h"
#include "app/gui/pages/search_controller.h"
#include "app/gui/pages/search_view.h"
#include "app/gui/pages/what_if_view.h"
#include "app/gui/text/format.h"
#include "app/gui/text/label_text.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/field_chooser.h"
#include "app/gui/widgets/spec_form.h"
#include "core/planner/stack/forecast_basis.h"
#include "core/planner/stack/known_software.h"
#include "core/planner/stack/shipped_stacks.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

namespace slipway::gui {
namespace {

constexpr int kTiny = -2;  // item data of presets other than indexes
constexpr int kHub = -3;
constexpr int kMeasured = 1 << 20;  // and above: measured nodes

}  // namespace

PlanPage::PlanPage(Context& context, PlanController& controller, QWidget* parent)
    : Page(context, parent), m_controller(controller) {
    auto* save = header()->addButton(tr("Save…"));
    connect(save, &QPushButton::clicked, this, &PlanPage::savePlan);
    auto* exportButton = header()->addButton(tr("Export"));
    auto* menu = new QMenu(exportButton);
    menu->addAction(tr("Copy config as JSON"), this,
                    [this] { QApplication::clipboard()->setText(exactText(documentJson(m_controller.document()))); });
    menu->addAction(tr("Copy command line"), this, [this] {
        QApplication::clipboard()->setText(
            QStringLiteral("slipway launch ") +
            shellWord(fileName(m_controller.document().config.name) + QStringLiteral(".json")));
    });
    menu->addAction(tr("Save config…"), this, &PlanPage::savePlan);
    menu->addAction(tr("To another framework…"), this, &PlanPage::openExport);
    exportButton->setMenu(menu);
    m_launch = header()->addButton(tr("Launch…"), true);
    m_launch->setObjectName(QStringLiteral("launch"));
    connect(m_launch, &QPushButton::clicked, this, [this] { openLaunchSheet(); });

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
    m_model->addItem(tr("Custom shape"), -1);
    m_model->addItem(tr("Tiny, trains here in minutes"), kTiny);
    m_model->addItem(tr("From Hugging Face or a URL…"), kHub);
    for (std::size_t i = 0; i < modelPresets().size(); ++i)
        m_model->addItem(qs(modelPresets()[i].title), static_cast<int>(i));
    makeSearchable(m_model);
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
    fillDevices();
    makeSearchable(m_device);
    connect(&m_controller, &PlanController::measuredChanged, this, [this] {
        fillDevices();
        showDevice();
    });
    connect(m_device, &QComboBox::activated, this, [this] {
        const int index = m_device->currentData().toInt();
        if (index == kTiny)
            m_controller.chooseThisMachine();
        else if (index >= kMeasured)
            m_controller.chooseCluster(m_controller.measured()[static_cast<std::size_t>(index - kMeasured)].cluster);
        else if (index >= 0)
            m_controller.chooseCluster(devicePresets()[static_cast<std::size_t>(index)]);
    });
    m_form->addRow(QStringLiteral("hardware"), tr("Device"), m_device, true);
    m_software = new QComboBox(column);
    m_software->setObjectName(QStringLiteral("software"));
    m_software->addItem({}, QString());  // the default, named in showDocument()
    for (const std::string& name : shippedStackNames()) m_software->addItem(messageText(softwareTitle(name)), qs(name));
    connect(m_software, &QComboBox::activated, this,
            [this] { m_controller.chooseSoftware(m_software->currentData().toString().toStdString()); });
    m_form->addRow(QStringLiteral("hardware"), tr("Software"), m_software, true);
    m_curves = linkButton({}, column);
    m_curves->setObjectName(QStringLiteral("curves"));
    connect(m_curves, &QPushButton::clicked, this, [this] { (new CurvesDialog(m_controller, this))->open(); });
    auto* link = new QWidget(column);  // a full-width button would have its text in the middle
    auto* atLeft = new QHBoxLayout(link);
    atLeft->setContentsMargins(0, 0, 0, 0);
    atLeft->addWidget(m_curves);
    atLeft->addStretch();
    m_form->addRow(QStringLiteral("hardware"), tr("Collectives"), link, false);
    m_accumulation = quietLabel({}, column);
    m_form->addRow(QStringLiteral("batch"), tr("Accumulation"), m_accumulation, false);
    auto* browse = new QPushButton(tr("Browse…"), column);
    browse->setObjectName(QStringLiteral("browseTokens"));
    browse->setToolTip(tr("A token file of this computer; File > New corpus… makes one."));
    connect(browse, &QPushButton::clicked, this, &PlanPage::browseTokens);
    m_form->addFieldControl("data.tokens", browse);
    m_form->orderTabs();
    for (QComboBox* box : {m_model, m_device, m_software})
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);

    connect(m_form, &SpecForm::typed, this, [this](const QString& path, const QString& text) {
        m_form->setFieldIssues(path.toStdString(), m_controller.check(path, text));
    });
    connect(m_form, &SpecForm::edited, &m_controller, &PlanController::edit);
    m_search->installEventFilter(m_form);
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
    m_forecast = new ForecastView(
        m_controller, [this](const std::string& path) { return m_form->editor(path) != nullptr; }, m_results);
    rememberSizes(m_forecast->top(), QStringLiteral("plan/top"));
    rememberSizes(m_forecast->bottom(), QStringLiteral("plan/bottom"));
    connect(m_forecast, &ForecastView::searchWanted, this, &PlanPage::search);
    connect(m_forecast, &ForecastView::fieldWanted, this,
            [this](const QString& path) { m_form->focusField(path.toStdString()); });
    add(tr("Forecast"), m_forecast);
    add(tr("Search"), m_searchView);
    m_whatIf = new WhatIfView(context(), m_controller, m_results);
    add(tr("What if"), m_whatIf);
    connect(m_tabs, &QTabBar::currentChanged, m_results, &QStackedWidget::setCurrentIndex);
    connect(m_searchView, &SearchView::said, this, &PlanPage::said);
    connect(m_searchView, &SearchView::sweepWanted, this, &Page::wantsNewSweep);
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

void PlanPage::fillDevices() {
    m_device->clear();
    m_device->addItem(tr("Custom hardware"), -1);
    m_device->addItem(tr("This computer"), kTiny);
    for (std::size_t i = 0; i < devicePresets().size(); ++i)
        m_device->addItem(qs(devicePresets()[i].device.name), static_cast<int>(i));
    for (std::size_t i = 0; i < m_controller.measured().size(); ++i) {
        const MeasuredNodes& measured = m_controller.measured()[i];
        QStringList names;
        for (const std::string& name : measured.names()) names.append(qs(name));
        m_device->addItem(tr("Nodes %1, measured here %2")
                              .arg(names.join(QStringLiteral(", ")), qs(measured.cluster.device.sourceDate)),
                          kMeasured + static_cast<int>(i));
    }
}

void PlanPage::showDevice() {
    const ClusterSpec& cluster = m_controller.document().cluster;
    int shown = cluster.device.name == m_controller.thisMachine().device.name ? kTiny : -1;
    for (std::size_t i = 0; i < devicePresets().size(); ++i)
        if (devicePresets()[i].device.name == cluster.device.name) shown = static_cast<int>(i);
    for (std::size_t i = 0; i < m_controller.measured().size(); ++i)
        if (m_controller.measured()[i].cluster.device.source == cluster.device.source && !cluster.device.source.empty())
            shown = kMeasured + static_cast<int>(i);
    m_device->setCurrentIndex(m_device->findData(shown));
}

void PlanPage::showDocument() {
    const PlanDocument& d = m_controller.document();
    m_form->setFields(documentFields(d));
    m_form->setReference(m_controller.reference());
    int model = 0;
    for (std::size_t i = 0; i < modelPresets().size(); ++i)
        if (modelPresets()[i].id == d.modelPreset) model = static_cast<int>(i) + 3;
    m_model->setCurrentIndex(model);
    showDevice();
    showSoftware();
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
    m_forecast->showColumns(gpu);
}

void PlanPage::showSoftware() {
    PlanDocument plain = m_controller.document();
    const bool hasChoice = plain.cluster.device.kind != DeviceKind::Cpu;
    m_software->setCurrentIndex(plain.config.software.empty() ? 0 : m_software->findData(qs(plain.config.software)));
    plain.config.software.clear();
    const std::string usual = softwareOf(forecastCluster(plain));
    m_software->setItemText(
        0, hasChoice ? tr("Default: %1").arg(messageText(softwareTitle(usual))) : tr("Bundled trainer"));
    m_software->setEnabled(hasChoice);
    m_software->setToolTip(
        hasChoice ? tr("The software that the forecast is of. Textbook is the limit that the hardware sets.")
                  : tr("On CPUs the forecast is of the bundled trainer."));
}

void PlanPage::showPlan() {
    const auto plan = m_controller.shownPlan();
    if (!plan) return;
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
    m_basis->setText(tr("Forecast basis: %1").arg(labelText(plan->step.label, softwareOf(plan->cluster))));
    m_basis->setToolTip(labelHelp(plan->step.label));
    m_forecast->showPlan();
    emit said(tr("Forecast updated in %1").arg(secondsText(m_controller.lastPlanSeconds())));
}

void PlanPage::askForModel() {
    const auto place =
        askText(this, tr("Import a model"),
                tr("hf:ORG/NAME, the model's page, or the URL of its config.json. Only this document is read."),
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
    const QString problem = m_forecast->showChecks();
    m_launch->setEnabled(!m_controller.hasErrors());
    m_launch->setToolTip(problem);
}

void PlanPage::showLayouts() {
    m_forecast->showLayouts();
    showIssues();
}

void PlanPage::undo() {
    m_form->takeTyped();
    if (!m_controller.dropRefused()) Page::undo();
}

void PlanPage::redo() {
    m_form->takeTyped();
    Page::redo();
}

void PlanPage::find() {
    if (tab() == PlanTab::Search) return m_searchView->find();
    m_search->show();
    m_search->setFocus();
    m_search->selectAll();
}

void PlanPage::exportData() {
    m_form->takeTyped();
    if (tab() == PlanTab::Search && !m_controller.search().rows().empty()) return m_searchView->exportTable();
    if (tab() != PlanTab::WhatIf || !m_controller.baseline()) return savePlan();
    const QString file = askSaveFile(this, tr("Save differences"), QStringLiteral("differences.tsv"));
    if (file.isEmpty()) return;
    saveText(this, file, m_whatIf->tableText(), [this, file](const QString& problem) {
        emit said(problem.isEmpty() ? tr("Saved %1").arg(shown(file)) : problem);
    });
}

void PlanPage::showTab(PlanTab tab) {
    m_tabs->setCurrentIndex(static_cast<int>(tab));
}

PlanTab PlanPage::tab() const {
    return static_cast<PlanTab>(m_tabs->currentIndex());
}

void PlanPage::search() {
    m_form->takeTyped();
    showTab(PlanTab::Search);
    if (m_controller.search().state() == SearchController::State::Empty || m_controller.search().isStale())
        m_searchView->start();
}

bool PlanPage::can(PageAction action) const {
    if (action == PageAction::Primary) return tab() == PlanTab::Search || m_launch->isEnabled();
    return action != PageAction::Refresh || tab() == PlanTab::Search;
}

void PlanPage::primaryAction() {
    m_form->takeTyped();
    if (tab() == PlanTab::Search)
        m_searchView->start();
    else
        openLaunchSheet();
}

void PlanPage::refresh() {
    m_controller.lookUpMeasured();
    if (tab() == PlanTab::Search) m_searchView->start();
}

// A file of the corpora folder is referenced by name, so that the config also trains in another home.
void PlanPage::browseTokens() {
    const std::filesystem::path folder = this->context().engine.home().corpora();
    const QString file = askOpenFile(this, tr("Token files"), tr("Token files (*.tok)"), qs(folder.string()));
    if (file.isEmpty()) return;
    const std::filesystem::path path = file.toStdString();
    m_controller.edit(QStringLiteral("data.tokens"),
                      path.parent_path() == folder ? qs(path.filename().string()) : file);
}

void PlanPage::savePlan() {
    const QString file =
        askSaveFile(this, tr("Save config"), fileName(m_controller.document().config.name) + QStringLiteral(".json"));
    if (file.isEmpty()) return;
    saveText(this, file, exactText(documentJson(m_controller.document())), [this, file](const QString& problem) {
        emit said(problem.isEmpty() ? tr("Saved %1").arg(shown(file)) : problem);
    });
}

void PlanPage::openExport() {
    m_form->takeTyped();
    const PlanDocument& document = m_controller.document();
    auto* dialog = new ExportDialog(document.config, {document.cluster.devicesPerNode}, this);
    connect(dialog, &ExportDialog::said, this, &PlanPage::said);
    dialog->open();
}

void PlanPage::openLaunchSheet(const QStringList& nodes) {
    if (!m_launch->isEnabled()) return;
    auto* sheet = new LaunchSheet(context(), m_controller.document(), nodes, this);
    sheet->setAttribute(Qt::WA_DeleteOnClose);
    connect(sheet, &LaunchSheet::corpusWanted, this, &Page::wantsCorpus);
    sheet->open();
}

}  // namespace slipway::gui
