#include "app/gui/look/icons.h"

#include <QPainter>
#include <QPainterPath>

namespace slipway::gui {
namespace {

// Coordinates are on a 16 x 16 grid.
void pages(QPainter& p, Icon icon) {
    switch (icon) {
        case Icon::Plan:
            p.drawLine(QPointF(2, 14), QPointF(14, 14));
            p.drawRect(QRectF(3, 9, 2.4, 5));
            p.drawRect(QRectF(6.8, 6, 2.4, 8));
            p.drawRect(QRectF(10.6, 2.5, 2.4, 11.5));
            break;
        case Icon::Runs:
            for (const double y : {4.0, 8.0, 12.0}) {
                p.drawLine(QPointF(2, y), QPointF(3, y));
                p.drawLine(QPointF(5.5, y), QPointF(14, y));
            }
            break;
        case Icon::Run:
            p.drawPolyline(QPolygonF() << QPointF(1.5, 8.5) << QPointF(4.5, 8.5) << QPointF(6.5, 3) << QPointF(9.5, 13)
                                       << QPointF(11.2, 8.5) << QPointF(14.5, 8.5));
            break;
        case Icon::Compare: {
            QPainterPath path(QPointF(1.5, 12.5));
            path.cubicTo(5, 12, 7, 4.5, 14.5, 3.5);
            path.moveTo(1.5, 13.5);
            path.cubicTo(6, 13, 9, 9, 14.5, 8.5);
            p.drawPath(path);
            break;
        }
        case Icon::Sweeps:
            for (const double x : {2.5, 9.0})
                for (const double y : {2.5, 9.0}) p.drawRect(QRectF(x, y, 4.5, 4.5));
            break;
        case Icon::Nodes:
            for (const double y : {2.5, 9.0}) {
                p.drawRect(QRectF(2, y, 12, 4.5));
                p.drawLine(QPointF(4.5, y + 2.25), QPointF(6.5, y + 2.25));
            }
            break;
        case Icon::Playbook:  // an open book
            p.drawPolyline(QPolygonF() << QPointF(8, 4) << QPointF(6, 2.8) << QPointF(2, 2.8) << QPointF(2, 12.2)
                                       << QPointF(6, 12.2) << QPointF(8, 13.4) << QPointF(10, 12.2) << QPointF(14, 12.2)
                                       << QPointF(14, 2.8) << QPointF(10, 2.8) << QPointF(8, 4));
            p.drawLine(QPointF(8, 4), QPointF(8, 13.4));
            break;
        case Icon::Tools:  // a valley and its lowest point
            p.drawPolyline(QPolygonF() << QPointF(2.5, 2.5) << QPointF(2.5, 13.5) << QPointF(13.5, 13.5));
            p.drawPolyline(QPolygonF() << QPointF(4.5, 3.5) << QPointF(5.5, 7) << QPointF(7, 9.6) << QPointF(9, 10.6)
                                       << QPointF(11, 9.6) << QPointF(12.5, 7) << QPointF(13.5, 3.5));
            break;
        case Icon::Settings:
            for (const auto& [y, x] : {std::pair{4.5, 10.0}, {11.5, 6.0}}) {
                p.drawLine(QPointF(1.5, y), QPointF(x - 1.8, y));
                p.drawEllipse(QPointF(x, y), 1.8, 1.8);
                p.drawLine(QPointF(x + 1.8, y), QPointF(14.5, y));
            }
            break;
        default: break;
    }
}

void states(QPainter& p, Icon icon, const QColor& ink) {
    const auto filled = [&] {
        p.setBrush(ink);
        p.setPen(Qt::NoPen);
    };
    QPen bold(ink, 2.0, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
    switch (icon) {
        case Icon::Planned: p.drawEllipse(QPointF(8, 8), 5, 5); break;
        case Icon::Queued: {
            QPen dashed(ink, 1.6, Qt::CustomDashLine, Qt::FlatCap);
            dashed.setDashPattern({1.2, 1.2});
            p.setPen(dashed);
            p.drawEllipse(QPointF(8, 8), 5, 5);
            break;
        }
        case Icon::Running:
            filled();
            p.drawPolygon(QPolygonF() << QPointF(4, 3) << QPointF(13, 8) << QPointF(4, 13));
            break;
        case Icon::Completed:
        case Icon::Good:
            p.setPen(bold);
            p.drawPolyline(QPolygonF() << QPointF(3, 8.5) << QPointF(6.5, 12) << QPointF(13, 4.5));
            break;
        case Icon::Failed:
        case Icon::Error:
            p.setPen(bold);
            p.drawLine(QPointF(4, 4), QPointF(12, 12));
            p.drawLine(QPointF(12, 4), QPointF(4, 12));
            break;
        case Icon::Cancelled:
            filled();
            p.drawRect(QRectF(4, 4, 8, 8));
            break;
        case Icon::Lost: {
            QPainterPath path(QPointF(5, 5.5));
            path.cubicTo(5, 1.5, 11.5, 1.5, 11.5, 5.2);
            path.cubicTo(11.5, 7.6, 8.2, 7.6, 8.2, 10.2);
            p.setPen(bold);
            p.drawPath(path);
            filled();
            p.drawEllipse(QPointF(8.2, 13.6), 1.2, 1.2);
            break;
        }
        case Icon::Skipped:
            p.setPen(bold);
            p.drawLine(QPointF(4, 8), QPointF(12, 8));
            break;
        case Icon::Warning:
            p.drawPolygon(QPolygonF() << QPointF(8, 2.2) << QPointF(14.3, 13.5) << QPointF(1.7, 13.5));
            p.drawLine(QPointF(8, 6.5), QPointF(8, 9.5));
            p.drawPoint(QPointF(8, 11.6));
            break;
        case Icon::Info:
            p.drawEllipse(QPointF(8, 8), 6, 6);
            p.drawLine(QPointF(8, 7.5), QPointF(8, 11));
            p.drawPoint(QPointF(8, 5));
            break;
        case Icon::ArrowDown:
            filled();
            p.drawPolygon(QPolygonF() << QPointF(3.5, 5.5) << QPointF(12.5, 5.5) << QPointF(8, 11));
            break;
        case Icon::ArrowRight:
            filled();
            p.drawPolygon(QPolygonF() << QPointF(5.5, 3.5) << QPointF(11, 8) << QPointF(5.5, 12.5));
            break;
        default: break;
    }
}

}  // namespace

void paintIcon(QPainter& painter, Icon icon, const QRectF& rect, const QColor& ink) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(rect.topLeft());
    painter.scale(rect.width() / 16.0, rect.height() / 16.0);
    painter.setPen(QPen(ink, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    pages(painter, icon);
    states(painter, icon, ink);
    painter.restore();
}

}  // namespace slipway::gui
