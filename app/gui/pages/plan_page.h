// Plan: can it run, how fast, what for (look.md 14). Wires the form to the controller and its figures to the pictures.
#pragma once

#include "app/gui/models/rows_model.h"
#include "app/gui/pages/page.h"
#include "app/gui/pages/plan_controller.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QTableView;

namespace slipway::gui {

class AnswerStrip;
class IssueList;
class MemoryBar;
class ScheduleView;
class SpecForm;
class TimeSplit;

class PlanPage : public Page {
    Q_OBJECT

public:
    PlanPage(Context& context, PlanController& controller, QWidget* parent);

    void primaryAction() override { openLaunchSheet(); }
    void find() override;
    void exportData() override;
    QUndoStack* undoStack() override { return m_controller.undoStack(); }

private:
    QWidget* makeForm();
    QWidget* makeResults();
    void showDocument();
    void showPlan();
    void showIssues();
    void showLayouts();
    void openLaunchSheet();
    void savePlan();

    PlanController& m_controller;
    QPushButton* m_launch;
    SpecForm* m_form = nullptr;
    QComboBox* m_model = nullptr;
    QComboBox* m_device = nullptr;
    QLabel* m_shape = nullptr;
    QLabel* m_accumulation = nullptr;
    QLineEdit* m_search = nullptr;
    AnswerStrip* m_answers = nullptr;
    MemoryBar* m_memory = nullptr;
    TimeSplit* m_split = nullptr;
    ScheduleView* m_schedule = nullptr;
    IssueList* m_checks = nullptr;
    Pane* m_memoryPane = nullptr;
    Pane* m_splitPane = nullptr;
    Pane* m_schedulePane = nullptr;
    Pane* m_layoutsPane = nullptr;
    Pane* m_checksPane = nullptr;
    RowsModel<LayoutRow>* m_layoutsModel = nullptr;
    QTableView* m_layouts = nullptr;
    bool m_filling = false;
};

}  // namespace slipway::gui
