// The What-if tab of the Plan page: a baseline (the saved plan, or a run's config) next to the current plan: every
// figure with its difference, the changed fields, memory of both.
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/live_refresh.h"
#include "app/gui/models/rows_model.h"
#include "app/gui/pages/tab_view.h"
#include "core/planner/explain/plan_difference.h"

class QComboBox;
class QPushButton;
class QTableView;

namespace slipway::gui {

class ElidedLabel;
class MemoryBar;
class Pane;
class PlanController;

class WhatIfView : public TabView {
    Q_OBJECT

public:
    WhatIfView(Context& context, PlanController& plan, QWidget* parent);

    [[nodiscard]] QString tableText() const;

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeTables();
    void listRuns();
    void chooseRun();
    void showDifferences();

    Context& m_context;
    PlanController& m_plan;
    LiveRefresh m_live;  ///< of the list of runs
    bool m_isOld = false;
    QComboBox* m_baseline;
    QPushButton* m_keep;
    QPushButton* m_swap;
    QPushButton* m_drop;
    ElidedLabel* m_summary;
    RowsModel<FigureDifference>* m_figures = nullptr;
    RowsModel<FieldDifference>* m_fields = nullptr;
    QTableView* m_figureTable = nullptr;
    QTableView* m_fieldTable = nullptr;
    Pane* m_figurePane = nullptr;
    Pane* m_fieldPane = nullptr;
    MemoryBar* m_memory = nullptr;
    Pane* m_memoryPane = nullptr;
};

}  // namespace slipway::gui
