// Nodes: all nodes with their state, one of them in detail, and the places where the open plan fits.
#pragma once

#include "app/gui/models/rows_model.h"
#include "app/gui/pages/nodes_controller.h"
#include "app/gui/pages/page.h"
#include "core/spec/run_config.h"

class QStackedWidget;
class QTableView;

namespace slipway::gui {

class IssueList;
class NodeView;

class NodesPage : public Page {
    Q_OBJECT

public:
    NodesPage(Context& context, NodesController& controller, QWidget* parent);

    [[nodiscard]] bool can(PageAction action) const override;
    void primaryAction() override { openAddDialog(); }
    void refresh() override { m_controller.checkAll(); }
    QUndoStack* undoStack() override { return m_controller.undoStack(); }
    /// Sets the source of the plan for "Where can the open plan run?".
    void setPlan(std::function<RunConfig()> plan) { m_plan = std::move(plan); }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void showAll();
    void showDetail();
    void showPlaces();
    void openAddDialog();
    void openMenu(const QPoint& at);
    [[nodiscard]] const NodeRow* current() const;

    NodesController& m_controller;
    std::function<RunConfig()> m_plan;
    RowsModel<NodeRow>* m_model;
    QTableView* m_table;
    Pane* m_tablePane;
    IssueList* m_places;
    Pane* m_placesPane;
    NodeView* m_view;
    QPushButton* m_checkAll;
    QPushButton* m_add;
    QTimer m_clock{this};
    std::string m_current;  ///< name; empty: this computer
    std::vector<RowColumn<NodeRow>> m_columns;
    QStringList m_texts;  ///< of the table, with its current row
    bool m_isShowing = false;
};

}  // namespace slipway::gui
