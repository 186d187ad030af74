#include "app/gui/main_window.h"

#include "app/gui/dialogs.h"
#include "app/gui/format.h"
#include "app/gui/goto_dialog.h"
#include "app/gui/import_job.h"
#include "app/gui/pages/compare_controller.h"
#include "app/gui/pages/compare_page.h"
#include "app/gui/pages/import_dialog.h"
#include "app/gui/pages/plan_controller.h"
#include "app/gui/pages/plan_page.h"
#include "app/gui/pages/run_controller.h"
#include "app/gui/pages/run_page.h"
#include "app/gui/pages/runs_controller.h"
#include "app/gui/pages/runs_page.h"
#include "app/gui/pages/settings_page.h"
#include "app/gui/shortcuts.h"
#include "app/gui/store_access.h"
#include "app/gui/text.h"
#include "app/gui/theme.h"
#include "app/gui/widgets/navigation.h"

#include <QApplication>
#include <QCloseEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenuBar>
#include <QProgressBar>
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
      m_planJob(new LatestJob(this)),
      m_import(new ImportJob(context.engine, this)) {
    setWindowTitle(QStringLiteral("Slipway"));
    setMinimumSize(px(1024), px(640));
    resize(px(1440), px(900));
    restoreGeometry(context.settings.value(QStringLiteral("window/geometry")).toByteArray());
    build();
    connect(&context.engine, &Engine::activeChanged, this, &MainWindow::showActive);
    connect(&context.engine, &Engine::runsChanged, this, &MainWindow::showActive);
    connect(&context.engine, &Engine::launched, this, &MainWindow::openRun);
    connect(&context.engine, &Engine::requestFailed, this,
            [this](const Error& error) { m_said->setFullText(errorText(error)); });
    connect(&context.engine, &Engine::said, this, [this](const QString& text) { m_said->setFullText(text); });
    connect(m_import, &ImportJob::progressed, this, &MainWindow::showImport);
    connect(m_import, &ImportJob::finished, this, [this](const QString& summary) {
        m_job->hide();
        m_said->setFullText(summary);
    });
    qApp->installEventFilter(this);
}

MainWindow::~MainWindow() {
    qApp->removeEventFilter(this);
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
    setCentralWidget(centre);  // deletes the former one and its pages
    m_navigation->addPage(static_cast<int>(PageId::Plan), Icon::Plan, tr("Plan"));
    m_navigation->addPage(static_cast<int>(PageId::Runs), Icon::Runs, tr("Runs"));
    m_navigation->addPage(static_cast<int>(PageId::Run), Icon::Run, tr("Run"));
    m_navigation->addPage(static_cast<int>(PageId::Compare), Icon::Compare, tr("Compare"));
    m_navigation->addPage(static_cast<int>(PageId::Settings), Icon::Settings, tr("Settings"), true);
    connect(m_navigation, &Navigation::chosen, this, [this](int id) { openPage(static_cast<PageId>(id)); });
    connect(m_navigation, &Navigation::runChosen, this, &MainWindow::openRun);
    m_narrow = width() < px(1180);
    m_navigation->setFolded(m_narrow || m_context.settings.value(QStringLiteral("window/folded")).toBool());

    auto* bar = new QStatusBar(this);
    setStatusBar(bar);
    bar->setSizeGripEnabled(false);
    bar->setFixedHeight(px(26));
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
    cancel->setFixedHeight(px(20));
    connect(cancel, &QPushButton::clicked, m_import, &ImportJob::cancel);
    line->addWidget(m_jobText);
    line->addWidget(m_jobBar);
    line->addWidget(cancel);
    m_job->hide();
    return m_job;
}

QAction* MainWindow::action(QMenu* menu, const QString& text, const QKeySequence& key, std::function<void()> run) {
    QAction* made = menu->addAction(text);
    made->setShortcut(key);
    connect(made, &QAction::triggered, this, std::move(run));
    return made;
}

void MainWindow::makeMenus() {
    QMenu* file = menuBar()->addMenu(tr("&File"));
    action(file, tr("New plan"), QKeySequence::New, [this] { openPage(PageId::Plan); });
    action(file, tr("Open config…"), QKeySequence::Open, [this] { openConfig(); });
    action(file, tr("Save config…"), QKeySequence::Save, [this] { page(PageId::Plan)->exportData(); });
    action(file, tr("Import runs…"), QKeySequence(Qt::CTRL | Qt::Key_I), [this] { importRuns(); });
    action(file, tr("Export…"), QKeySequence(Qt::CTRL | Qt::Key_E), [this] { page(m_current)->exportData(); });
    file->addSeparator();
    action(file, tr("Rebuild the run index"), {}, [this] { m_context.engine.rebuildIndex(); });
    file->addSeparator();
    action(file, tr("Quit"), QKeySequence::Quit, [this] { close(); });

    QMenu* edit = menuBar()->addMenu(tr("&Edit"));
    const auto stack = [this] { return page(m_current)->undoStack(); };
    m_undo = action(edit, tr("Undo"), QKeySequence::Undo, [stack] {
        if (stack()) stack()->undo();
    });
    m_redo = action(edit, tr("Redo"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), [stack] {
        if (stack()) stack()->redo();
    });
    edit->addSeparator();
    action(edit, tr("Go to…"), QKeySequence(Qt::CTRL | Qt::Key_K), [this] { openGoto(); });
    action(edit, tr("Find"), QKeySequence::Find, [this] { page(m_current)->find(); });
    connect(edit, &QMenu::aboutToShow, this, [this, stack] {
        m_undo->setEnabled(stack() && stack()->canUndo());
        m_redo->setEnabled(stack() && stack()->canRedo());
        m_undo->setText(stack() && stack()->canUndo() ? tr("Undo: %1").arg(stack()->undoText()) : tr("Undo"));
        m_redo->setText(stack() && stack()->canRedo() ? tr("Redo: %1").arg(stack()->redoText()) : tr("Redo"));
    });
    connect(edit, &QMenu::aboutToHide, this, [this] {
        m_undo->setEnabled(true);  // else the keys would stay off
        m_redo->setEnabled(true);
    });

    QMenu* view = menuBar()->addMenu(tr("&View"));
    const std::vector<std::pair<PageId, QString>> pages{{PageId::Plan, tr("Plan")},
                                                        {PageId::Runs, tr("Runs")},
                                                        {PageId::Run, tr("Run")},
                                                        {PageId::Compare, tr("Compare")},
                                                        {PageId::Settings, tr("Settings")}};
    for (std::size_t i = 0; i < pages.size(); ++i)
        action(view, pages[i].second, QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + static_cast<int>(i))),
               [this, id = pages[i].first] { openPage(id); });
    view->addSeparator();
    action(view, tr("Forecast of the plan"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F),
           [this] { openPlan(PlanTab::Forecast); });
    action(view, tr("Search layouts"), QKeySequence(Qt::CTRL | Qt::Key_L), [this] { openSearch(); });
    action(view, tr("What if…"), QKeySequence(Qt::CTRL | Qt::Key_D), [this] { openPlan(PlanTab::WhatIf); });
    view->addSeparator();
    action(view, tr("Fold the navigation"), QKeySequence(Qt::CTRL | Qt::Key_B), [this] {
        m_navigation->setFolded(!m_navigation->isFolded());
        m_context.settings.setValue(QStringLiteral("window/folded"), m_navigation->isFolded());
    });
    action(view, tr("Refresh"), QKeySequence(Qt::Key_F5), [this] { page(m_current)->refresh(); });
    action(view, tr("Next pane"), QKeySequence(Qt::Key_F6), [this] { focusNextPane(page(m_current)); });

    QMenu* run = menuBar()->addMenu(tr("&Run"));
    action(run, tr("Primary action of the page"), QKeySequence(Qt::CTRL | Qt::Key_Return),
           [this] { page(m_current)->primaryAction(); });
    action(run, tr("Stop after this step"), {}, [this] { m_run->askStop(this); });
    action(run, tr("Terminate…"), {}, [this] { m_run->askKill(this); });
    action(run, tr("Resume"), {}, [this] { m_run->resume(); });

    QMenu* help = menuBar()->addMenu(tr("&Help"));
    action(help, tr("Keys"), QKeySequence(Qt::Key_Question), [this] { showShortcuts(this); });
    action(help, tr("About Slipway"), {}, [this] { showAbout(this); });
}

Page* MainWindow::makePage(PageId id) {
    switch (id) {
        case PageId::Plan: return new PlanPage(m_context, *m_plan, m_stack);
        case PageId::Runs: return new RunsPage(m_context, *m_runs, m_stack);
        case PageId::Run: return new RunPage(m_context, *m_run, m_stack);
        case PageId::Compare: return new ComparePage(m_context, *m_compare, m_stack);
        case PageId::Settings: return new SettingsPage(m_context, m_stack);
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

void MainWindow::connectPage(Page* page) {
    connect(page, &Page::said, this, [this, page](const QString& text) {
        if (m_stack->currentWidget() == page) m_said->setFullText(text);
    });
    connect(page, &Page::wantsImport, this, &MainWindow::importRuns);
    connect(page, &Page::wantsPage, this, &MainWindow::openPage);
    connect(page, &Page::wantsRun, this, &MainWindow::openRun);
    connect(page, &Page::wantsCompare, this, &MainWindow::openCompare);
    connect(page, &Page::wantsTiny, this, [this] {
        m_plan->chooseTiny();
        openPage(PageId::Plan);
    });
    connect(page, &Page::wantsPlanOf, this, &MainWindow::openPlanOf);
}

void MainWindow::openPage(PageId id) {
    m_current = id;
    m_stack->setCurrentWidget(page(id));
    m_navigation->setCurrent(static_cast<int>(id));
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
    openPage(PageId::Plan);
    static_cast<PlanPage*>(page(PageId::Plan))->showTab(tab);
}

void MainWindow::openSearch() {
    openPage(PageId::Plan);
    static_cast<PlanPage*>(page(PageId::Plan))->search();
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

void MainWindow::showImport(int done, int total) {
    m_job->setVisible(m_import->isRunning());
    m_jobText->setText(tr("Importing %1 of %2").arg(countText(done), countText(total)));
    m_jobBar->setRange(0, std::max(total, 1));
    m_jobBar->setValue(done);
}

void MainWindow::openGoto() {
    auto* dialog = new GotoDialog(m_context, menuBar(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &GotoDialog::runChosen, this, &MainWindow::openRun);
    dialog->open();
}

void MainWindow::showActive() {
    const auto& active = m_context.engine.activeRuns();
    m_navigation->setActive(active);
    m_navigation->setCount(static_cast<int>(PageId::Runs), countText(static_cast<double>(m_context.engine.numRuns())));
    int queued = 0;
    for (const ActiveRun& run : active) queued += run.status == RunStatus::Queued;
    const int running = static_cast<int>(active.size()) - queued;
    m_state->setText(active.empty() ? tr("No runs in progress") : tr("%1 running, %2 queued").arg(running).arg(queued));
}

void MainWindow::changeEvent(QEvent* event) {
    // Every text is set where a widget is made, so a new language or theme builds the pages anew over the same controllers.
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
                    tr("Close"))) {
        event->ignore();
        return;
    }
    m_context.settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    event->accept();
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    // Focus rings appear once the keyboard is used, and go when the mouse is.
    if (event->type() == QEvent::KeyPress) setProperty("keyboardFocus", true);
    if (event->type() == QEvent::MouseButtonPress) setProperty("keyboardFocus", false);
    return QMainWindow::eventFilter(watched, event);
}

}  // namespace slipway::gui
