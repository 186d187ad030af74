#include "app/gui/widgets/run_list_delegate.h"

#include "app/gui/look/theme.h"
#include "app/gui/widgets/painted_widget.h"

#include <QApplication>
#include <QMouseEvent>
#include <QPainter>

namespace slipway::gui {
namespace {

QRect checkBoxRect(const QRect& row) {
    return {row.left() + px(16), row.top() + px(9), px(16), px(16)};
}

}  // namespace

QSize RunListDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
    const int lines = static_cast<int>(index.data(kLines).toStringList().size());
    return {px(200), px(12) + lineHeight(18) + lines * lineHeight(16, kSideSize) + px(8)};
}

void RunListDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Theme& t = theme();
    const QRect r = option.rect;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (option.state & QStyle::State_Selected)
        painter->fillRect(r, t.selection);
    else if (option.state & QStyle::State_MouseOver)
        painter->fillRect(r, t.hover);
    painter->setPen(t.grid);
    painter->drawLine(r.bottomLeft(), r.bottomRight());

    QStyleOptionButton box;
    box.rect = checkBoxRect(r);
    const bool shown = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    box.state = QStyle::State_Enabled | (shown ? QStyle::State_On : QStyle::State_Off);
    box.palette = option.palette;
    QApplication::style()->drawPrimitive(QStyle::PE_IndicatorCheckBox, &box, painter, option.widget);

    const int left = r.left() + px(40);
    const int right = r.right() - px(16);
    const QRect head(left, r.top() + px(8), right - left, lineHeight(18));
    painter->setFont(fontOf(1.0, true));
    painter->setPen(t.text);
    const QString letter = index.data(kLetter).toString();
    painter->drawText(head, Qt::AlignLeft | Qt::AlignVCenter, letter);
    painter->drawText(head, Qt::AlignRight | Qt::AlignVCenter, index.data(kFigure).toString());
    const int colour = index.data(kColour).toInt();
    QPen line(shown ? t.series(colour) : t.line2, 2);
    if (const auto dash = dashOf(colour); !dash.isEmpty()) line.setDashPattern(dash);
    painter->setPen(line);
    const int swatch = left + painter->fontMetrics().horizontalAdvance(letter) + px(8);
    painter->drawLine(swatch, head.center().y() + 1, swatch + px(26), head.center().y() + 1);

    painter->setFont(fontOf(kSideSize));
    int y = head.bottom() + px(3);
    bool first = true;
    for (const QString& text : index.data(kLines).toStringList()) {
        painter->setPen(first ? t.text : t.text2);
        first = false;
        const QRect lineRect(left, y, right - left, lineHeight(16, kSideSize));
        painter->drawText(lineRect, Qt::AlignLeft | Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(text, Qt::ElideMiddle, lineRect.width()));
        y += lineHeight(16, kSideSize);
    }
    if ((option.state & QStyle::State_HasFocus) && option.widget &&
        option.widget->window()->property("keyboardFocus").toBool()) {
        painter->setPen(QPen(t.accent, 2));
        painter->drawRect(r.adjusted(1, 1, -1, -2));
    }
    painter->restore();
}

bool RunListDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                                  const QModelIndex& index) {
    const auto flip = [&] {
        const bool on = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
        return model->setData(index, on ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
    };
    if (event->type() == QEvent::MouseButtonRelease &&
        checkBoxRect(option.rect).adjusted(-4, -4, 4, 4).contains(static_cast<QMouseEvent*>(event)->pos()))
        return flip();
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space) return flip();
    return false;
}

}  // namespace slipway::gui
