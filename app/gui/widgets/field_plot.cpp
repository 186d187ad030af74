#include "app/gui/widgets/field_plot.h"

#include "app/gui/look/theme.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <map>

namespace slipway::gui {
namespace {

constexpr int kMaxCategories = 12;

}  // namespace

FieldPlot::FieldPlot(QWidget* parent) : PaintedWidget(parent) {
    m_format = [](double value) { return QString::number(value); };
    setMinimumSize(px(220), px(140));
}

QSize FieldPlot::sizeHint() const {
    return {px(380), px(260)};
}

void FieldPlot::setPoints(std::vector<FieldPoint> points) {
    m_points = std::move(points);
    // Hollow points first, so that the compared ones lie on top.
    std::stable_sort(m_points.begin(), m_points.end(),
                     [](const FieldPoint& a, const FieldPoint& b) { return (a.colour < 0) > (b.colour < 0); });
    m_hover.reset();
    changed();
}

void FieldPlot::setKind(Kind kind) {
    m_kind = kind;
    changed();
}

void FieldPlot::setNames(const QString& xName, const QString& yName) {
    m_xName = xName;
    m_yName = yName;
    setAccessibleName(tr("%1 by %2").arg(yName, xName));
    changed();
}

void FieldPlot::setYFormat(std::function<QString(double)> format, bool bytes) {
    m_format = std::move(format);
    m_bytes = bytes;
    changed();
}

int FieldPlot::numFailed() const {
    return static_cast<int>(
        std::count_if(m_points.begin(), m_points.end(), [](const FieldPoint& p) { return !std::isfinite(p.y); }));
}

QString FieldPlot::summary() const {
    if (m_points.empty()) return tr("No run has this figure.");
    return tr("%1 by %2: %3 runs, %4 without a value.").arg(m_yName, m_xName).arg(m_points.size()).arg(numFailed());
}

QString FieldPlot::valueAtCursor() const {
    return m_hover ? tipLines(m_points[m_places[*m_hover].point]).join(QStringLiteral(", ")) : QString();
}

DataTable FieldPlot::dataTable() const {
    DataTable table{{tr("Run"), m_xName, m_yName, tr("Forecast")}, {}};
    for (const FieldPoint& p : m_points)
        table.rows.append({p.letter.isEmpty() ? p.name : p.letter + ' ' + p.name, p.x,
                           std::isfinite(p.y) ? m_format(p.y) : tr("n/a"),
                           p.forecast ? m_format(*p.forecast) : QString()});
    return table;
}

double FieldPlot::yOf(double value) const {
    return m_area.bottom() - value / m_yMax * m_area.height();
}

QVector<double> FieldPlot::yTicks() const {
    return m_bytes ? roundByteTicks(0, m_yMax, 4) : roundTicks(0, m_yMax, 4);
}

// Categories, ranges and the place of every point.
void FieldPlot::layOut() {
    const QFontMetricsF metrics(fontOf(kAxisSize));
    double high = 0;
    for (const FieldPoint& p : m_points) {
        if (std::isfinite(p.y)) high = std::max(high, p.y);
        if (p.colour >= 0 && p.forecast && std::isfinite(*p.forecast)) high = std::max(high, *p.forecast);
    }
    m_yMax = high > 0 ? high * 1.08 : 1;
    double labelWidth = 0;
    for (const double tick : yTicks()) labelWidth = std::max(labelWidth, metrics.horizontalAdvance(m_format(tick)));
    m_area = QRectF(labelWidth + px(10), px(8), width() - labelWidth - px(22), height() - metrics.height() - px(18));

    std::map<std::pair<double, QString>, int> order;
    bool allNumbers = true;
    for (const FieldPoint& p : m_points) {
        allNumbers = allNumbers && p.xNumber.has_value();
        order[{p.xNumber.value_or(1e300), p.x}] = 0;
    }
    m_categories.clear();
    if (static_cast<int>(order.size()) <= kMaxCategories || !allNumbers) {
        for (auto& [key, index] : order) {
            index = static_cast<int>(m_categories.size());
            m_categories.append(key.second);
        }
    }
    m_xMin = order.empty() ? 0 : order.begin()->first.first;
    m_xMax = order.empty() ? 1 : std::prev(order.end())->first.first;
    if (!(m_xMax > m_xMin)) m_xMax = m_xMin + 1;

    m_places.clear();
    std::map<int, int> perCategory;
    std::map<int, int> total;
    const auto categoryOf = [&](const FieldPoint& p) { return order[{p.xNumber.value_or(1e300), p.x}]; };
    for (const FieldPoint& p : m_points)
        if (p.colour >= 0) ++total[categoryOf(p)];
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const FieldPoint& p = m_points[i];
        double x = 0;
        if (m_categories.isEmpty()) {
            x = m_area.left() + (*p.xNumber - m_xMin) / (m_xMax - m_xMin) * m_area.width();
        } else {
            const int category = categoryOf(p);
            const double slot = m_area.width() / static_cast<double>(m_categories.size());
            // Compared runs side by side; others are spread a little by their index so that they do not cover each other.
            const double offset =
                p.colour < 0 ? (static_cast<double>((i * 37) % 11) / 10 - 0.5) * 0.5
                             : (total[category] < 2
                                    ? 0.0
                                    : (perCategory[category]++ / static_cast<double>(total[category] - 1) - 0.5) * 0.6);
            x = m_area.left() + slot * (category + 0.5 + offset);
        }
        m_places.push_back({{x, std::isfinite(p.y) ? yOf(p.y) : m_area.bottom()}, i});
    }
}

void FieldPlot::paintStill(QPainter& painter) {
    if (m_points.empty()) return paintSummary(painter);
    const Theme& t = theme();
    layOut();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(fontOf(kAxisSize));
    if (m_points.empty()) {
        painter.setPen(t.text3);
        painter.drawText(rect(), Qt::AlignCenter, tr("No run has this figure."));
        return;
    }
    for (const double tick : yTicks()) {
        painter.setPen(QPen(tick == 0 ? t.line2 : t.grid, 1));
        painter.drawLine(QPointF(m_area.left(), yOf(tick)), QPointF(m_area.right(), yOf(tick)));
        painter.setPen(t.text2);
        painter.drawText(QRectF(0, yOf(tick) - px(9), m_area.left() - px(6), px(18)), Qt::AlignRight | Qt::AlignVCenter,
                         m_format(tick));
    }
    const QFontMetricsF metrics(painter.font());
    painter.setPen(t.text2);
    const double foot = m_area.bottom() + px(5);
    if (m_categories.isEmpty()) {
        for (const double tick : roundTicks(m_xMin, m_xMax, 4)) {
            const double x = m_area.left() + (tick - m_xMin) / (m_xMax - m_xMin) * m_area.width();
            painter.drawText(QRectF(x - px(40), foot, px(80), metrics.height()), Qt::AlignHCenter | Qt::AlignTop,
                             QString::number(tick, 'g', 4));
        }
    } else {
        const double slot = m_area.width() / static_cast<double>(m_categories.size());
        for (int i = 0; i < m_categories.size(); ++i)
            painter.drawText(QRectF(m_area.left() + slot * i, foot, slot, metrics.height()),
                             Qt::AlignHCenter | Qt::AlignTop,
                             metrics.elidedText(m_categories[i], Qt::ElideMiddle, slot - px(4)));
    }
    for (const Place& place : m_places) {
        const FieldPoint& p = m_points[place.point];
        const QColor colour = p.colour < 0 ? t.line2 : t.series(p.colour);
        if (!std::isfinite(p.y)) {
            painter.setPen(QPen(t.bad, 1.4));
            const double r = px(3);
            painter.drawLine(place.at + QPointF(-r, -r - px(5)), place.at + QPointF(r, r - px(5)));
            painter.drawLine(place.at + QPointF(-r, r - px(5)), place.at + QPointF(r, -r - px(5)));
        } else if (m_kind == Kind::Bars && p.colour >= 0) {
            painter.fillRect(QRectF(place.at.x() - px(6), place.at.y(), px(12), m_area.bottom() - place.at.y()),
                             colour);
        } else {
            painter.setPen(QPen(p.colour < 0 ? t.text2 : colour, 1.2));
            painter.setBrush(p.colour < 0 ? QBrush(Qt::NoBrush) : QBrush(colour));
            painter.drawEllipse(place.at, px(4), px(4));
        }
        if (p.colour >= 0 && p.forecast && std::isfinite(*p.forecast)) {
            painter.setPen(QPen(t.text, 1.6));
            painter.drawLine(QPointF(place.at.x() - px(8), yOf(*p.forecast)),
                             QPointF(place.at.x() + px(8), yOf(*p.forecast)));
        }
        if (!p.letter.isEmpty()) {
            painter.setPen(t.text);
            painter.setFont(fontOf(kAxisSize, true));
            const bool above = m_kind == Kind::Bars;
            const QRectF box = above ? QRectF(place.at.x() - px(12), place.at.y() - px(17), px(24), px(16))
                                     : QRectF(place.at.x() + px(7), place.at.y() - px(8), px(24), px(16));
            painter.drawText(box, above ? Qt::AlignCenter : Qt::AlignLeft | Qt::AlignVCenter, p.letter);
            painter.setFont(fontOf(kAxisSize));
        }
    }
}

QStringList FieldPlot::tipLines(const FieldPoint& p) const {
    QStringList lines{p.letter.isEmpty() ? p.name : p.letter + QStringLiteral("  ") + p.name,
                      m_xName + QStringLiteral(": ") + p.x,
                      m_yName + QStringLiteral(": ") + (std::isfinite(p.y) ? m_format(p.y) : tr("n/a"))};
    if (p.forecast) lines << tr("Forecast: %1").arg(m_format(*p.forecast));
    return lines;
}

void FieldPlot::paintMoving(QPainter& painter) {
    if (m_hover) paintTip(painter, m_places[*m_hover].at, tipLines(m_points[m_places[*m_hover].point]));
}

void FieldPlot::mouseMoveEvent(QMouseEvent* event) {
    std::optional<std::size_t> nearest;
    double best = px(14);
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        const double distance = QLineF(m_places[i].at, event->position()).length();
        if (distance <= best) {
            best = distance;
            nearest = i;
        }
    }
    if (nearest != m_hover) {
        m_hover = nearest;
        update();
    }
}

void FieldPlot::mouseDoubleClickEvent(QMouseEvent* event) {
    mouseMoveEvent(event);
    if (m_hover) emit activated(m_points[m_places[*m_hover].point].id);
}

void FieldPlot::leaveEvent(QEvent*) {
    m_hover.reset();
    update();
}

}  // namespace slipway::gui
