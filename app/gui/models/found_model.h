// The layouts found by a search as a table, sortable by any column and filtered.
#pragma once

#include "app/gui/models/rows_model.h"
#include "app/gui/values/found_row.h"

#include <QSortFilterProxyModel>
#include <vector>

namespace slipway::gui {

/// Order of the columns; sorting uses numbers, not their texts.
enum class FoundColumn { Rank, Front, Layout, Step, Speed, Mfu, Memory, Bubble, Cost, Label };

/// @param perDevice title of the speed ("tokens/s/GPU")
std::vector<RowColumn<FoundRow>> foundColumns(const QString& perDevice, bool priced);

/// Name of the figure in a column of a row; empty for words.
std::string figureOf(const FoundRow& row, FoundColumn column);

class FoundSort : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit FoundSort(RowsModel<FoundRow>* rows, QObject* parent = nullptr);
    /// One flag per row of the source; empty: all pass.
    void setPassing(std::vector<bool> passing);
    [[nodiscard]] int sourceRow(const QModelIndex& index) const { return mapToSource(index).row(); }
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

protected:
    [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    RowsModel<FoundRow>* m_rows;
    std::vector<bool> m_passing;
};

}  // namespace slipway::gui
