#include "app/gui/widgets/read_out.h"

#include "app/gui/look/theme.h"

#include <QPainter>
#include <algorithm>

namespace slipway::gui {
namespace {

double lineHeight() {
    return QFontMetricsF(fontOf(kSideSize)).height() + px(2);
}

QFont fontOfLine(qsizetype line) {
    return fontOf(kSideSize, line == 0);
}

}  // namespace

ReadOut placeReadOut(const QRectF& bounds, const QPointF& at, QStringList lines) {
    if (lines.isEmpty()) return {};
    const double sides = px(20), ends = px(12);
    const auto most = std::max<qsizetype>(1, static_cast<qsizetype>((bounds.height() - ends) / lineHeight()));
    if (lines.size() > most) {
        lines.resize(most);
        if (most > 1) lines.back() = QStringLiteral("…");
    }
    const double room = std::max(0.0, bounds.width() - sides);
    double width = 0;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QFontMetricsF metrics(fontOfLine(i));
        if (metrics.horizontalAdvance(lines[i]) > room) lines[i] = metrics.elidedText(lines[i], Qt::ElideRight, room);
        width = std::max(width, metrics.horizontalAdvance(lines[i]));
    }
    QRectF box(at.x() + px(14), at.y() - px(10), std::min(width + sides, bounds.width()),
               std::min(lineHeight() * static_cast<double>(lines.size()) + ends, bounds.height()));
    if (box.right() > bounds.right()) box.moveRight(at.x() - px(14));
    box.moveLeft(std::clamp(box.left(), bounds.left(), bounds.right() - box.width()));
    box.moveTop(std::clamp(box.top(), bounds.top(), bounds.bottom() - box.height()));
    return {box, lines};
}

void paintReadOut(QPainter& painter, const ReadOut& readOut) {
    if (readOut.lines.isEmpty()) return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().tip);
    painter.drawRoundedRect(readOut.box, px(4), px(4));
    painter.setPen(theme().tipText);
    QRectF line(readOut.box.left() + px(10), readOut.box.top() + px(6), readOut.box.width() - px(19), lineHeight());
    for (qsizetype i = 0; i < readOut.lines.size(); ++i) {
        painter.setFont(fontOfLine(i));
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, readOut.lines[i]);
        line.translate(0, lineHeight());
    }
    painter.restore();
}

}  // namespace slipway::gui
