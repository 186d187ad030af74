// Row of the compared runs: check box, letter with the line's look, figure on the right, lines of text below.
#pragma once

#include <QStyledItemDelegate>

namespace slipway::gui {

class RunListDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    enum Role { kId = Qt::UserRole + 1, kLetter, kColour, kFigure, kLines };

    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;
};

}  // namespace slipway::gui
