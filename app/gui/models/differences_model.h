// Table of the Compare page: one row per field or result, one column per group. A flat model with section rows.
#pragma once

#include "app/gui/values/difference_row.h"

#include <QAbstractTableModel>
#include <QStringList>
#include <vector>

namespace slipway::gui {

class DifferencesModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    /// @param letters of the compared groups, one per cell of a row
    void setRows(std::vector<DifferenceRow> rows, const QStringList& letters);
    void setOnlyDifferences(bool on);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void select();

    std::vector<DifferenceRow> m_all;
    std::vector<std::size_t> m_shown;
    QStringList m_letters;
    bool m_onlyDifferences = true;
};

}  // namespace slipway::gui
