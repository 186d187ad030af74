// A term of a filter from lists: a field, how it is compared, and values that the runs have, with their counts.
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
    /// @param term one that is to be changed (a Term with a field), or null
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
    QStringList m_checked;  ///< of the term that is changed
    QLineEdit* m_search;
    QListWidget* m_fields;
    QComboBox* m_op;
    QListWidget* m_values;
    QLineEdit* m_typed;
    QPushButton* m_apply;
};

}  // namespace slipway::gui
