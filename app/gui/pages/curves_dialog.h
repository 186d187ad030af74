// The measured collectives of the plan's cluster: a table, from a file or a published one, applied immediately; Ctrl+Z undoes it.
#pragma once

#include "app/gui/models/rows_model.h"
#include "core/planner/time/curve_sources.h"

#include <QDialog>

class QComboBox;
class QLabel;
class QPushButton;
class QTableView;

namespace slipway::gui {

class PlanController;

/// "12 curves: all_reduce, send", or a text for none.
QString curvesText(const std::vector<CommCurve>& curves);
/// Their sources.
QString curvesHelp(const std::vector<CommCurve>& curves);

class CurvesDialog : public QDialog {
    Q_OBJECT

public:
    CurvesDialog(PlanController& plan, QWidget* parent);

private:
    void showCurves();
    void load();
    void take(const std::string& text, const QString& name, BandwidthKind kind);
    void apply(const QString& what, std::vector<CommCurve> curves);

    PlanController& m_plan;
    RowsModel<CommCurve>* m_rows;
    QTableView* m_table;
    QComboBox* m_kind;
    QPushButton* m_remove;
    QLabel* m_state;  ///< curves in use, assumptions, or the reading error
    QString m_notes;
};

}  // namespace slipway::gui
