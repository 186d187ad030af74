// A table model over a vector of rows: columns are small functions. One template instead of one class per table.
//   RowsModel<Event> model({{tr("Step"), [](const Event& e) { return countText(e.step); }, Qt::AlignRight}});
//   model.setRows(events);
#pragma once

#include "app/gui/look/theme.h"

#include <QAbstractTableModel>
#include <QColor>
#include <functional>
#include <utility>
#include <vector>

namespace slipway::gui {

template <class Row>
struct RowColumn {
    using Text = std::function<QString(const Row&)>;
    using Ink = std::function<QColor(const Row&)>;
    using Test = std::function<bool(const Row&)>;

    // A constructor, because g++ 12 crashes on default member initialisers of this template in some uses.
    RowColumn(QString columnTitle, Text columnText, Qt::Alignment columnAlign = Qt::AlignLeft, Ink columnInk = nullptr,
              Test columnStrong = nullptr, Text columnTip = nullptr)
        : title(std::move(columnTitle)),
          text(std::move(columnText)),
          align(columnAlign),
          ink(std::move(columnInk)),
          strong(std::move(columnStrong)),
          tip(std::move(columnTip)) {}

    QString title;
    Text text;
    Qt::Alignment align;
    Ink ink;
    Test strong;
    Text tip;
};

template <class Row>
class RowsModel : public QAbstractTableModel {
public:
    explicit RowsModel(std::vector<RowColumn<Row>> columns, QObject* parent = nullptr)
        : QAbstractTableModel(parent), m_columns(std::move(columns)) {}

    void setRows(std::vector<Row> rows) {
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
    }
    /// The same table with newer values: only rows that differ are drawn again.
    void updateRows(std::vector<Row> rows) {
        if (rows.size() != m_rows.size()) return setRows(std::move(rows));
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (m_rows[i] == rows[i]) continue;
            m_rows[i] = std::move(rows[i]);
            emit dataChanged(index(static_cast<int>(i), 0), index(static_cast<int>(i), columnCount() - 1));
        }
    }
    void setColumns(std::vector<RowColumn<Row>> columns) {
        beginResetModel();
        m_columns = std::move(columns);
        endResetModel();
    }
    [[nodiscard]] const std::vector<Row>& rows() const { return m_rows; }

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
    }

    QVariant data(const QModelIndex& index, int role) const override {
        if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
        const Row& row = m_rows[static_cast<std::size_t>(index.row())];
        const RowColumn<Row>& column = m_columns[static_cast<std::size_t>(index.column())];
        switch (role) {
            case Qt::DisplayRole: return column.text(row);
            case Qt::ToolTipRole: return column.tip ? QVariant(column.tip(row)) : QVariant();
            case Qt::TextAlignmentRole: return QVariant::fromValue(column.align | Qt::AlignVCenter);
            case Qt::ForegroundRole: {
                const QColor ink = column.ink ? column.ink(row) : QColor();
                return ink.isValid() ? QVariant(ink) : QVariant();
            }
            case Qt::FontRole: return column.strong && column.strong(row) ? QVariant(fontOf(1.0, true)) : QVariant();
            default: return {};
        }
    }

    QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
        if (orientation != Qt::Horizontal || section < 0 || section >= static_cast<int>(m_columns.size())) return {};
        const RowColumn<Row>& column = m_columns[static_cast<std::size_t>(section)];
        if (role == Qt::DisplayRole) return column.title;
        if (role == Qt::TextAlignmentRole) return QVariant::fromValue(column.align | Qt::AlignVCenter);
        if (role == Qt::ForegroundRole) return theme().text2;
        if (role == Qt::FontRole) return fontOf(kSideSize);
        return {};
    }

private:
    std::vector<RowColumn<Row>> m_columns;
    std::vector<Row> m_rows;
};

}  // namespace slipway::gui
