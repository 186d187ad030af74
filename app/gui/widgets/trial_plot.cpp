#include "app/gui/widgets/trial_plot.h"

#include "app/gui/look/theme.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr std::size_t kDense = 200;  // points that would hide each other are drawn smaller

}  // namespace

TrialPlot::TrialPlot(QWidget* parent) : PaintedWidget(parent) {
    setMinimumSize(px(180), px(110));
}

QSize TrialPlot::sizeHint() const {
    return {px(360), px(150)};
}

bool TrialPlot::failed(const TrialPoint& point) const {
    return !std::isfinite(point.y);
}

void TrialPlot::setPoints(std::vector<TrialPoint> points, PlotAxis x, PlotAxis y, Guide guide, double xEnd) {
    m_points = std::move(points);
    m_frame.x = std::move(x);
    m_frame.y = std::move(y);
    m_guide = guide;
    m_hover = -1;
    setAccessibleName(tr("%1 by %2").arg(m_frame.y.name, m_frame.x.name));
    std::stable_sort(m_points.begin(), m_points.end(),
                     [](const TrialPoint& a, const TrialPoint& b) { return a.x < b.x; });
    m_records.clear();
    double xLow = INFINITY, xHigh = -INFINITY, yLow = INFINITY, yHigh = -INFINITY;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const TrialPoint& p = m_points[i];
        xLow = std::min(xLow, p.x);
        xHigh = std::max(xHigh, p.x);
        if (failed(p)) continue;
        yLow = std::min(yLow, p.y);
        yHigh = std::max(yHigh, p.y);
        const double sign = guide == Guide::BestLowest ? -1 : 1;
        if (m_records.empty() || sign * p.y > sign * m_points[m_records.back()].y) m_records.push_back(i);
    }
    if (!(xHigh >= xLow)) xLow = 0, xHigh = 1;
    if (!(yHigh >= yLow)) yLow = 0, yHigh = 1;
    PlotAxis &across = m_frame.x, &up = m_frame.y;
    across.low = up.low = 0;
    across.high = std::max(xHigh, xEnd);
    up.high = yHigh;
    if (m_guide == Guide::Diagonal) across.high = up.high = std::max(across.high, up.high);
    // On an axis from 0, a loss of 2.3 to 2.4 would be a flat line.
    if (m_guide == Guide::BestLowest && yLow > 0.5 * yHigh) up.low = yLow - 0.2 * (yHigh - yLow);
    across.high = across.high > across.low ? across.low + (across.high - across.low) * 1.04 : across.low + 1;
    up.high = up.high > up.low ? up.low + (up.high - up.low) * 1.08 : up.low + 1;
    changed();
}

void TrialPlot::setChosen(int trial) {
    if (trial == m_chosen) return;
    m_chosen = trial;
    update();
}

QPointF TrialPlot::placeOf(std::size_t point) const {
    const TrialPoint& p = m_points[point];
    return failed(p) ? QPointF(m_frame.xOf(p.x), m_frame.area.bottom() - px(5)) : m_frame.at(p.x, p.y);
}

void TrialPlot::paintAxes(QPainter& painter) const {
    m_frame.paintRows(painter);
    const QFontMetricsF metrics(painter.font());
    const double nameLeft = width() - metrics.horizontalAdvance(m_frame.x.name) - px(2);
    painter.setPen(theme().text2);
    painter.drawText(QPointF(nameLeft, m_frame.area.bottom() + px(5) + metrics.ascent()), m_frame.x.name);
    m_frame.paintColumns(painter, nameLeft);
    if (m_guide == Guide::Diagonal) painter.drawText(QPointF(0, metrics.ascent()), m_frame.y.name);
}

void TrialPlot::paintStill(QPainter& painter) {
    if (m_points.empty()) return paintSummary(painter);
    const Theme& t = theme();
    const bool named = m_guide == Guide::Diagonal;  // the name of y is above the plot
    m_frame.layOut(size(), named ? QFontMetricsF(fontOf(kAxisSize)).height() : 0, 0);
    painter.setRenderHint(QPainter::Antialiasing);
    paintAxes(painter);
    if (m_guide == Guide::Diagonal) {
        const double end = std::min(m_frame.x.high, m_frame.y.high);
        painter.setPen(QPen(t.text2, 1, Qt::DashLine));
        painter.drawLine(m_frame.area.bottomLeft(), m_frame.at(end, end));
    }
    const double radius = m_points.size() > kDense ? px(2) : px(3);
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const QPointF at = placeOf(i);
        if (failed(m_points[i])) {
            paintCross(painter, at, radius);
            continue;
        }
        const bool filled = m_guide == Guide::Diagonal;
        painter.setPen(QPen(filled ? t.hue(Hue::Blue) : t.text2, 1.1));
        painter.setBrush(filled ? QBrush(t.hue(Hue::Blue)) : QBrush(Qt::NoBrush));
        painter.drawEllipse(at, radius, radius);
    }
    if ((m_guide != Guide::BestHighest && m_guide != Guide::BestLowest) || m_records.empty()) return;
    QPolygonF steps;
    for (const std::size_t i : m_records) {
        const QPointF at = placeOf(i);
        if (!steps.isEmpty()) steps << QPointF(at.x(), steps.back().y());
        steps << at;
    }
    const double end = placeOf(m_points.size() - 1).x();
    steps << QPointF(end, steps.back().y());
    painter.setPen(QPen(t.hue(Hue::Blue), 1.8));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(steps);
    painter.setFont(fontOf(kAxisSize, true));
    painter.setPen(t.text);
    const QString best = m_frame.y.format(m_points[m_records.back()].y);
    const double wide = QFontMetricsF(painter.font()).horizontalAdvance(best);
    const double x = std::min(end + px(6), width() - wide - px(2));
    const bool over = x < end + px(4);  // no room after the line: above it
    painter.drawText(QPointF(x, steps.back().y() + (over ? -px(5) : px(4))), best);
}

void TrialPlot::paintMoving(QPainter& painter) {
    if (m_frame.area.isEmpty()) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    const int chosen = chosenPoint();
    if (chosen >= 0) {
        painter.setPen(QPen(theme().accent, 2));
        painter.drawEllipse(placeOf(static_cast<std::size_t>(chosen)), px(6.5), px(6.5));
    }
    const int at = m_hover >= 0 ? m_hover : hasFocus() ? chosen : -1;
    if (at >= 0)
        paintTip(painter, placeOf(static_cast<std::size_t>(at)), tipLines(m_points[static_cast<std::size_t>(at)]));
}

QStringList TrialPlot::tipLines(const TrialPoint& point) const {
    return {point.name, m_frame.x.name + QStringLiteral(": ") + m_frame.x.format(point.x),
            m_frame.y.name + QStringLiteral(": ") + (failed(point) ? tr("did not run") : m_frame.y.format(point.y))};
}

int TrialPlot::chosenPoint() const {
    for (std::size_t i = 0; i < m_points.size(); ++i)
        if (m_points[i].trial == m_chosen) return static_cast<int>(i);
    return -1;
}

int TrialPlot::nearest(const QPointF& at) const {
    int found = -1;
    double best = px(14);
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const double distance = QLineF(placeOf(i), at).length();
        if (distance > best) continue;
        best = distance;
        found = static_cast<int>(i);
    }
    return found;
}

QString TrialPlot::summary() const {
    if (m_points.empty()) return tr("No trial has this figure yet.");
    const auto numFailed = std::count_if(m_points.begin(), m_points.end(), [this](const auto& p) { return failed(p); });
    if (m_guide == Guide::Diagonal)
        return tr("%1 against %2: %3 trials.").arg(m_frame.y.name, m_frame.x.name).arg(m_points.size());
    if (m_records.empty()) return tr("No trial has this figure yet.");
    const TrialPoint& best = m_points[m_records.back()];
    return tr("%1 by %2: %3 trials, %4 did not run; best %5, %6.")
        .arg(m_frame.y.name, m_frame.x.name)
        .arg(m_points.size())
        .arg(numFailed)
        .arg(m_frame.y.format(best.y), best.name);
}

QString TrialPlot::valueAtCursor() const {
    const int at = m_hover >= 0 ? m_hover : chosenPoint();
    return at < 0 ? QString() : tipLines(m_points[static_cast<std::size_t>(at)]).join(QStringLiteral(", "));
}

DataTable TrialPlot::dataTable() const {
    DataTable table{{tr("Trial"), m_frame.x.name, m_frame.y.name}, {}};
    for (const TrialPoint& point : m_points)
        table.rows.append(
            {point.name, m_frame.x.format(point.x), failed(point) ? tr("did not run") : m_frame.y.format(point.y)});
    return table;
}

void TrialPlot::keyPressEvent(QKeyEvent* event) {
    const int last = static_cast<int>(m_points.size()) - 1;
    int at = chosenPoint();
    switch (event->key()) {
        case Qt::Key_Right: at = std::min(last, at + 1); break;
        case Qt::Key_Left: at = std::max(0, at - 1); break;
        case Qt::Key_Home: at = 0; break;
        case Qt::Key_End: at = last; break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (at >= 0) emit activated(m_chosen);
            return;
        default: PaintedWidget::keyPressEvent(event); return;
    }
    if (at < 0 || at > last) return;
    m_hover = -1;
    m_chosen = m_points[static_cast<std::size_t>(at)].trial;
    update();
    QAccessibleValueChangeEvent change(this, valueAtCursor());
    QAccessible::updateAccessibility(&change);
    emit chosen(m_chosen);
}

void TrialPlot::mouseMoveEvent(QMouseEvent* event) {
    if (const int now = nearest(event->position()); now != m_hover) {
        m_hover = now;
        update();
    }
}

void TrialPlot::mousePressEvent(QMouseEvent* event) {
    mouseMoveEvent(event);
    if (m_hover >= 0) {
        m_chosen = m_points[static_cast<std::size_t>(m_hover)].trial;
        update();
        emit chosen(m_chosen);
    }
    PaintedWidget::mousePressEvent(event);
}

void TrialPlot::mouseDoubleClickEvent(QMouseEvent* event) {
    mouseMoveEvent(event);
    if (m_hover >= 0) emit activated(m_points[static_cast<std::size_t>(m_hover)].trial);
}

void TrialPlot::leaveEvent(QEvent*) {
    m_hover = -1;
    update();
}

}  // namespace slipway::gui
