#include "app/gui/widgets/number_line.h"

#include "app/gui/text/format.h"
#include "core/base/units.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace slipway::gui {
namespace {

QString markText(double value) {
    return qs(formatSignificant(value, 4));
}

}  // namespace

NumberLine::NumberLine(QWidget* parent) : PaintedWidget(parent) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void NumberLine::setMarks(std::vector<Mark> marks, const QString& unit) {
    std::erase_if(marks, [](const Mark& mark) { return !std::isfinite(mark.value); });
    std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.value < b.value; });
    m_marks = std::move(marks);
    m_unit = unit;
    changed();
}

QString NumberLine::summary() const {
    if (m_marks.empty()) return tr("No figure yet.");
    QStringList parts;
    for (const Mark& mark : m_marks) parts.append(mark.name + QLatin1Char(' ') + markText(mark.value));
    return parts.join(QStringLiteral(", ")) + (m_unit.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(m_unit));
}

DataTable NumberLine::dataTable() const {
    DataTable table{{tr("Mark"), tr("Value"), tr("± spread")}, {}};
    for (const Mark& mark : m_marks)
        table.rows.append({mark.name, markText(mark.value), mark.spread > 0 ? markText(mark.spread) : QString()});
    return table;
}

QSize NumberLine::sizeHint() const {
    return {px(520), 3 * lineHeight(17) + px(34)};
}

QSize NumberLine::minimumSizeHint() const {
    return {px(260), sizeHint().height()};
}

QStringList NumberLine::tickTexts(const QVector<double>& ticks) {
    const double middle = ticks.value(ticks.size() / 2);
    QStringList texts;
    for (const double tick : ticks) texts.append(markText(tick));
    if (texts.removeDuplicates() == 0) return texts;
    texts.clear();
    for (const double tick : ticks) {
        const double distance = tick - middle;
        const bool isNone = std::fabs(distance) < 1e-3 * std::fabs(ticks.back() - ticks.front());
        texts.append(isNone ? markText(middle)
                            : markText(middle) + (distance > 0 ? QStringLiteral(" + ") : QStringLiteral(" \u2212 ")) +
                                  qs(formatSignificant(std::fabs(distance), 2)));
    }
    return texts;
}

void NumberLine::paintStill(QPainter& painter) {
    if (m_marks.empty()) return paintSummary(painter);
    const Theme& t = theme();
    double low = m_marks.front().value, high = m_marks.back().value;
    for (const Mark& mark : m_marks) {
        low = std::min(low, mark.value - mark.spread);
        high = std::max(high, mark.value + mark.spread);
    }
    const double room = high > low ? 0.12 * (high - low) : std::max(0.1 * std::fabs(high), 1e-9);
    low -= room;
    high += room;
    const double left = px(28), right = width() - px(28), line = lineHeight(17);
    const double axis = height() - line - px(4);
    const auto xOf = [&](double value) { return left + (value - low) / (high - low) * (right - left); };
    painter.fillRect(QRectF(left, axis, right - left, 1), t.line2);
    painter.setFont(fontOf(kAxisSize));
    const QVector<double> ticks = roundTicks(low, high, 6);
    const QStringList texts = tickTexts(ticks);
    for (qsizetype i = 0; i < ticks.size(); ++i) {
        const double tick = ticks[i];
        painter.fillRect(QRectF(xOf(tick), axis, 1, px(4)), t.line2);
        painter.setPen(t.text2);
        painter.drawText(QRectF(xOf(tick) - px(40), axis + px(4), px(80), line), Qt::AlignHCenter | Qt::AlignTop,
                         texts[i]);
    }
    for (const Mark& mark : m_marks) {
        if (mark.spread <= 0) continue;
        QColor band = t.hue(mark.hue);
        band.setAlphaF(0.3f);
        painter.fillRect(
            QRectF(QPointF(xOf(mark.value - mark.spread), axis - px(12)), QPointF(xOf(mark.value + mark.spread), axis)),
            band);
    }
    // Names are moved apart; a bent line connects each to its mark.
    QFont side = fontOf(kSideSize), strong = fontOf(1.0, true);
    std::vector<double> centres, widths;
    for (const Mark& mark : m_marks) {
        widths.push_back(std::max(QFontMetricsF(side).horizontalAdvance(mark.name),
                                  QFontMetricsF(strong).horizontalAdvance(markText(mark.value))) +
                         px(12));
        centres.push_back(xOf(mark.value));
    }
    for (std::size_t i = 1; i < centres.size(); ++i)
        centres[i] = std::max(centres[i], centres[i - 1] + (widths[i - 1] + widths[i]) / 2);
    for (std::size_t i = centres.size(); i-- > 0;) {
        const double most =
            i + 1 < centres.size() ? centres[i + 1] - (widths[i] + widths[i + 1]) / 2 : width() - widths[i] / 2;
        centres[i] = std::min(centres[i], most);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < m_marks.size(); ++i) {
        const double x = xOf(m_marks[i].value), below = 2 * line + px(2);
        const QRectF name(centres[i] - widths[i] / 2, 0, widths[i], line);
        painter.setFont(side);
        painter.setPen(t.text2);
        painter.drawText(name, Qt::AlignCenter, m_marks[i].name);
        painter.setFont(strong);
        painter.setPen(t.text);
        painter.drawText(name.translated(0, line - px(2)), Qt::AlignCenter, markText(m_marks[i].value));
        painter.setPen(QPen(t.line2, 1));
        painter.drawPolyline(QPolygonF() << QPointF(centres[i], below) << QPointF(x, below + px(6)));
        painter.setPen(QPen(t.hue(m_marks[i].hue), 2.4));
        painter.drawLine(QPointF(x, below + px(6)), QPointF(x, axis));
    }
}

}  // namespace slipway::gui
