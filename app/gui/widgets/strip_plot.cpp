#include "app/gui/widgets/strip_plot.h"

#include "app/gui/look/theme.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace slipway::gui {

StripPlot::StripPlot(QWidget* parent) : PaintedWidget(parent) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void StripPlot::setValues(std::vector<double> values, std::vector<Mark> marks, const QString& title,
                          std::function<QString(double)> format) {
    std::erase_if(values, [](double v) { return !std::isfinite(v); });
    std::erase_if(marks, [](const Mark& mark) { return !std::isfinite(mark.value); });
    m_values = std::move(values);
    m_marks = std::move(marks);
    m_title = title;
    m_format = std::move(format);
    changed();
}

QString StripPlot::summary() const {
    std::vector<double> all = m_values;
    for (const Mark& mark : m_marks) all.push_back(mark.value);
    if (all.empty()) return tr("No run has this figure.");
    const auto [low, high] = std::minmax_element(all.begin(), all.end());
    return tr("%n run(s) between %1 and %2.", nullptr, static_cast<int>(all.size()))
        .arg(m_format(*low), m_format(*high));
}

DataTable StripPlot::dataTable() const {
    DataTable table{{tr("Run"), tr("Value")}, {}};
    for (const Mark& mark : m_marks) table.rows.append({mark.letter, m_format(mark.value)});
    for (const double value : m_values) table.rows.append({QString(), m_format(value)});
    return table;
}

QSize StripPlot::sizeHint() const {
    return {px(260), px(62) + foot()};
}

double StripPlot::most() const {
    double most = 0;
    for (const double value : m_values) most = std::max(most, value);
    for (const Mark& mark : m_marks) most = std::max(most, mark.value);
    return most > 0 ? most : 1;
}

double StripPlot::xOf(double value) const {
    return px(6) + std::max(value, 0.0) / most() * (width() - px(24) - px(6));
}

// Ticks and title below the axis.
int StripPlot::foot() const {
    return px(5) + lineHeight(14, kAxisSize) + lineHeight(15, kAxisSize);
}

double StripPlot::axisY() const {
    return height() - foot();
}

std::vector<QRectF> StripPlot::markRects() const {
    // From left to right, each in the first free lane; if none is free, in the one that has been free longest.
    const QFontMetricsF metrics(fontOf(kSideSize, true));
    const double lane = std::max<double>(px(11), metrics.ascent() + px(1)), dot = px(4.5);
    const auto numLanes = static_cast<std::size_t>(std::max(1.0, std::floor((axisY() - px(2)) / lane)));
    std::vector<std::size_t> order(m_marks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [this](std::size_t a, std::size_t b) { return m_marks[a].value < m_marks[b].value; });
    std::vector<double> taken(numLanes, -px(1000));
    std::vector<QRectF> rects(m_marks.size());
    for (const std::size_t i : order) {
        const double x = xOf(m_marks[i].value);
        // A letter that would extend past the strip is left of its dot.
        const double letter = metrics.horizontalAdvance(m_marks[i].letter) + px(4);
        const bool leftOfDot = x + dot + letter > width();
        const QRectF rect(leftOfDot ? x - dot - letter : x - dot, 0, 2 * dot + letter, lane);
        auto free = std::find_if(taken.begin(), taken.end(), [&](double end) { return end <= rect.left(); });
        if (free == taken.end()) free = std::min_element(taken.begin(), taken.end());
        rects[i] = rect.translated(0, px(2) + static_cast<double>(free - taken.begin()) * lane);
        *free = rect.right() + px(1);
    }
    return rects;
}

void StripPlot::paintStill(QPainter& painter) {
    const Theme& t = theme();
    if (m_values.empty() && m_marks.empty()) return paintSummary(painter);
    painter.setRenderHint(QPainter::Antialiasing);
    const double left = xOf(0), right = xOf(most()), axis = axisY();
    QColor faint = t.text2;
    faint.setAlphaF(0.5f);
    painter.setPen(Qt::NoPen);
    painter.setBrush(faint);
    // Dots of equal values must not hide each other: a fixed, repeatable scatter across the strip.
    for (std::size_t i = 0; i < m_values.size(); ++i) {
        const double lane = static_cast<double>((i * 37) % 11) / 10.0;
        painter.drawEllipse(QPointF(xOf(m_values[i]), px(6) + lane * (axis - px(16))), px(2.6), px(2.6));
    }
    painter.setFont(fontOf(kSideSize, true));
    const std::vector<QRectF> rects = markRects();
    for (std::size_t i = 0; i < m_marks.size(); ++i) {
        const double x = xOf(m_marks[i].value);
        painter.fillRect(rects[i], t.panel);  // otherwise other runs' dots would cross the letter
        painter.setPen(Qt::NoPen);
        painter.setBrush(t.series(static_cast<int>(i)));
        painter.drawEllipse(QPointF(x, rects[i].center().y()), px(4.5), px(4.5));
        painter.setPen(t.text);
        const bool leftOfDot = rects[i].center().x() < x;
        painter.drawText(leftOfDot ? rects[i].adjusted(0, 0, -px(11), 0) : rects[i].adjusted(px(11), 0, px(2), 0),
                         (leftOfDot ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter, m_marks[i].letter);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRectF(left, axis, right - left, 1), t.line2);
    painter.setFont(fontOf(kAxisSize));
    painter.setPen(t.text2);
    for (const double tick : roundTicks(0, most(), 4)) {
        painter.fillRect(QRectF(xOf(tick), axis, 1, px(3)), t.line2);
        painter.drawText(QRectF(xOf(tick) - px(40), axis + px(4), px(80), lineHeight(14, kAxisSize)),
                         Qt::AlignHCenter | Qt::AlignTop, m_format ? m_format(tick) : QString::number(tick));
    }
    painter.drawText(QRectF(left, axis + px(4) + lineHeight(14, kAxisSize), width() - left, lineHeight(15, kAxisSize)),
                     Qt::AlignLeft | Qt::AlignVCenter, m_title);
}

}  // namespace slipway::gui
