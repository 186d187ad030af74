#include "app/gui/widgets/plot_frame.h"

#include "app/gui/look/theme.h"
#include "app/gui/widgets/painted_widget.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr int kWantedRows = 4;
constexpr int kWantedColumns = 5;

/// 1, 2 and 5 of each power of ten within the range; with many powers, only the powers.
QVector<double> logTicks(double low, double high, int wanted) {
    QVector<double> powers, all;
    for (double power = std::pow(10, std::floor(std::log10(low))); power <= high * (1 + 1e-9); power *= 10)
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double tick = factor * power;
            if (tick < low * (1 - 1e-9) || tick > high * (1 + 1e-9)) continue;
            all.append(tick);
            if (factor == 1.0) powers.append(tick);
        }
    if (all.size() < 2) return roundTicks(low, high, wanted);
    return powers.size() >= wanted ? powers : all;
}

}  // namespace

QVector<double> PlotAxis::ticks(int wanted) const {
    if (isLog) return logTicks(low, high, wanted);
    return isBytes ? roundByteTicks(low, high, wanted) : roundTicks(low, high, wanted, isWhole);
}

double PlotAxis::share(double value) const {
    if (isLog) return std::log(value / low) / std::log(high / low);
    return (value - low) / (high - low);
}

void PlotFrame::layOut(const QSizeF& size, double above, double below) {
    const QFontMetricsF metrics(fontOf(kAxisSize));
    double label = 0;
    for (const double tick : y.ticks(kWantedRows)) label = std::max(label, metrics.horizontalAdvance(y.format(tick)));
    area = QRectF(label + px(10), px(8) + above, size.width() - label - px(24),
                  size.height() - metrics.height() - px(16) - above - below);
}

void PlotFrame::paintRows(QPainter& painter) const {
    const Theme& t = theme();
    painter.setFont(fontOf(kAxisSize));
    QString last;  // bytes and counts between whole ones would have the same label
    for (const double tick : y.ticks(kWantedRows)) {
        const double row = yOf(tick);
        painter.setPen(QPen(t.grid, 1));
        painter.drawLine(QPointF(area.left(), row), QPointF(area.right(), row));
        painter.setPen(t.text2);
        const QString text = y.format(tick);
        if (text == last) continue;
        last = text;
        painter.drawText(QRectF(0, row - px(9), area.left() - px(6), px(18)), Qt::AlignRight | Qt::AlignVCenter, text);
    }
    painter.setPen(QPen(t.line2, 1));
    painter.drawLine(area.bottomLeft(), area.bottomRight());
}

void PlotFrame::paintColumns(QPainter& painter, double right) const {
    painter.setFont(fontOf(kAxisSize));
    painter.setPen(theme().text2);
    const QFontMetricsF metrics(painter.font());
    const double foot = area.bottom() + px(5);
    double last = -INFINITY;
    for (const double tick : x.ticks(kWantedColumns)) {
        const QString text = x.format(tick);
        const double half = metrics.horizontalAdvance(text) / 2 + px(4);
        if (xOf(tick) - half < last || xOf(tick) + half > right) continue;
        last = xOf(tick) + half;
        painter.drawText(QRectF(xOf(tick) - half, foot, 2 * half, metrics.height()), Qt::AlignHCenter | Qt::AlignTop,
                         text);
    }
}

QVector<QPolygonF> insideOf(const QRectF& area, const QPolygonF& line) {
    QVector<QPolygonF> out;
    bool joins = false;  // the previous piece ends where this one begins
    for (qsizetype i = 0; i + 1 < line.size(); ++i) {
        const QPointF from = line.at(i), by = line.at(i + 1) - from;
        // The part from `begin` to `end` of the piece is within the area (Liang, Barsky, ACM TOG 3 (1984), p. 1).
        double begin = 0, end = 1;
        const auto cut = [&](double step, double room) {  // step * t <= room
            if (step == 0) {
                if (room < 0) end = -1;
            } else if (step > 0) {
                end = std::min(end, room / step);
            } else {
                begin = std::max(begin, room / step);
            }
        };
        cut(-by.x(), from.x() - area.left());
        cut(by.x(), area.right() - from.x());
        cut(-by.y(), from.y() - area.top());
        cut(by.y(), area.bottom() - from.y());
        if (begin > end) {
            joins = false;
            continue;
        }
        if (!joins || begin > 0) out.append(QPolygonF{from + begin * by});
        out.back().append(from + end * by);
        joins = end == 1;
    }
    return out;
}

void paintCross(QPainter& painter, const QPointF& at, double radius) {
    painter.setPen(QPen(theme().bad, 1.4));
    painter.drawLine(at + QPointF(-radius, -radius), at + QPointF(radius, radius));
    painter.drawLine(at + QPointF(-radius, radius), at + QPointF(radius, -radius));
}

}  // namespace slipway::gui
