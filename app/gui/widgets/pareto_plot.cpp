#include "app/gui/widgets/pareto_plot.h"

#include "app/gui/look/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace slipway::gui {

ParetoPlot::ParetoPlot(QWidget* parent) : PaintedWidget(parent) {
    setMinimumSize(px(200), px(150));
}

QSize ParetoPlot::sizeHint() const {
    return {px(360), px(230)};
}

void ParetoPlot::setPoints(std::vector<ParetoPoint> points) {
    m_points = std::move(points);
    m_selected = m_hover = -1;
    m_passing.clear();
    findFront();
    changed();
}

void ParetoPlot::setNames(const QString& xName, const QString& yName) {
    m_frame.x.name = xName;
    m_frame.y.name = yName;
    setAccessibleName(tr("%1 against %2").arg(xName, yName));
    changed();
}

void ParetoPlot::setFormats(Format x, Format y, bool bytes) {
    m_frame.x.format = std::move(x);
    m_frame.y.format = std::move(y);
    m_frame.y.isBytes = bytes;
    changed();
}

void ParetoPlot::setSelected(int index) {
    const int valid = index >= 0 && index < static_cast<int>(m_points.size()) ? index : -1;
    if (valid == m_selected) return;
    m_selected = valid;
    update();
}

void ParetoPlot::setPassing(std::vector<bool> passing) {
    m_passing = std::move(passing);
    changed();
}

bool ParetoPlot::isDrawn(std::size_t index) const {
    return std::isfinite(m_points[index].x) && std::isfinite(m_points[index].y);
}

void ParetoPlot::findFront() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < m_points.size(); ++i)
        if (isDrawn(i)) order.push_back(i);
    // From the best x down, each point with the best y so far is on the front.
    const auto x = [this](std::size_t i) { return m_moreX ? m_points[i].x : -m_points[i].x; };
    const auto y = [this](std::size_t i) { return m_moreY ? m_points[i].y : -m_points[i].y; };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return x(a) != x(b) ? x(a) > x(b) : y(a) > y(b); });
    m_front.clear();
    m_isOnFront.assign(m_points.size(), false);
    for (const std::size_t i : order) {
        if (!m_front.empty() && y(i) <= y(m_front.back())) continue;
        m_front.push_back(i);
        m_isOnFront[i] = true;
    }
    std::reverse(m_front.begin(), m_front.end());
}

void ParetoPlot::setBetter(bool moreX, bool moreY) {
    m_moreX = moreX;
    m_moreY = moreY;
    findFront();
    changed();
}

void ParetoPlot::layOut() {
    double xLow = INFINITY, xHigh = -INFINITY, yLow = INFINITY, yHigh = -INFINITY;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        if (!isDrawn(i)) continue;
        xLow = std::min(xLow, m_points[i].x);
        xHigh = std::max(xHigh, m_points[i].x);
        yLow = std::min(yLow, m_points[i].y);
        yHigh = std::max(yHigh, m_points[i].y);
    }
    if (!(xHigh >= xLow)) xLow = yLow = 0, xHigh = yHigh = 1;
    // Points with a single value still need a width.
    const auto widen = [](double& low, double& high) {
        const double margin = high > low ? 0.06 * (high - low) : std::max(std::fabs(high) * 0.1, 1e-9);
        low = low >= 0 ? std::max(0.0, low - margin) : low - margin;
        high += margin;
    };
    widen(xLow, xHigh);
    widen(yLow, yHigh);
    m_frame.x.low = xLow;
    m_frame.x.high = xHigh;
    m_frame.y.low = yLow;
    m_frame.y.high = yHigh;
    const double line = QFontMetricsF(fontOf(kAxisSize)).height();
    m_frame.layOut(size(), line, line);
}

QPointF ParetoPlot::placeOf(std::size_t index) const {
    return m_frame.at(m_points[index].x, m_points[index].y);
}

void ParetoPlot::paintStill(QPainter& painter) {
    const Theme& t = theme();
    layOut();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(fontOf(kAxisSize));
    const QFontMetricsF metrics(painter.font());
    if (m_points.empty()) return;
    painter.setPen(t.text2);
    painter.drawText(QRectF(0, 0, width(), metrics.height()), Qt::AlignLeft | Qt::AlignTop,
                     (m_moreY ? tr("%1, higher is better") : tr("%1, lower is better")).arg(m_frame.y.name));
    m_frame.paintRows(painter);
    m_frame.paintColumns(painter, width());
    painter.setPen(t.text2);
    const QRectF& area = m_frame.area;
    int unknown = 0;
    for (std::size_t i = 0; i < m_points.size(); ++i) unknown += !isDrawn(i);
    const QString caption =
        (m_moreX ? tr("%1, higher is better") : tr("%1, lower is better")).arg(m_frame.x.name) +
        (unknown > 0 ? QStringLiteral(" · ") + tr("%n without a figure", nullptr, unknown) : QString());
    painter.drawText(QRectF(0, area.bottom() + metrics.height() + px(6), area.right(), metrics.height()),
                     Qt::AlignRight | Qt::AlignTop, metrics.elidedText(caption, Qt::ElideRight, area.right()));

    QPolygonF steps;
    for (const std::size_t i : m_front) {
        const QPointF at = placeOf(i);
        if (!steps.isEmpty()) steps << QPointF(steps.back().x(), at.y());
        steps << at;
    }
    painter.setPen(QPen(t.hue(Hue::Blue), 1.4));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(steps);
    const auto draw = [&](std::size_t i, bool front) {
        const QPointF at = placeOf(i);
        const bool faint = !passes(i);
        const QColor colour = faint ? t.line : front ? t.hue(Hue::Blue) : t.line2;
        painter.setPen(QPen(colour, 1.2));
        painter.setBrush(front && !faint ? QBrush(colour) : QBrush(t.panel));
        if (m_points[i].isCurrent) {
            const double r = px(6);
            painter.setPen(QPen(t.text, 1.2));
            painter.setBrush(t.hue(Hue::Orange));
            painter.drawPolygon(QPolygonF() << at + QPointF(0, -r) << at + QPointF(r, 0) << at + QPointF(0, r)
                                            << at + QPointF(-r, 0));
        } else {
            painter.drawEllipse(at, px(front ? 4 : 3.2), px(front ? 4 : 3.2));
        }
    };
    for (std::size_t i = 0; i < m_points.size(); ++i)
        if (isDrawn(i) && !isOnFront(i)) draw(i, false);
    for (const std::size_t i : m_front) draw(i, true);
}

void ParetoPlot::paintMoving(QPainter& painter) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    if (m_selected >= 0 && isDrawn(static_cast<std::size_t>(m_selected))) {
        painter.setPen(QPen(theme().accent, 2));
        painter.drawEllipse(placeOf(static_cast<std::size_t>(m_selected)), px(7.5), px(7.5));
    }
    if (m_hover >= 0)
        paintTip(painter, placeOf(static_cast<std::size_t>(m_hover)), tipLines(static_cast<std::size_t>(m_hover)));
}

QStringList ParetoPlot::tipLines(std::size_t index) const {
    const ParetoPoint& p = m_points[index];
    QStringList lines{p.name, m_frame.x.name + QStringLiteral(": ") + m_frame.x.format(p.x),
                      m_frame.y.name + QStringLiteral(": ") + m_frame.y.format(p.y)};
    if (p.isCurrent) lines << tr("This plan");
    if (isOnFront(index))
        lines << (m_subject == PlotSubject::Runs
                      ? tr("Pareto-optimal: no other run improves one without worsening the other")
                      : tr("Pareto-optimal: no other layout improves one without worsening the other"));
    return lines;
}

int ParetoPlot::nearest(const QPointF& at) const {
    int found = -1;
    double best = px(14);
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        if (!isDrawn(i)) continue;
        const double distance = QLineF(placeOf(i), at).length();
        if (distance > best) continue;
        best = distance;
        found = static_cast<int>(i);
    }
    return found;
}

void ParetoPlot::mouseMoveEvent(QMouseEvent* event) {
    if (const int now = nearest(event->position()); now != m_hover) {
        m_hover = now;
        update();
    }
}

void ParetoPlot::mousePressEvent(QMouseEvent* event) {
    mouseMoveEvent(event);
    if (event->button() != Qt::LeftButton || m_hover < 0) return PaintedWidget::mousePressEvent(event);
    setSelected(m_hover);
    emit chosen(m_hover);
}

void ParetoPlot::mouseDoubleClickEvent(QMouseEvent* event) {
    mouseMoveEvent(event);
    if (m_hover >= 0) emit activated(m_hover);
}

void ParetoPlot::leaveEvent(QEvent*) {
    m_hover = -1;
    update();
}

// Left and right walk along the front; from a point off the front to its nearest point.
void ParetoPlot::keyPressEvent(QKeyEvent* event) {
    const int key = event->key();
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) && m_selected >= 0) {
        emit activated(m_selected);
        return;
    }
    const bool end = key == (m_moreX ? Qt::Key_End : Qt::Key_Home);
    const bool begin = key == (m_moreX ? Qt::Key_Home : Qt::Key_End);
    const bool forward = key == (m_moreX ? Qt::Key_Right : Qt::Key_Left) || end;
    const bool back = key == (m_moreX ? Qt::Key_Left : Qt::Key_Right) || begin;
    if ((!forward && !back) || m_front.empty()) return PaintedWidget::keyPressEvent(event);
    const auto at = std::find(m_front.begin(), m_front.end(), static_cast<std::size_t>(m_selected));
    std::size_t place = static_cast<std::size_t>(at - m_front.begin());
    if (begin)
        place = 0;
    else if (end || place == m_front.size())
        place = m_front.size() - 1;
    else if (forward)
        place = std::min(place + 1, m_front.size() - 1);
    else
        place = place > 0 ? place - 1 : 0;
    setSelected(static_cast<int>(m_front[place]));
    m_hover = m_selected;  // the tool tip describes the point at the keyboard focus
    update();
    emit chosen(m_selected);
}

QString ParetoPlot::summary() const {
    const bool runs = m_subject == PlotSubject::Runs;
    if (m_points.empty()) return runs ? tr("No runs yet.") : tr("No layouts yet.");
    return (runs ? tr("%1 against %2: %3 runs, %4 Pareto-optimal.")
                 : tr("%1 against %2: %3 layouts, %4 Pareto-optimal."))
        .arg(m_frame.x.name, m_frame.y.name)
        .arg(m_points.size())
        .arg(m_front.size());
}

QString ParetoPlot::valueAtCursor() const {
    const int at = m_hover >= 0 ? m_hover : m_selected;
    return at >= 0 ? tipLines(static_cast<std::size_t>(at)).join(QStringLiteral(", ")) : QString();
}

DataTable ParetoPlot::dataTable() const {
    DataTable table{{m_subject == PlotSubject::Runs ? tr("Run") : tr("Layout"), m_frame.x.name, m_frame.y.name,
                     tr("Pareto-optimal")},
                    {}};
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const ParetoPoint& p = m_points[i];
        const bool front = isOnFront(i);
        table.rows.append({p.name, std::isfinite(p.x) ? m_frame.x.format(p.x) : tr("n/a"),
                           std::isfinite(p.y) ? m_frame.y.format(p.y) : tr("n/a"), front ? tr("yes") : QString()});
    }
    return table;
}

}  // namespace slipway::gui
