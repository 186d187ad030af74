// Tools: questions to the planner without a run. A row of tabs, each with a form and its figures; the page's header and
// menus act on the open tab.
#pragma once

#include "app/gui/pages/page.h"

class QStackedWidget;
class QTabBar;

namespace slipway::gui {

class PlanController;
class ToolView;

/// In the order of the tab row.
enum class ToolTab { Laws, Cost, Tpu, Lint, Devices };

class ToolsPage : public Page {
    Q_OBJECT

public:
    ToolsPage(Context& context, PlanController& plan, QWidget* parent);

    [[nodiscard]] bool can(PageAction action) const override;
    void primaryAction() override;
    void exportData() override;
    void find() override;
    void showTab(ToolTab tab);
    /// For tests.
    [[nodiscard]] ToolView* tab(ToolTab tab) const;

signals:
    /// The list of devices has changed: its views are rebuilt.
    void hardwareChanged();

private:
    [[nodiscard]] ToolView* open() const;
    void add(const QString& title, ToolView* view);
    void showHeader();

    PlanController& m_plan;
    QTabBar* m_tabs;
    QStackedWidget* m_views;
    QPushButton* m_export;
    QPushButton* m_primary;
};

}  // namespace slipway::gui
