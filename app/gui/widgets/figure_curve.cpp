#include "app/gui/widgets/figure_curve.h"

#include "app/gui/look/theme.h"
#include "core/report/drawing.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace slipway::gui {

FigureCurve::FigureCurve(QWidget* parent) : PaintedWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void FigureCurve::setCurve(Curve curve, std::function<QString(double)> format) {
    m_curve = std::move(curve);
    m_format = std::move(format);
    changed();
}

QString FigureCurve::summary() const {
    if (m_curve.points.size() < 2) return tr("No curve for these values.");
    return tr("%1 over %2: %3 at %4.")
        .arg(m_curve.yTitle, m_curve.xTitle, m_format(m_curve.now.y()), m_format(m_curve.now.x()));
}

DataTable FigureCurve::dataTable() const {
    DataTable table{{m_curve.xTitle, m_curve.yTitle}, {}};
    for (const QPointF& point : m_curve.points) table.rows.append({m_format(point.x()), m_format(point.y())});
    return table;
}

QSize FigureCurve::sizeHint() const {
    return {px(380), px(190)};
}

QSize FigureCurve::minimumSizeHint() const {
    return {px(220), px(190)};
}

void FigureCurve::paintStill(QPainter& painter) {
    if (m_curve.points.size() < 2) return paintSummary(painter);
    const Theme& t = theme();
    const QFont small = fontOf(kAxisSize);
    const QFontMetricsF metrics(small);
    const double lowX = m_curve.points.front().x(), highX = m_curve.points.back().x();
    double lowY = m_curve.points.front().y(), highY = lowY;
    for (const QPointF& point : m_curve.points) {
        lowY = std::min(lowY, point.y());
        highY = std::max(highY, point.y());
    }
    if (lowY > 0 && lowY < 0.6 * highY) lowY = 0;
    if (differByRounding(lowY, highY)) highY = lowY + std::max(std::fabs(lowY), 1.0);
    const QVector<double> ticksY = roundTicks(lowY, highY, 4);
    double label = 0;
    for (const double tick : ticksY) label = std::max(label, metrics.horizontalAdvance(m_format(tick)));
    const double line = lineHeight(15, kAxisSize);
    const QRectF plot(label + px(8), line + px(4), width() - label - px(24), height() - 3 * line - px(8));
    const auto scaled = [&](double x) { return m_curve.isLogarithmic ? std::log(x) : x; };
    const auto xOf = [&](double x) {
        return plot.left() + (scaled(x) - scaled(lowX)) / (scaled(highX) - scaled(lowX)) * plot.width();
    };
    const auto yOf = [&](double y) { return plot.bottom() - (y - lowY) / (highY - lowY) * plot.height(); };
    painter.setFont(small);
    painter.setPen(t.text2);
    painter.drawText(QRectF(0, 0, width(), line), Qt::AlignLeft | Qt::AlignVCenter, m_curve.yTitle);
    for (const double tick : ticksY) {
        painter.fillRect(QRectF(plot.left(), yOf(tick), plot.width(), 1), t.grid);
        painter.drawText(QRectF(0, yOf(tick) - line / 2, label, line), Qt::AlignRight | Qt::AlignVCenter,
                         m_format(tick));
    }
    painter.fillRect(QRectF(plot.left(), plot.bottom(), plot.width(), 1), t.line2);
    QVector<double> ticksX;
    if (m_curve.isLogarithmic) {
        for (double decade = std::pow(10, std::floor(std::log10(lowX))); decade <= highX; decade *= 10)
            for (const double digit : {1.0, 2.0, 5.0})
                if (digit * decade >= lowX * (1 - 1e-9) && digit * decade <= highX * (1 + 1e-9))
                    ticksX.append(digit * decade);
    } else {
        ticksX = roundTicks(lowX, highX, 5);
    }
    double taken = -1e9;
    for (const double tick : ticksX) {
        const QString text = m_format(tick);
        const double half = metrics.horizontalAdvance(text) / 2;
        const double centre = std::clamp(xOf(tick), half, width() - half);
        if (centre - half < taken) continue;
        taken = centre + half + px(8);
        painter.fillRect(QRectF(xOf(tick), plot.bottom(), 1, px(4)), t.line2);
        painter.drawText(QRectF(centre - half - 1, plot.bottom() + px(4), 2 * half + 2, line), Qt::AlignCenter, text);
    }
    painter.drawText(QRectF(plot.left(), plot.bottom() + px(4) + line, plot.width(), line), Qt::AlignCenter,
                     m_curve.isLogarithmic ? tr("%1 (log scale)").arg(m_curve.xTitle) : m_curve.xTitle);
    painter.setRenderHint(QPainter::Antialiasing);
    QPolygonF shape;
    for (const QPointF& point : m_curve.points) shape << QPointF(xOf(point.x()), yOf(point.y()));
    painter.setPen(QPen(t.hue(Hue::Blue), 1.8));
    painter.drawPolyline(shape);
    if (m_curve.planX && *m_curve.planX >= lowX && *m_curve.planX <= highX) {
        const double x = xOf(*m_curve.planX);
        painter.setPen(QPen(t.text2, 1, Qt::DashLine));
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
        const QString text = tr("open plan");
        const double wide = metrics.horizontalAdvance(text) + px(4);
        const double left = x + px(4) + wide > width() ? x - px(4) - wide : x + px(4);
        painter.setPen(t.text2);
        painter.drawText(QRectF(left, plot.top(), wide, line), Qt::AlignLeft | Qt::AlignVCenter, text);
    }
    if (!std::isfinite(m_curve.now.y())) return;
    const QPointF now(xOf(std::clamp(m_curve.now.x(), lowX, highX)), yOf(m_curve.now.y()));
    painter.setPen(QPen(t.panel, 2));
    painter.setBrush(t.hue(Hue::Orange));
    painter.drawEllipse(now, px(5), px(5));
}

}  // namespace slipway::gui
