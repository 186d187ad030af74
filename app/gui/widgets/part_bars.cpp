#include "app/gui/widgets/part_bars.h"

#include "app/gui/look/theme.h"

#include <QPainter>
#include <algorithm>

namespace slipway::gui {

PartBars::PartBars(QWidget* parent) : PaintedWidget(parent) {
    setMinimumSize(px(200), px(140));
}

QSize PartBars::sizeHint() const {
    return {px(330), px(230)};
}

void PartBars::setBars(std::vector<PartBar> bars, const QString& axis, const QString& first, const QString& second,
                       const QString& whenEmpty) {
    m_bars = std::move(bars);
    m_axis = axis;
    m_first = first;
    m_second = second;
    m_whenEmpty = whenEmpty;
    setAccessibleName(tr("%1 and %2 by %3").arg(first, second, axis));
    changed();
}

void PartBars::paintStill(QPainter& painter) {
    if (m_bars.empty()) return paintSummary(painter);
    const Theme& t = theme();
    const QFontMetricsF metrics(fontOf(kAxisSize));
    const double line = metrics.height();
    painter.setFont(fontOf(kAxisSize));
    double x = 0;
    for (const auto& [name, colour] :
         std::initializer_list<std::pair<QString, QColor>>{{m_first, t.hue(Hue::Blue)}, {m_second, t.hue(Hue::Sky)}}) {
        painter.fillRect(QRectF(x, line / 2 - px(4), px(9), px(9)), colour);
        painter.setPen(t.text2);
        painter.drawText(QPointF(x + px(14), metrics.ascent()), name);
        x += px(28) + metrics.horizontalAdvance(name);
    }
    const QRectF area(px(2), 2 * line + px(10), width() - px(4), height() - 4 * line - px(20));
    double most = 0;
    for (const PartBar& bar : m_bars) most = std::max(most, bar.first + bar.second);
    if (!(most > 0)) return;
    const double slot = area.width() / static_cast<double>(m_bars.size());
    double lastName = -1, lastTotal = -1;
    for (std::size_t i = 0; i < m_bars.size(); ++i) {
        const PartBar& bar = m_bars[i];
        const double left = area.left() + slot * static_cast<double>(i);
        const double high1 = bar.first / most * area.height(), high2 = bar.second / most * area.height();
        const QRectF first(left + 0.12 * slot, area.bottom() - high1, 0.76 * slot, high1);
        painter.fillRect(first, t.hue(Hue::Blue));
        painter.fillRect(QRectF(first.left(), first.top() - high2, first.width(), high2), t.hue(Hue::Sky));
        painter.setFont(fontOf(kAxisSize, bar.isBest));
        const QFontMetricsF bold(painter.font());
        const auto write = [&](const QString& text, double top, double& last) {
            const double half = bold.horizontalAdvance(text) / 2;
            const double centre = first.center().x();
            // Texts that would touch are skipped; the table (T) has them all.
            if (centre - half < last && !bar.isBest) return;
            last = centre + half + px(3);
            painter.drawText(QRectF(centre - half - 1, top, 2 * half + 2, line), Qt::AlignCenter, text);
        };
        painter.setPen(t.text);
        write(bar.total, first.top() - high2 - line - px(1), lastTotal);
        painter.setPen(bar.isBest ? t.text : t.text2);
        write(bar.name, area.bottom() + px(4), lastName);
    }
    painter.fillRect(QRectF(area.left(), area.bottom(), area.width(), 1), t.line2);
    painter.setFont(fontOf(kAxisSize));
    painter.setPen(t.text2);
    painter.drawText(QRectF(area.left(), area.bottom() + px(4) + line, area.width(), line), Qt::AlignCenter, m_axis);
}

QString PartBars::summary() const {
    if (m_bars.empty()) return m_whenEmpty;
    for (const PartBar& bar : m_bars)
        if (bar.isBest) return tr("%1 and %2: minimum at %3, %4.").arg(m_first, m_second, bar.name, bar.total);
    return tr("%1 and %2 by %3.").arg(m_first, m_second, m_axis);
}

DataTable PartBars::dataTable() const {
    DataTable table{{m_axis, tr("Sum")}, {}};
    for (const PartBar& bar : m_bars) table.rows.append({bar.name, bar.total});
    return table;
}

}  // namespace slipway::gui
