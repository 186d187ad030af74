// Only arranges pages: menus, navigation, the stack of pages, the status bar.
#pragma once

#include "app/gui/engine/jobs.h"
#include "app/gui/engine/menu_actions.h"
#include "app/gui/pages/page.h"

#include <QMainWindow>
#include <map>
#include <memory>

class QActionGroup;
class QLabel;
class QProgressBar;
class QStackedWidget;

namespace slipway::gui {

enum class CompareTab;
enum class ToolTab;
class AlertDesk;
class CorpusJob;
class ElidedLabel;
class ImportJob;
class Navigation;
class PlanController;
class RunsController;
class RunController;
class CompareController;
class SweepsController;
class NodesController;
class PlaybookController;
class TinyRun;

class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(Context& context);
    ~MainWindow() override;

    Page* openPage(PageId id);
    void openRun(const RunId& id);
    void openCompare(const std::vector<RunId>& ids);
    /// Opens the Plan page's Search tab and starts a search.
    void openSearch();
    void openPlan(PlanTab tab);
    void openCompareTab(CompareTab tab);
    void openTool(ToolTab tab);
    /// Measures the peak of this computer in the background, unless known; open plans for it adopt it.
    void measureMachine();
    [[nodiscard]] Page* page(PageId id);
    /// For tests.
    [[nodiscard]] PageId currentPage() const { return m_current; }

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void build();
    void makeMenus();
    Page* makePage(PageId id);
    void connectPage(Page* page);
    void showActive();
    void openPlanOf(const RunId& id);
    void openConfig();
    void openGoto();
    void newPlan();
    void newCorpus();
    void trainTiny();
    void importRuns();
    /// The line of the status bar for long work, with its Cancel.
    void showJob(const QString& what, int done, int total);
    void endJob(const QString& summary);
    QWidget* makeJob(QWidget* parent);

    Context& m_context;
    std::unique_ptr<PlanController> m_plan;
    std::unique_ptr<RunsController> m_runs;
    std::unique_ptr<RunController> m_run;
    std::unique_ptr<CompareController> m_compare;
    std::unique_ptr<SweepsController> m_sweeps;
    std::unique_ptr<NodesController> m_nodes;
    std::unique_ptr<PlaybookController> m_playbook;
    Navigation* m_navigation = nullptr;
    QStackedWidget* m_stack = nullptr;
    QWidget* m_job = nullptr;
    QLabel* m_jobText = nullptr;
    QProgressBar* m_jobBar = nullptr;
    ElidedLabel* m_said = nullptr;
    QLabel* m_state = nullptr;
    QAction* m_undo = nullptr;
    QAction* m_redo = nullptr;
    std::map<PageId, Page*> m_pages;
    PageId m_current = PageId::Plan;
    bool m_rebuilding = false;
    bool m_narrow = false;
    LatestJob* m_planJob = nullptr;
    ImportJob* m_import = nullptr;
    CorpusJob* m_corpus = nullptr;
    TinyRun* m_tiny = nullptr;
    AlertDesk* m_alerts = nullptr;
    MenuActions m_actions;
};

}  // namespace slipway::gui
