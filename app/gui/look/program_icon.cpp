#include "app/gui/look/program_icon.h"

#include <QPainter>
#include <QPainterPath>
#include <QPixmap>

namespace slipway::gui {
namespace {

constexpr double kSide = 128;  // of the drawing's own units

QPixmap draw(int side) {
    QPixmap pixmap(side, side);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(side / kSide, side / kSide);
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor("#12324a"));
    painter.drawRoundedRect(QRectF(0, 0, kSide, kSide), 26, 26);
    painter.setBrush(QColor("#f2b84b"));  // the slipway
    painter.drawPolygon(QPolygonF() << QPointF(14, 92) << QPointF(114, 70) << QPointF(114, 82) << QPointF(14, 104));
    painter.setBrush(QColor("#f4f7fa"));  // the hull
    painter.drawPolygon(QPolygonF() << QPointF(30, 80) << QPointF(98, 65) << QPointF(90, 51) << QPointF(42, 51)
                                    << QPointF(26, 70));
    painter.setBrush(QColor("#5fb0e6"));
    painter.drawRect(QRectF(50, 31, 14, 16));
    painter.drawRect(QRectF(68, 23, 14, 24));
    QPainterPath wave(QPointF(14, 112));
    for (int i = 0; i < 4; ++i) {
        const double x = 14 + 25 * i, by = i % 2 == 0 ? -7 : 7;
        wave.cubicTo(x + 9, 112 + by, x + 17, 112 + by, x + 25, 112);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(QColor("#5fb0e6"), 5, Qt::SolidLine, Qt::RoundCap));
    painter.drawPath(wave);
    return pixmap;
}

}  // namespace

QIcon programIcon() {
    QIcon icon;
    for (const int side : {16, 24, 32, 48, 64, 128, 256}) icon.addPixmap(draw(side));
    return icon;
}

}  // namespace slipway::gui
