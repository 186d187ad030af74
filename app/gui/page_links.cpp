// Requests of pages to the window: other pages, jobs, lines in the status bar.
#include "app/gui/main_window.h"
#include "app/gui/pages/compare_page.h"
#include "app/gui/pages/fields_view.h"
#include "app/gui/pages/plan_page.h"
#include "app/gui/pages/runs_controller.h"
#include "app/gui/pages/runs_page.h"
#include "app/gui/pages/sweeps_controller.h"
#include "app/gui/pages/sweeps_page.h"
#include "app/gui/widgets/pane.h"

#include <QPointer>
#include <QStackedWidget>

namespace slipway::gui {

void MainWindow::connectPage(Page* page) {
    connect(page, &Page::said, this, [this, page](const QString& text) {
        if (m_stack->currentWidget() == page) m_said->setFullText(text);
    });
    connect(page, &Page::wantsImport, this, &MainWindow::importRuns);
    connect(page, &Page::wantsPage, this, &MainWindow::openPage);
    connect(page, &Page::wantsRun, this, &MainWindow::openRun);
    connect(page, &Page::wantsSweep, this, [this](const SweepId& id) {
        m_sweeps->open(id);
        openPage(PageId::Sweeps);
    });
    connect(page, &Page::wantsNewSweep, this, [this](const QString& text) {
        static_cast<SweepsPage*>(openPage(PageId::Sweeps))->edit(text.toStdString());
    });
    connect(page, &Page::wantsCompare, this, &MainWindow::openCompare);
    if (auto* compare = qobject_cast<ComparePage*>(page)) {
        connect(compare, &ComparePage::wantsRuns, this,
                [this](const QString& filter) { static_cast<RunsPage*>(openPage(PageId::Runs))->setFilter(filter); });
        // The pages are recreated with the language.
        m_runs->charts = [charts = QPointer(compare->charts())] {
            return charts ? std::optional(charts->charts()) : std::nullopt;
        };
    }
    connect(page, &Page::wantsTiny, this, &MainWindow::trainTiny);
    connect(page, &Page::wantsNewPlan, this, &MainWindow::newPlan);
    connect(page, &Page::wantsCorpus, this, &MainWindow::newCorpus);
    connect(page, &Page::wantsLaunch, this, [this](const QStringList& nodes) {
        openPlan(PlanTab::Forecast);
        static_cast<PlanPage*>(this->page(PageId::Plan))->openLaunchSheet(nodes);
    });
    connect(page, &Page::wantsPlanOf, this, &MainWindow::openPlanOf);
}

}  // namespace slipway::gui
