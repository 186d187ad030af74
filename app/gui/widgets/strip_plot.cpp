#include "app/gui/widgets/strip_plot.h"

#include "app/gui/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace slipway::gui {

StripPlot::StripPlot(QWidget* parent) : PaintedWidget(parent) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void StripPlot::setValues(std::vector<double> values, std::vector<Mark> marks, const QString& title, std::function<QString(double)> format) {
    std::erase_if(values, [](double v) { return !std::isfinite(v); });
    std::erase_if(marks, [](const Mark& mark) { return !std::isfinite(mark.value); });
    m_values = std::move(values);
    m_marks = std::move(marks);
    m_title = title;
    m_format = std::move(format);
    changed();
}

QString StripPlot::summary() const {
    if (m_values.empty()) return tr("No run has this figure.");
    const auto [low, high] = std::minmax_element(m_values.begin(), m_values.end());
    return tr("%n run(s) between %1 and %2.", nullptr, static_cast<int>(m_values.size())).arg(m_format(*low), m_format(*high));
}

DataTable StripPlot::dataTable() const {
    DataTable table{{tr("Run"), tr("Value")}, {}};
    for (const Mark& mark : m_marks) table.rows.append({mark.letter, m_format(mark.value)});
    for (const double value : m_values) table.rows.append({QString(), m_format(value)});
    return table;
}

QSize StripPlot::sizeHint() const {
    return {px(260), px(96)};
}

void StripPlot::paintStill(QPainter& painter) {
    const Theme& t = theme();
    painter.setRenderHint(QPainter::Antialiasing);
    const double left = px(6);
    const double right = width() - px(24);
    const double axis = height() - px(34);
    double most = 0;
    for (const double value : m_values) most = std::max(most, value);
    for (const Mark& mark : m_marks) most = std::max(most, mark.value);
    if (most <= 0) most = 1;
    const auto x = [&](double value) { return left + std::max(value, 0.0) / most * (right - left); };
    QColor faint = t.text2;
    faint.setAlphaF(0.5f);
    painter.setPen(Qt::NoPen);
    painter.setBrush(faint);
    // Dots of equal values must not hide each other: a fixed, repeatable scatter across the strip.
    for (std::size_t i = 0; i < m_values.size(); ++i) {
        const double lane = static_cast<double>((i * 37) % 11) / 10.0;
        painter.drawEllipse(QPointF(x(m_values[i]), px(6) + lane * (axis - px(16))), px(2.6), px(2.6));
    }
    painter.setFont(fontOf(kSideSize, true));
    for (std::size_t i = 0; i < m_marks.size(); ++i) {
        const QPointF at(x(m_marks[i].value), px(10) + (m_marks.size() > 1 ? static_cast<double>(i % 2) * (axis - px(24)) : (axis - px(24)) / 2));
        painter.setPen(Qt::NoPen);
        painter.setBrush(t.series(static_cast<int>(i)));
        painter.drawEllipse(at, px(4.5), px(4.5));
        painter.setPen(t.text);
        painter.drawText(at + QPointF(px(8), px(4)), m_marks[i].letter);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRectF(left, axis, right - left, 1), t.line2);
    painter.setFont(fontOf(kAxisSize));
    painter.setPen(t.text2);
    for (const double tick : roundTicks(0, most, 4)) {
        painter.fillRect(QRectF(x(tick), axis, 1, px(3)), t.line2);
        painter.drawText(QRectF(x(tick) - px(40), axis + px(4), px(80), px(14)), Qt::AlignHCenter | Qt::AlignTop, m_format ? m_format(tick) : QString::number(tick));
    }
    painter.drawText(QRectF(left, axis + px(18), width() - left, px(15)), Qt::AlignLeft | Qt::AlignVCenter, m_title);
}

}  // namespace slipway::gui
