// The look of every table (look.md 5): 25 u rows, lines below rows only, no alternating colour, row under the mouse.
#pragma once

#include <QStyledItemDelegate>
#include <QTableView>

namespace slipway::gui {

/// Sets up a view; keeps a valid current index (Qt 6.4's accessibility crashes without one).
void prepareTable(QTableView* view);
/// Fits columns to what they show and shares the rest of the width among them. Where they do not fit, the dispensable ones
/// are hidden, the first named first, until the others do: a truncated figure misleads.
void fitColumns(QTableView* view, const QList<int>& dispensable = {});
/// Does so at every resize.
void keepColumnsFitted(QTableView* view, const QList<int>& dispensable = {});
/// Copies the selected cells tab-separated with headers; thin spaces and typographic minus become plain ones.
QString selectionAsText(const QTableView& view);

/// Paints the line below each row and the row under the mouse.
class RowDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    /// Room left of the text, for an icon.
    [[nodiscard]] virtual int textIndent(const QModelIndex& index) const {
        Q_UNUSED(index);
        return 0;
    }
};

}  // namespace slipway::gui
