// A filter term from lists: a field, a comparison, and the runs' values, with their counts.
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"
#include "core/store/run_filter.h"

#include <QDialog>

class QComboBox;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace slipway::gui {

/// "tp:2,4", with quotation marks where a value needs them.
QString filterTerm(const QString& field, FilterOp op, const QStringList& values);

class FilterDialog : public QDialog {
    Q_OBJECT

public:
    /// @param term the term to change (a Term with a field), or null
    FilterDialog(Context& context, const FilterNode* term, QWidget* parent);

signals:
    void chosen(const QString& term);

private:
    void loadValues();
    void evaluate();
    [[nodiscard]] QString field() const;
    [[nodiscard]] QString term() const;

    Context& m_context;
    LatestJob m_job;
    QStringList m_checked;  ///< of the term being changed
    QLineEdit* m_search;
    QListWidget* m_fields;
    QComboBox* m_op;
    QListWidget* m_values;
    QLineEdit* m_typed;
    QPushButton* m_apply;
};

}  // namespace slipway::gui
