#include "app/gui/widgets/chart_state.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/widgets/metric_chart.h"
#include "app/gui/widgets/plot_frame.h"
#include "app/gui/widgets/read_out.h"
#include "core/base/units.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <limits>

namespace slipway::gui {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Nearest point of an ascending curve to x; empty if there is none.
std::optional<QPointF> nearest(const QVector<QPointF>& points, double x) {
    if (points.isEmpty()) return {};
    auto right =
        std::lower_bound(points.begin(), points.end(), x, [](const QPointF& p, double at) { return p.x() < at; });
    if (right == points.end()) return points.back();
    if (right == points.begin()) return *right;
    const auto left = right - 1;
    return x - left->x() <= right->x() - x ? *left : *right;
}

}  // namespace

QString ChartState::plainNumber(double value) {
    return qs(formatSignificant(value, 6));
}

QColor ChartState::colourOf(const Curve& curve) const {
    return curve.baseline ? theme().text2 : theme().series(curve.colour);
}

QPen ChartState::penOf(const Curve& curve) const {
    QColor ink = colourOf(curve);
    if (curve.faint) ink.setAlphaF(0.35f);
    QPen pen(ink, curve.faint ? 1.0 : 1.6);
    const auto dash = curve.baseline ? dashOf(1) : curve.solid || curve.faint ? QVector<qreal>{} : dashOf(curve.colour);
    if (!dash.isEmpty()) pen.setDashPattern(dash);
    pen.setCapStyle(Qt::FlatCap);
    return pen;
}

QColor ChartState::bandOf(const Curve& curve) const {
    QColor fill = colourOf(curve);
    fill.setAlphaF(theme().dark ? 0.38f : 0.20f);
    return fill;
}

void ChartState::paintCurves(QPainter& painter) const {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    QPainterPath inside;
    inside.addRect(plot);
    for (const Curve& curve : curves) {
        QPolygonF band, back;
        for (qsizetype i = 0; i < curve.low.size() && i < curve.high.size(); ++i) {
            if (!drawable(curve.low[i].y()) || !drawable(curve.high[i].y())) continue;
            band << QPointF(pixelX(curve.low[i].x()), pixelY(curve.low[i].y()));
            back.prepend(QPointF(pixelX(curve.high[i].x()), pixelY(curve.high[i].y())));
        }
        if (band.size() < 2) continue;
        QPainterPath area;
        area.addPolygon(band + back);
        area.closeSubpath();
        painter.setBrush(bandOf(curve));
        painter.drawPath(area.intersected(inside));
    }
    painter.setBrush(Qt::NoBrush);
    for (const Curve& curve : curves) {
        painter.setPen(penOf(curve));
        QPolygonF part;
        const auto flush = [&] {
            if (part.size() == 1) part << part.front() + QPointF(1, 0);
            for (const QPolygonF& piece : insideOf(plot, part)) painter.drawPolyline(piece);
            part.clear();
        };
        for (const QPointF& p : curve.points) {
            if (drawable(p.y()))
                part << QPointF(pixelX(p.x()), pixelY(p.y()));
            else
                flush();
        }
        flush();
    }
    painter.restore();
}

void ChartState::computeRange() {
    double left = kInfinity, right = -kInfinity, low = kInfinity, high = -kInfinity;
    leftOut = 0;
    for (const Curve& curve : curves)
        for (const auto* points : {&curve.points, &curve.low, &curve.high})
            for (const QPointF& p : *points) {
                left = std::min(left, p.x());
                right = std::max(right, p.x());
                if (logY && points == &curve.points && std::isfinite(p.y()) && p.y() <= 0) ++leftOut;
                if (zoom && (p.x() < zoom->first || p.x() > zoom->second)) continue;
                if (!drawable(p.y())) continue;
                low = std::min(low, toAxis(p.y()));
                high = std::max(high, toAxis(p.y()));
            }
    for (const Curve& curve : curves)
        for (const double x : curve.nonFinite) {
            left = std::min(left, x);
            right = std::max(right, x);
        }
    if (reference)
        for (const double y : {reference->value, reference->low, reference->high})
            if (drawable(y)) {
                low = std::min(low, toAxis(y));
                high = std::max(high, toAxis(y));
            }
    clipped = 0;
    if (clip) clipRange(low, high);
    if (!(right >= left)) left = 0, right = 1;
    if (!(high >= low)) low = 0, high = 1;
    if (zoom) left = zoom->first, right = zoom->second;
    if (right == left) right = left + 1;
    if (zeroBased && !logY) low = std::min(low, 0.0);
    double margin = (high - low) * 0.06;
    if (margin <= 0) margin = std::max(std::fabs(high) * 0.05, 1e-9);
    range = QRectF(left, zeroBased && !logY ? low : low - margin, right - left, 0);
    range.setBottom(high + margin);
}

/// From the 5th to the 95th percentile of the shown points, and half of that beyond either: a spike does not flatten the rest.
void ChartState::clipRange(double& low, double& high) {
    std::vector<double> ys;
    for (const Curve& curve : curves)
        for (const QPointF& p : curve.points)
            if (drawable(p.y()) && (!zoom || (p.x() >= zoom->first && p.x() <= zoom->second)))
                ys.push_back(toAxis(p.y()));
    if (ys.size() < 20) return;
    const auto at = [&](double share) {
        const auto place = ys.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(ys.size() - 1));
        std::nth_element(ys.begin(), place, ys.end());
        return *place;
    };
    const double from = at(0.05), to = at(0.95);
    const double most = to + (to - from) / 2, least = from - (to - from) / 2;
    if (!(most > least)) return;
    low = std::max(low, least);
    high = std::min(high, most);
    for (const double y : ys) clipped += y < low || y > high;
}

QVector<double> ChartState::yTicks() const {
    const int wanted = std::clamp(static_cast<int>(size.height() / px(44)), 2, 6);
    if (!logY && bytes) return roundByteTicks(range.top(), range.bottom(), wanted);
    if (!logY) return roundTicks(range.top(), range.bottom(), wanted);
    QVector<double> out;
    const bool fine = range.height() < 1.5;
    for (double decade = std::floor(range.top()); decade <= range.bottom(); ++decade)
        for (const double factor : fine ? std::vector<double>{1, 2, 5} : std::vector<double>{1}) {
            const double at = decade + std::log10(factor);
            if (at >= range.top() && at <= range.bottom()) out.append(at);
        }
    return out.size() >= 2 ? out : roundTicks(range.top(), range.bottom(), wanted);
}

void ChartState::paintBelow(QPainter& painter) const {
    const Theme& t = theme();
    const QRectF area = plot;
    if (warmUp && *warmUp > range.left())
        painter.fillRect(
            QRectF(area.left(), area.top(), std::min(pixelX(*warmUp), area.right()) - area.left(), area.height()),
            t.sunken);
    for (const double tick : yTicks())
        painter.fillRect(QRectF(area.left(), std::round(pixelY(fromAxis(tick))), area.width(), 1), t.grid);
    if (reference && reference->high > reference->low) {
        QColor band = t.text2;
        band.setAlphaF(0.14f);
        const double top = std::max(pixelY(reference->high), area.top());
        const double bottom = std::min(pixelY(reference->low), area.bottom());
        painter.fillRect(QRectF(area.left(), top, area.width(), bottom - top), band);
    }
}

void ChartState::paintAbove(QPainter& painter) const {
    const Theme& t = theme();
    const QRectF area = plot;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRectF(area.left(), area.bottom(), area.width(), 1), t.line2);
    painter.setFont(fontOf(kAxisSize));
    const QFontMetricsF metrics(painter.font());
    painter.setPen(t.text2);
    QString last;  // ticks closer than the format's digits have the same label
    for (const double tick : yTicks()) {
        const double y = pixelY(fromAxis(tick));
        const QString label = yFormat(fromAxis(tick));
        if (label != last)
            painter.drawText(QRectF(0, y - metrics.height() / 2, area.left() - px(6), metrics.height()),
                             Qt::AlignRight | Qt::AlignVCenter, label);
        last = label;
    }
    double lastRight = -1e9;
    const bool whole = xFormat(2.5) == xFormat(2) || xFormat(2.5) == xFormat(3);  // an axis of steps
    for (const double tick :
         roundTicks(range.left(), range.right(), std::clamp(static_cast<int>(area.width() / px(90)), 2, 6), whole)) {
        const double x = pixelX(tick);
        const QString label = xFormat(tick);
        const double width = metrics.horizontalAdvance(label);
        const double left = std::clamp(x - width / 2, 0.0, size.width() - width);
        painter.fillRect(QRectF(std::round(x), area.bottom(), 1, px(4)), t.line2);
        if (left < lastRight + px(6)) continue;
        painter.drawText(QPointF(left, area.bottom() + px(4) + metrics.ascent()), label);
        lastRight = left + width;
    }
    for (const double mark : marks)
        if (mark >= range.left() && mark <= range.right())
            painter.fillRect(QRectF(pixelX(mark) - 0.5, area.bottom() - px(5), 1.5, px(5)), t.accent);
    painter.setRenderHint(QPainter::Antialiasing);
    if (reference && drawable(reference->value)) {
        QPen pen(reference->limit ? t.warn : t.text2, 1.2);
        pen.setDashPattern(reference->limit ? QVector<qreal>{1.5, 2.5} : QVector<qreal>{5, 3});
        painter.setPen(pen);
        const double y = pixelY(reference->value);
        if (y >= area.top() && y <= area.bottom()) painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    }
    for (const Curve& curve : curves)
        for (const double at : curve.nonFinite) {
            if (at < range.left() || at > range.right()) continue;
            const double x = pixelX(at);
            painter.setPen(QPen(t.bad, 1, Qt::DotLine));
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
            painter.setPen(Qt::NoPen);
            painter.setBrush(t.bad);
            painter.drawPolygon(QPolygonF() << QPointF(x - px(4), area.top()) << QPointF(x + px(4), area.top())
                                            << QPointF(x, area.top() + px(7)));
        }
    paintEvents(painter);
    if (clipped > 0) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(t.text2);
        for (const Curve& curve : curves)
            for (const QPointF& p : curve.points) {
                if (!drawable(p.y()) || p.x() < range.left() || p.x() > range.right()) continue;
                const bool above = toAxis(p.y()) > range.bottom();
                if (!above && toAxis(p.y()) >= range.top()) continue;
                const double x = pixelX(p.x()), tip = above ? area.top() : area.bottom(), side = above ? px(5) : -px(5);
                painter.drawPolygon(QPolygonF() << QPointF(x - px(3), tip + side) << QPointF(x + px(3), tip + side)
                                                << QPointF(x, tip));
            }
        painter.setPen(t.warn);
        painter.drawText(QRectF(area.left() + px(6), area.bottom() - metrics.height() - px(2), area.width() - px(12),
                                metrics.height() + 2),
                         Qt::AlignRight, MetricChart::tr("%n point(s) clipped", nullptr, clipped));
    }
    if (leftOut > 0) {
        painter.setPen(t.warn);
        painter.drawText(QRectF(area.left() + px(6), area.top(), area.width() - px(12), metrics.height() + 2),
                         Qt::AlignLeft, MetricChart::tr("%n point(s) ≤ 0 skipped", nullptr, leftOut));
    }
    paintLetters(painter);
    if (dragFrom && dragTo) {
        QColor fill = t.accent;
        fill.setAlphaF(0.18f);
        painter.fillRect(QRectF(QPointF(dragFrom->x(), area.top()), QPointF(dragTo->x(), area.bottom())).normalized(),
                         fill);
    }
    paintReadOut(painter);
    painter.restore();
}

void ChartState::paintEvents(QPainter& painter) const {
    painter.setFont(fontOf(kAxisSize, true));
    const QFontMetricsF metrics(painter.font());
    double lastRight = -kInfinity;
    for (const ChartEvent& event : events) {
        if (event.x < range.left() || event.x > range.right()) continue;
        const double x = pixelX(event.x), width = metrics.horizontalAdvance(event.label);
        painter.setPen(QPen(event.isBad ? theme().bad : theme().text2, 1, event.isBad ? Qt::DotLine : Qt::SolidLine));
        painter.drawLine(QPointF(x, event.isBad ? plot.top() : plot.bottom() - px(6)), QPointF(x, plot.bottom()));
        if (x - width / 2 < lastRight + px(3)) continue;  // labels never touch; the list has them all
        lastRight = x + width / 2;
        painter.drawText(QPointF(x - width / 2, plot.bottom() - px(8)), event.label);
    }
}

void ChartState::paintLetters(QPainter& painter) const {
    struct Label {
        double y;
        const Curve* curve;
    };
    std::vector<Label> labels;
    for (const Curve& curve : curves) {
        if (curve.letter.isEmpty() || curve.faint) continue;
        for (auto p = curve.points.rbegin(); p != curve.points.rend(); ++p)
            if (drawable(p->y()) && p->x() <= range.right()) {
                labels.push_back({pixelY(p->y()), &curve});
                break;
            }
    }
    if (labels.size() > 8) return;  // then the run list is the legend
    std::sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.y < b.y; });
    for (std::size_t i = 1; i < labels.size(); ++i) labels[i].y = std::max(labels[i].y, labels[i - 1].y + px(12));
    double over = labels.empty() ? 0 : std::max(0.0, labels.back().y - plot.bottom());
    for (auto label = labels.rbegin(); label != labels.rend() && over > 0; ++label) label->y -= over;
    painter.setFont(fontOf(kSideSize, true));
    for (const Label& label : labels) {
        painter.setPen(theme().text);
        painter.drawText(
            QRectF(plot.right() + px(6), label.y - lineHeight(16, kSideSize) / 2.0, px(24), lineHeight(16, kSideSize)),
            Qt::AlignLeft | Qt::AlignVCenter, label.curve->letter);
    }
}

QStringList ChartState::readOut(double x) const {
    QStringList lines{xName.isEmpty() ? xFormat(x) : QStringLiteral("%1 %2").arg(xName, xFormat(x))};
    for (const Curve& curve : curves) {
        const auto p = nearest(curve.points, x);
        if (!p || curve.faint) continue;
        const QString head = curve.letter.isEmpty() ? curve.name : curve.letter;
        const double end = curve.nonFinite.isEmpty() ? curve.points.back().x()
                                                     : std::max(curve.points.back().x(), curve.nonFinite.back());
        if (x > end + 0.02 * range.width()) {
            lines << head + QStringLiteral("   ") + MetricChart::tr("ended at %1").arg(xFormat(end));
            continue;
        }
        QString value = std::isfinite(p->y()) ? yFormat(p->y())
                        : std::isnan(p->y())  ? QStringLiteral("NaN")
                                              : QStringLiteral("inf");
        const auto low = nearest(curve.low, x);
        const auto high = nearest(curve.high, x);
        if (low && high && high->y() > low->y())
            value += QStringLiteral("   %1 – %2").arg(yFormat(low->y()), yFormat(high->y()));
        lines << QStringLiteral("%1   %2").arg(head, value);
    }
    return lines;
}

void ChartState::paintReadOut(QPainter& painter) const {
    if (!pointer || *pointer < range.left() || *pointer > range.right()) return;
    const Theme& t = theme();
    const QRectF area = plot;
    const double x = pixelX(*pointer);
    painter.setPen(QPen(t.text2, 1));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    for (const Curve& curve : curves)
        if (const auto p = nearest(curve.points, *pointer); p && drawable(p->y()) && !curve.faint) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(colourOf(curve));
            painter.drawEllipse(QPointF(pixelX(p->x()), pixelY(p->y())), px(3), px(3));
        }
    gui::paintReadOut(painter, placeReadOut(QRectF(QPointF(), size), {x, area.top() + px(16)}, readOut(*pointer)));
}

}  // namespace slipway::gui
