// Runs: search among thousands. Filter line, table, preview; people's changes can be undone.
#pragma once

#include "app/gui/pages/page.h"
#include "app/gui/pages/runs_controller.h"

#include <QPointer>

class QStackedWidget;
class QTableView;
class QComboBox;
class QMenu;

namespace slipway::gui {

class FilterChips;
class FilterLine;
class GroupsView;
class RunPreview;
class StartPanel;

class RunsPage : public Page {
    Q_OBJECT

public:
    RunsPage(Context& context, RunsController& controller, QWidget* parent);

    void setFilter(const QString& text);
    [[nodiscard]] bool can(PageAction action) const override;
    void primaryAction() override { emit wantsNewPlan(); }
    void find() override;
    void refresh() override { m_controller.reload(); }
    void exportData() override;
    QUndoStack* undoStack() override { return m_controller.undoStack(); }

    [[nodiscard]] std::vector<RunId> selectedRuns() const;
    /// Opens a folder in the system's file manager; tests replace it.
    std::function<void(const QString&)> openFolder;

protected:
    void showEvent(QShowEvent* event) override;
    /// At the end of the window, after the controller.
    void hideEvent(QHideEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeFilterRow();
    QWidget* makeTable();
    void showAnswer();
    void showFilter();
    void fitNewColumns();
    void showSelection();
    void restoreSelection();
    void openColumns();
    void openMenu(const QPoint& at);
    void addStates(QMenu& menu, const std::vector<RunId>& ids);
    void fillViews(QMenu* menu);
    void fillGroups(QMenu* menu);
    void fillExports(QMenu* menu);
    void exportTable(TableFormat format, bool allColumns);
    void addFilter(const QString& term);
    void editTerm(qsizetype begin, qsizetype size);
    void showBaseline();
    void showViews();
    [[nodiscard]] const RunRecord* recordOf(const RunId& id) const;
    void openCurrent();
    void deleteSelected();
    void editTags();
    void editNotes();
    void renameCurrent();
    void headerClicked(int section);
    void sectionMoved();

    RunsController& m_controller;
    QPointer<RunsController> m_seenBy{&m_controller};  ///< null after its end
    QStackedWidget* m_stack;
    StatePanel* m_state;
    StartPanel* m_start;
    QWidget* m_content;
    FilterLine* m_filter = nullptr;
    FilterChips* m_chips = nullptr;
    QLabel* m_problem = nullptr;
    QLabel* m_count = nullptr;
    QComboBox* m_scope = nullptr;
    QPushButton* m_views = nullptr;
    QPushButton* m_group = nullptr;
    QPushButton* m_columns = nullptr;
    QWidget* m_baselineRow = nullptr;
    ElidedLabel* m_baseline = nullptr;
    GroupsView* m_groups = nullptr;
    QPushButton* m_compare;
    QTableView* m_table = nullptr;
    QStackedWidget* m_tableStack = nullptr;
    StatePanel* m_noMatch = nullptr;
    QLabel* m_summary = nullptr;
    RunPreview* m_preview = nullptr;
    std::vector<RunId> m_selected;
    RunId m_currentId;
    bool m_restoring = false;
    std::vector<std::string> m_fitted;  ///< columns whose widths were fitted to contents
};

}  // namespace slipway::gui
