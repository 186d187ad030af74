// The look of every table (look.md 5): 25 u rows, lines below rows only, no alternating colour, row under the mouse.
#pragma once

#include <QStyledItemDelegate>
#include <QTableView>

namespace slipway::gui {

/// Sets up a view; keeps a valid current index (Qt 6.4's accessibility crashes without one).
void prepareTable(QTableView* view);
/// Fits columns to their contents and divides the remaining width among them. Where they do not fit, dispensable ones
/// are hidden, in the given order, until the others do: a truncated figure misleads.
void fitColumns(QTableView* view, const QList<int>& dispensable = {});
/// Repeats it at every resize.
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
    /// Space to the left of the text, for an icon.
    [[nodiscard]] virtual int textIndent(const QModelIndex& index) const {
        Q_UNUSED(index);
        return 0;
    }
};

}  // namespace slipway::gui
