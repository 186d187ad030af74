#include "app/gui/widgets/runs_delegate.h"

#include "app/gui/look/status_look.h"
#include "app/gui/look/theme.h"
#include "app/gui/models/runs_model.h"
#include "app/gui/text/text.h"

#include <QPainter>

namespace slipway::gui {

void RunsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    RowDelegate::paint(painter, option, index);
    if (index.column() == 0) {
        const QVariant status = index.data(RunsModel::kStatus);
        if (!status.isValid()) return;
        const auto word = static_cast<RunStatus>(status.toInt());
        paintIcon(*painter, statusIcon(word),
                  QRectF(option.rect.left() + px(8), option.rect.center().y() - px(6), px(12), px(12)),
                  statusColour(word));
    }
    const QVariant delta = index.data(RunsModel::kDelta);
    if (delta.isValid()) {
        painter->save();
        painter->setFont(fontOf(kSideSize));
        painter->setPen(theme().text2);
        painter->drawText(option.rect.adjusted(px(6), 0, 0, -1), Qt::AlignLeft | Qt::AlignVCenter, delta.toString());
        painter->restore();
        return;  // uses the room of the bar
    }
    const QVariant share = index.data(RunsModel::kShare);
    if (!share.isValid()) return;
    const QRectF bar(option.rect.left() + px(8), option.rect.center().y() - px(3), px(58), px(7));
    painter->fillRect(bar, theme().sunken);
    painter->fillRect(QRectF(bar.left(), bar.top(), bar.width() * share.toDouble(), bar.height()),
                      theme().hue(Hue::Blue));
}

QSize RunsDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QVariant delta = index.data(RunsModel::kDelta);
    const int room = delta.isValid() ? QFontMetrics(fontOf(kSideSize)).horizontalAdvance(delta.toString()) + px(8) : 0;
    return RowDelegate::sizeHint(option, index) + QSize(room, 0);
}

int RunsDelegate::textIndent(const QModelIndex& index) const {
    return index.column() == 0 ? px(20) : 0;
}

}  // namespace slipway::gui
