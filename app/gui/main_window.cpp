#include "app/gui/main_window.h"

#include "app/gui/engine/alert_desk.h"
#include "app/gui/engine/corpus_job.h"
#include "app/gui/engine/import_job.h"
#include "app/gui/engine/machine_peak.h"
#include "app/gui/engine/store_access.h"
#include "app/gui/engine/tiny_run.h"
#include "app/gui/goto_dialog.h"
#include "app/gui/look/theme.h"
#include "app/gui/pages/compare_controller.h"
#include "app/gui/pages/compare_page.h"
#include "app/gui/pages/corpus_dialog.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/fields_view.h"
#include "app/gui/pages/import_dialog.h"
#include "app/gui/pages/nodes_controller.h"
#include "app/gui/pages/nodes_page.h"
#include "app/gui/pages/plan_controller.h"
#include "app/gui/pages/plan_page.h"
#include "app/gui/pages/playbook_controller.h"
#include "app/gui/pages/playbook_page.h"
#include "app/gui/pages/run_controller.h"
#include "app/gui/pages/run_page.h"
#include "app/gui/pages/runs_controller.h"
#include "app/gui/pages/runs_page.h"
#include "app/gui/pages/settings_page.h"
#include "app/gui/pages/sweeps_controller.h"
#include "app/gui/pages/sweeps_page.h"
#include "app/gui/pages/tools_page.h"
#include "app/gui/shortcuts.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/navigation.h"

#include <QApplication>
#include <QCloseEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenuBar>
#include <QProgressBar>
#include <QScreen>
#include <QStackedWidget>
#include <QStatusBar>
#include <utility>

namespace slipway::gui {

MainWindow::MainWindow(Context& context)
    : m_context(context),
      m_plan(std::make_unique<PlanController>(context)),
      m_runs(std::make_unique<RunsController>(context)),
      m_run(std::make_unique<RunController>(context)),
      m_compare(std::make_unique<CompareController>(context)),
      m_sweeps(std::make_unique<SweepsController>(context)),
      m_nodes(std::make_unique<NodesController>(context)),
      m_playbook(std::make_unique<PlaybookController>(context, *m_plan, *m_sweeps)),
      m_planJob(new LatestJob(this)),
      m_import(new ImportJob(context.engine, this)),
      m_corpus(new CorpusJob(context.engine.home(), this)),
      m_tiny(new TinyRun(context.engine, *m_corpus, this)),
      m_alerts(new AlertDesk(context, this)),
      m_actions(context.settings) {
    setWindowTitle(QStringLiteral("Slipway"));
    setMinimumSize(px(1024), px(640));
    resize(QSize(px(1440), px(900)).boundedTo(screen()->availableSize()));
    restoreGeometry(context.settings.value(QStringLiteral("window/geometry")).toByteArray());
    build();
    connect(&context.engine, &Engine::activeChanged, this, &MainWindow::showActive);
    connect(&context.engine, &Engine::runsChanged, this, &MainWindow::showActive);
    connect(&context.engine, &Engine::launched, this, &MainWindow::openRun);
    connect(&context.engine, &Engine::requestFailed, this,
            [this](const Error& error) { m_said->setFullText(errorText(error)); });
    connect(m_alerts, &AlertDesk::said, m_said, &ElidedLabel::setFullText);
    connect(m_alerts, &AlertDesk::opened, this, &MainWindow::openRun);
    connect(m_runs.get(), &RunsController::viewOpened, this, [this](const std::optional<ViewCharts>& charts) {
        if (charts) static_cast<ComparePage*>(page(PageId::Compare))->charts()->setCharts(*charts, m_runs->filter());
    });
    m_sweeps->setBase([this] { return m_plan->document().config; });
    connect(m_sweeps.get(), &SweepsController::listChanged, this, &MainWindow::showActive);
    connect(m_nodes.get(), &NodesController::changed, this, &MainWindow::showActive);
    connect(m_import, &ImportJob::progressed, this, [this](int done, int total) {
        showJob(tr("Importing %1 of %2").arg(countText(done), countText(total)), done, total);
    });
    connect(m_import, &ImportJob::finished, this, &MainWindow::endJob);
    connect(m_corpus, &CorpusJob::progressed, this,
            [this](const QString& what, int percent) { showJob(what, percent, 100); });
    connect(m_tiny, &TinyRun::checking, this, [this] { showJob(tr("Measuring this computer"), 0, 0); });
    connect(m_tiny, &TinyRun::started, this, [this](const PlanDocument& document) {
        m_plan->take(tr("Train the tiny model"), document);
        m_plan->takePeaks();
        endJob(tr("Starting the tiny model"));
    });
    connect(m_tiny, &TinyRun::failed, this,
            [this](const QString& reason) { endJob(reason.isEmpty() ? tr("Cancelled") : reason); });
    qApp->installEventFilter(this);
}

MainWindow::~MainWindow() {
    qApp->removeEventFilter(this);
    delete takeCentralWidget();  // pages tell their controllers when they are hidden
}

void MainWindow::build() {
    m_pages.clear();
    menuBar()->clear();
    auto* centre = new QWidget(this);
    auto* layout = new QHBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_navigation = new Navigation(centre);
    m_stack = new QStackedWidget(centre);
    layout->addWidget(m_navigation);
    layout->addWidget(m_stack, 1);
    setCentralWidget(centre);  // deletes the previous one and its pages
    m_navigation->addPage(static_cast<int>(PageId::Plan), Icon::Plan, tr("Plan"));
    m_navigation->addPage(static_cast<int>(PageId::Runs), Icon::Runs, tr("Runs"));
    m_navigation->addPage(static_cast<int>(PageId::Run), Icon::Run, tr("Run"));
    m_navigation->addPage(static_cast<int>(PageId::Compare), Icon::Compare, tr("Compare"));
    m_navigation->addPage(static_cast<int>(PageId::Sweeps), Icon::Sweeps, tr("Sweeps"));
    m_navigation->addPage(static_cast<int>(PageId::Nodes), Icon::Nodes, tr("Nodes"));
    m_navigation->addPage(static_cast<int>(PageId::Playbook), Icon::Playbook, tr("Playbook"));
    m_navigation->addPage(static_cast<int>(PageId::Tools), Icon::Tools, tr("Tools"));
    m_navigation->addPage(static_cast<int>(PageId::Settings), Icon::Settings, tr("Settings"), true);
    connect(m_navigation, &Navigation::chosen, this, [this](int id) { openPage(static_cast<PageId>(id)); });
    connect(m_navigation, &Navigation::runChosen, this, &MainWindow::openRun);
    m_narrow = width() < px(1180);
    m_navigation->setFolded(m_narrow || m_context.settings.value(QStringLiteral("window/folded")).toBool());

    auto* bar = new QStatusBar(this);
    setStatusBar(bar);
    bar->setSizeGripEnabled(false);
    bar->setFixedHeight(lineHeight(26));
    m_state = quietLabel({}, bar, kSideSize);
    m_said = new ElidedLabel(bar);
    m_said->setFont(m_state->font());
    m_said->setPalette(m_state->palette());
    m_said->setFullText(tr("Ready"));
    m_said->setObjectName(QStringLiteral("said"));
    m_said->setContentsMargins(px(8), 0, 0, 0);
    m_state->setContentsMargins(0, 0, px(8), 0);
    bar->addWidget(m_said, 1);
    bar->addPermanentWidget(makeJob(bar));
    bar->addPermanentWidget(m_state);
    makeMenus();
    showActive();
    openPage(m_current);
}

QWidget* MainWindow::makeJob(QWidget* parent) {
    m_job = new QWidget(parent);
    auto* line = new QHBoxLayout(m_job);
    line->setContentsMargins(0, 0, px(8), 0);
    line->setSpacing(px(8));
    m_jobText = quietLabel({}, m_job, kSideSize);
    m_jobBar = new QProgressBar(m_job);
    m_jobBar->setFixedSize(px(120), px(5));
    m_jobBar->setTextVisible(false);
    m_jobBar->setAccessibleName(tr("Progress"));
    auto* cancel = linkButton(tr("Cancel"), m_job);
    cancel->setObjectName(QStringLiteral("cancelJob"));
    cancel->setFixedHeight(lineHeight(20));
    connect(cancel, &QPushButton::clicked, this, [this] {
        m_import->cancel();
        m_tiny->cancel();
        m_corpus->cancel();
    });
    line->addWidget(m_jobText);
    line->addWidget(m_jobBar);
    line->addWidget(cancel);
    m_job->hide();
    return m_job;
}

void MainWindow::makeMenus() {
    m_actions.clear();
    const auto on = [this](PageAction what, void (Page::*run)()) {
        return std::pair([this, run] { (page(m_current)->*run)(); },
                         [this, what] { return page(m_current)->can(what); });
    };
    QMenu* file = menuBar()->addMenu(tr("&File"));
    m_actions.add(file, tr("New plan"), QKeySequence::New, [this] { newPlan(); });
    m_actions.add(file, tr("Open config…"), QKeySequence::Open, [this] { openConfig(); });
    m_actions.add(file, tr("Save config…"), QKeySequence::Save, [this] { page(PageId::Plan)->exportData(); });
    m_actions.add(
        file, tr("New corpus…"), {}, [this] { newCorpus(); }, [this] { return !m_corpus->isRunning(); });
    m_actions.add(file, tr("Import runs…"), QKeySequence(Qt::CTRL | Qt::Key_I), [this] { importRuns(); });
    const auto [save, canSave] = on(PageAction::Export, &Page::exportData);
    m_actions.add(file, tr("Export…"), QKeySequence(Qt::CTRL | Qt::Key_E), save, canSave);
    file->addSeparator();
    m_actions.add(file, tr("Rebuild the run index"), {}, [this] { m_context.engine.rebuildIndex(); });
    file->addSeparator();
    m_actions.add(file, tr("Quit"), QKeySequence::Quit, [this] { close(); });

    QMenu* edit = menuBar()->addMenu(tr("&Edit"));
    const auto stack = [this] { return page(m_current)->undoStack(); };
    m_undo = m_actions.add(edit, tr("Undo"), QKeySequence::Undo, [this] { page(m_current)->undo(); });
    m_redo = m_actions.add(edit, tr("Redo"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z),
                           [this] { page(m_current)->redo(); });
    edit->addSeparator();
    m_actions.add(edit, tr("Go to…"), QKeySequence(Qt::CTRL | Qt::Key_K), [this] { openGoto(); });
    const auto [find, canFind] = on(PageAction::Find, &Page::find);
    m_actions.add(edit, tr("Find"), QKeySequence::Find, find, canFind);
    connect(edit, &QMenu::aboutToShow, this, [this, stack] {
        m_undo->setEnabled(stack() && stack()->canUndo());
        m_redo->setEnabled(stack() && stack()->canRedo());
        m_undo->setText(stack() && stack()->canUndo() ? tr("Undo: %1").arg(stack()->undoText()) : tr("Undo"));
        m_redo->setText(stack() && stack()->canRedo() ? tr("Redo: %1").arg(stack()->redoText()) : tr("Redo"));
    });

    QMenu* view = menuBar()->addMenu(tr("&View"));
    const std::vector<std::pair<PageId, QString>> pages{
        {PageId::Plan, tr("Plan")},         {PageId::Runs, tr("Runs")},     {PageId::Run, tr("Run")},
        {PageId::Compare, tr("Compare")},   {PageId::Sweeps, tr("Sweeps")}, {PageId::Nodes, tr("Nodes")},
        {PageId::Playbook, tr("Playbook")}, {PageId::Tools, tr("Tools")},   {PageId::Settings, tr("Settings")}};
    for (std::size_t i = 0; i < pages.size(); ++i)
        m_actions.add(view, pages[i].second,
                      QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + static_cast<int>(i))),
                      [this, id = pages[i].first] { openPage(id); });
    view->addSeparator();
    m_actions.add(view, tr("Forecast of the plan"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F),
                  [this] { openPlan(PlanTab::Forecast); });
    m_actions.add(view, tr("Search layouts"), QKeySequence(Qt::CTRL | Qt::Key_L), [this] { openSearch(); });
    m_actions.add(view, tr("What if…"), QKeySequence(Qt::CTRL | Qt::Key_D), [this] { openPlan(PlanTab::WhatIf); });
    view->addSeparator();
    m_actions.add(view, tr("Fold the navigation"), QKeySequence(Qt::CTRL | Qt::Key_B), [this] {
        m_navigation->setFolded(!m_navigation->isFolded());
        m_context.settings.setValue(QStringLiteral("window/folded"), m_navigation->isFolded());
    });
    const auto [refresh, canRefresh] = on(PageAction::Refresh, &Page::refresh);
    m_actions.add(view, tr("Refresh"), QKeySequence(Qt::Key_F5), refresh, canRefresh);
    m_actions.add(view, tr("Next pane"), QKeySequence(Qt::Key_F6), [this] { focusNextPane(page(m_current)); });

    QMenu* run = menuBar()->addMenu(tr("&Run"));
    const auto [primary, canPrimary] = on(PageAction::Primary, &Page::primaryAction);
    m_actions.add(run, tr("Primary action of the page"), QKeySequence(Qt::CTRL | Qt::Key_Return), primary, canPrimary);
    const auto active = [this] { return m_run->isActive(); };
    m_actions.add(
        run, tr("Stop after this step"), {}, [this] { m_run->askStop(this); }, active);
    m_actions.add(
        run, tr("Terminate…"), {}, [this] { m_run->askKill(this); }, active);
    m_actions.add(
        run, tr("Resume"), {}, [this] { m_run->resume(); }, [this] { return m_run->canResume(); });

    QMenu* help = menuBar()->addMenu(tr("&Help"));
    m_actions.add(help, tr("Keys"), QKeySequence(Qt::Key_Question), [this] { showShortcuts(this); });
    m_actions.add(help, tr("About Slipway"), {}, [this] { showAbout(this); });
}

Page* MainWindow::makePage(PageId id) {
    switch (id) {
        case PageId::Plan: return new PlanPage(m_context, *m_plan, m_stack);
        case PageId::Runs: return new RunsPage(m_context, *m_runs, m_stack);
        case PageId::Run: return new RunPage(m_context, *m_run, m_stack);
        case PageId::Compare: return new ComparePage(m_context, *m_compare, m_stack);
        case PageId::Sweeps: return new SweepsPage(m_context, *m_sweeps, m_stack);
        case PageId::Nodes: {
            auto* nodes = new NodesPage(m_context, *m_nodes, m_stack);
            nodes->setPlan([this] { return m_plan->document().config; });
            return nodes;
        }
        case PageId::Playbook: return new PlaybookPage(m_context, *m_playbook, m_stack);
        case PageId::Tools: {
            auto* tools = new ToolsPage(m_context, *m_plan, m_stack);
            // The Plan page lists devices: it is recreated at its next visit.
            connect(tools, &ToolsPage::hardwareChanged, this, [this] {
                if (QWidget* plan = std::exchange(m_pages[PageId::Plan], nullptr)) plan->deleteLater();
            });
            return tools;
        }
        case PageId::Settings: {
            auto* settings = new SettingsPage(m_context, *m_alerts, m_actions, m_stack);
            connect(settings, &SettingsPage::wantsDevices, this, [this] { openTool(ToolTab::Devices); });
            return settings;
        }
    }
    return nullptr;
}

Page* MainWindow::page(PageId id) {
    Page*& kept = m_pages[id];
    if (!kept) {
        kept = makePage(id);
        m_stack->addWidget(kept);
        connectPage(kept);
    }
    return kept;
}

Page* MainWindow::openPage(PageId id) {
    m_current = id;
    m_stack->setCurrentWidget(page(id));
    m_navigation->setCurrent(static_cast<int>(id));
    return page(id);
}

void MainWindow::openRun(const RunId& id) {
    m_run->open(id);
    openPage(PageId::Run);
}

void MainWindow::openCompare(const std::vector<RunId>& ids) {
    m_compare->setRuns(ids);
    openPage(PageId::Compare);
}

void MainWindow::openPlan(PlanTab tab) {
    static_cast<PlanPage*>(openPage(PageId::Plan))->showTab(tab);
}

void MainWindow::openCompareTab(CompareTab tab) {
    static_cast<ComparePage*>(openPage(PageId::Compare))->showTab(tab);
}

void MainWindow::openTool(ToolTab tab) {
    static_cast<ToolsPage*>(openPage(PageId::Tools))->showTab(tab);
}

void MainWindow::openSearch() {
    static_cast<PlanPage*>(openPage(PageId::Plan))->search();
}

void MainWindow::openPlanOf(const RunId& id) {
    m_planJob->start([home = m_context.engine.home(),
                      id](std::stop_token) { return readStore(home, [id](RunStore& store) { return store.run(id); }); },
                     [this](const Result<RunRecord>& record) {
                         if (!record) {
                             m_said->setFullText(errorText(record.error()));
                             return;
                         }
                         if (const auto document = documentOf(*record)) m_plan->load(*document);
                         openPage(PageId::Plan);
                     });
}

void MainWindow::openConfig() {
    const QString file = askOpenFile(this, tr("Open config"), tr("Configs (*.json)"));
    if (file.isEmpty()) return;
    loadText(this, file, [this, file](const QString& text, const QString& problem) {
        const auto document = problem.isEmpty()
                                  ? documentFromJson(text.toStdString(), file.toStdString(), m_plan->document())
                                  : Result<PlanDocument>(fail("file_unreadable", problem.toStdString()));
        if (!document) {
            m_said->setFullText(problem.isEmpty() ? errorText(document.error()) : problem);
            return;
        }
        m_plan->load(*document);
        openPage(PageId::Plan);
    });
}

void MainWindow::importRuns() {
    const QStringList files = askOpenFiles(this, tr("Import runs"));
    if (files.isEmpty()) return;
    auto* dialog = new ImportDialog(files, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &ImportDialog::importWanted, m_import, &ImportJob::start);
    dialog->open();
}

void MainWindow::newPlan() {
    m_plan->makeNew();
    openPlan(PlanTab::Forecast);
}

void MainWindow::newCorpus() {
    auto* dialog = new CorpusDialog(m_context.engine.home(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &CorpusDialog::corpusWanted, this, [this](const CorpusSpec& spec, bool use) {
        m_corpus->start(spec, [this, use](const Result<CorpusResult>& made) {
            if (!made) return endJob(made.error().code == "cancelled" ? tr("Cancelled") : errorText(made.error()));
            const QString file = qs(made->tokenFile.filename().string());
            const auto vocabulary = static_cast<std::int64_t>(made->header.vocabSize);
            if (use) {
                m_plan->edit(QStringLiteral("data.tokens"), file);
                if (m_plan->document().config.model.vocabSize < vocabulary)
                    m_plan->edit(QStringLiteral("model.vocab_size"), QString::number(vocabulary));
            }
            endJob(tr("%1: %2 tokens, vocabulary %3")
                       .arg(file, countText(static_cast<double>(made->header.numTokens)),
                            countText(static_cast<double>(vocabulary))));
        });
    });
    dialog->open();
}

void MainWindow::measureMachine() {
    const Programs& programs = m_context.engine.programs();
    if (programs.trainer.empty()) return;
    runOnce(
        this,
        [home = m_context.engine.home(), programs](std::stop_token) -> Result<bool> {
            if (machineProfile(home)) return false;
            const auto profile = measuredPeak(home, programs);
            if (!profile) return slipway::fail(profile.error());
            return true;
        },
        [this](const Result<bool>& measured) {
            if (!measured) return m_said->setFullText(errorText(measured.error()));
            if (!*measured) return;
            m_said->setFullText(tr("The peak of this computer has been measured."));
            m_plan->takePeaks();
        });
}

void MainWindow::trainTiny() {
    m_tiny->start();
}

void MainWindow::showJob(const QString& what, int done, int total) {
    m_job->show();
    m_jobText->setText(what);
    m_jobBar->setRange(0, total);  // an empty range: busy
    m_jobBar->setValue(done);
}

void MainWindow::endJob(const QString& summary) {
    m_job->hide();
    m_said->setFullText(summary);
}

void MainWindow::openGoto() {
    m_actions.evaluate();
    auto* dialog = new GotoDialog(m_context, menuBar(), this);
    m_actions.release();
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &GotoDialog::runChosen, this, &MainWindow::openRun);
    dialog->open();
}

void MainWindow::showActive() {
    const auto& active = m_context.engine.activeRuns();
    m_navigation->setActive(active);
    m_navigation->setCount(static_cast<int>(PageId::Runs), countText(static_cast<double>(m_context.engine.numRuns())));
    const auto numSweeps = static_cast<double>(m_sweeps->rows().size());
    m_navigation->setCount(static_cast<int>(PageId::Sweeps), numSweeps > 0 ? countText(numSweeps) : QString());
    const auto numNodes = static_cast<double>(m_nodes->rows().size());
    m_navigation->setCount(static_cast<int>(PageId::Nodes), numNodes > 1 ? countText(numNodes) : QString());
    int queued = 0;
    for (const ActiveRun& run : active) queued += run.status == RunStatus::Queued;
    const int running = static_cast<int>(active.size()) - queued;
    m_state->setText(active.empty() ? tr("No runs in progress") : tr("%1 running, %2 queued").arg(running).arg(queued));
}

void MainWindow::changeEvent(QEvent* event) {
    // Texts are set when a widget is created, so a new language or theme recreates the pages over the same controllers.
    if ((event->type() == QEvent::LanguageChange || event->type() == QEvent::StyleChange) && !m_rebuilding && m_stack) {
        m_rebuilding = true;
        QMetaObject::invokeMethod(
            this,
            [this] {
                build();
                m_rebuilding = false;
            },
            Qt::QueuedConnection);
    }
    QMainWindow::changeEvent(event);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    const bool narrow = event->size().width() < px(1180);
    if (narrow != std::exchange(m_narrow, narrow))
        m_navigation->setFolded(narrow || m_context.settings.value(QStringLiteral("window/folded")).toBool());
}

void MainWindow::closeEvent(QCloseEvent* event) {
    const int active = static_cast<int>(m_context.engine.activeRuns().size());
    if (active > 0 &&
        !askConfirm(this, tr("Close the window"),
                    tr("%n run(s) continue without the window and are followed again when it opens.", nullptr, active),
                    tr("Close")))
        return event->ignore();
    m_context.settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    event->accept();
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    // Focus rings appear once the keyboard is used, and disappear with the mouse.
    if (event->type() == QEvent::KeyPress) setProperty("keyboardFocus", true);
    if (event->type() == QEvent::MouseButtonPress) setProperty("keyboardFocus", false);
    return QMainWindow::eventFilter(watched, event);
}

}  // namespace slipway::gui
