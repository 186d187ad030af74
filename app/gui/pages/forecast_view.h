// The Forecast tab of the Plan page: decisive figures, memory, step time, schedule, better layouts and checks of the shown plan.
#pragma once

#include "app/gui/models/rows_model.h"
#include "app/gui/pages/plan_controller.h"

#include <QScrollArea>
#include <functional>
#include <string>

class QPushButton;
class QSplitter;
class QTableView;

namespace slipway::gui {

class AnswerStrip;
class IssueList;
class MemoryBar;
class Pane;
class ScheduleView;
class TimeSplit;
struct IssueRow;

class ForecastView : public QScrollArea {
    Q_OBJECT

public:
    /// @param isField whether the form has an editor for a path, as the target of a check
    ForecastView(PlanController& controller, std::function<bool(const std::string&)> isField, QWidget* parent);

    void showPlan();
    void showLayouts();
    /// Returns the first error; empty when the plan can be launched.
    QString showChecks();
    /// Titles of the layouts' columns for GPUs or CPUs.
    void showColumns(bool gpu);
    [[nodiscard]] QSplitter* top() const { return m_top; }
    [[nodiscard]] QSplitter* bottom() const { return m_bottom; }

signals:
    void searchWanted();
    void fieldWanted(const QString& path);

private:
    void showMemory(const Plan& plan);
    bool addFasterLayout(std::vector<IssueRow>& rows);

    PlanController& m_controller;
    std::function<bool(const std::string&)> m_isField;
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
    QSplitter* m_top = nullptr;
    QSplitter* m_bottom = nullptr;
    QPushButton *m_overTime = nullptr, *m_hostMemory = nullptr;
    bool m_filling = false;
};

}  // namespace slipway::gui
