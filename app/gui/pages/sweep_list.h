// All sweeps as a table: the results of each, and the accuracy of its forecasts.
#pragma once

#include "app/gui/look/icons.h"
#include "app/gui/models/rows_model.h"
#include "app/gui/pages/sweep_data.h"

#include <QWidget>
#include <vector>

class QTableView;

namespace slipway::gui {

class SweepList : public QWidget {
    Q_OBJECT

public:
    explicit SweepList(QWidget* parent = nullptr);
    /// Keeps the current row on its sweep.
    void setRows(std::vector<SweepRow> rows);
    [[nodiscard]] QTableView* table() const { return m_table; }
    /// Empty: none.
    [[nodiscard]] SweepId currentSweep() const;

signals:
    void wanted(const slipway::SweepId& id);

private:
    void openMenu(const QPoint& at);

    RowsModel<SweepRow>* m_model;
    QTableView* m_table;
};

/// The look of a stage: icon and colour.
Icon stageIcon(SweepStage stage);
QColor stageColour(SweepStage stage);
/// "4 min of 20 min" or, without a budget, the time used.
QString budgetText(double usedSeconds, double budgetSeconds);

}  // namespace slipway::gui
