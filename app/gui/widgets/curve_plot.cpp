#include "app/gui/widgets/curve_plot.h"

#include "app/gui/look/theme.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace slipway::gui {

CurvePlot::CurvePlot(QWidget* parent) : PaintedWidget(parent) {
    setMinimumSize(px(240), px(140));
}

QSize CurvePlot::sizeHint() const {
    return {px(520), px(260)};
}

QRectF clearOf(const QRectF& box, const std::vector<QRectF>& taken, double bottom) {
    const auto isClear = [&](const QRectF& place) {
        return std::none_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(place); });
    };
    for (int i = 0; i <= 2 * static_cast<int>(taken.size()); ++i)
        for (const double way : {1.0, -1.0}) {  // down, else up, as near as possible
            const QRectF place = box.translated(0, way * i * box.height());
            if (isClear(place) && (i == 0 || way < 0 || place.bottom() <= bottom)) return place;
        }
    return box;
}

void CurvePlot::setCurves(std::vector<PlottedCurve> curves, std::vector<PlottedMark> marks, PlotAxis x, PlotAxis y,
                          const QString& whenEmpty) {
    std::erase_if(curves, [](const PlottedCurve& curve) { return curve.points.size() < 2; });
    m_curves = std::move(curves);
    m_marks = m_curves.empty() ? std::vector<PlottedMark>() : std::move(marks);
    m_frame.x = std::move(x);
    m_frame.y = std::move(y);
    m_whenEmpty = whenEmpty;
    m_cursor = -1;
    setAccessibleName(tr("%1 by %2").arg(m_frame.y.name, m_frame.x.name));
    if (!m_curves.empty()) {
        PlotAxis &across = m_frame.x, &up = m_frame.y;
        across.low = m_curves.front().points.front().x();
        across.high = m_curves.front().points.back().x();
        up.low = INFINITY;
        up.high = -INFINITY;
        const auto reach = [&up](double value) {
            up.low = std::min(up.low, value);
            up.high = std::max(up.high, value);
        };
        for (const QPointF& point : m_curves.front().points) reach(point.y());
        for (const PlottedMark& mark : m_marks) reach(mark.at.y());
        if (up.low > 0 && up.low < 0.5 * up.high) up.low = 0;
        if (!(up.high > up.low)) up.high = up.low + 1;
        const double room = 0.08 * (up.high - up.low);
        if (up.low != 0) up.low -= 2 * room;  // for the texts below the marks
        up.high += room;
    }
    changed();
}

void CurvePlot::paintStill(QPainter& painter) {
    if (m_curves.empty()) return paintSummary(painter);
    const Theme& t = theme();
    const QFont small = fontOf(kAxisSize);
    const QFontMetricsF metrics(small);
    m_frame.layOut(size(), metrics.height(), metrics.height());
    double ends = 0;
    for (const PlottedCurve& curve : m_curves)
        ends = std::max(ends, metrics.horizontalAdvance(curve.letter + QStringLiteral("  ") + curve.name));
    m_frame.area.setRight(std::max(m_frame.area.left() + px(60), width() - ends - px(16)));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(small);
    painter.setPen(t.text2);
    painter.drawText(QPointF(0, metrics.ascent()), m_frame.y.name);
    m_frame.paintRows(painter);
    m_frame.paintColumns(painter, m_frame.area.right() + px(20));
    painter.drawText(QRectF(m_frame.area.left(), height() - metrics.height(), m_frame.area.width(), metrics.height()),
                     Qt::AlignCenter, m_frame.x.isLog ? tr("%1 (log scale)").arg(m_frame.x.name) : m_frame.x.name);
    struct End {
        double y = 0;
        std::size_t curve = 0;
    };
    std::vector<End> ended;
    for (std::size_t i = 0; i < m_curves.size(); ++i) {
        QPolygonF line;
        for (const QPointF& point : m_curves[i].points) line << m_frame.at(point.x(), point.y());
        QPen pen(t.series(static_cast<int>(i)), i == 0 ? 2 : 1.5);
        if (const QVector<qreal> dash = dashOf(static_cast<int>(i)); !dash.isEmpty()) pen.setDashPattern(dash);
        painter.setPen(pen);
        painter.setBrush(Qt::NoBrush);
        for (const QPolygonF& piece : insideOf(m_frame.area, line)) painter.drawPolyline(piece);
        // A curve that leaves at the top or bottom has its letter there.
        ended.push_back({std::clamp(line.back().y(), m_frame.area.top(), m_frame.area.bottom()), i});
    }
    std::sort(ended.begin(), ended.end(), [](const End& a, const End& b) { return a.y < b.y; });
    double last = -INFINITY;
    for (const End& end : ended) {
        const double y = std::max(end.y, last + metrics.height());
        last = y;
        const PlottedCurve& curve = m_curves[end.curve];
        const double x = m_frame.area.right() + px(6);
        painter.setFont(fontOf(kAxisSize, true));
        painter.setPen(t.series(static_cast<int>(end.curve)));
        painter.drawText(QPointF(x, y + metrics.ascent() / 2), curve.letter);
        const double letter = QFontMetricsF(painter.font()).horizontalAdvance(curve.letter + QLatin1Char(' '));
        painter.setFont(small);
        painter.setPen(t.text);
        painter.drawText(QPointF(x + letter, y + metrics.ascent() / 2), curve.name);
    }
    const auto placeOf = [&](const PlottedMark& mark) { return m_frame.at(mark.at.x(), mark.at.y()); };
    std::vector<QRectF> taken;  // by points, then by texts
    for (const PlottedMark& mark : m_marks) {
        const QPointF at = placeOf(mark);
        taken.emplace_back(at.x() - px(5), at.y() - px(5), px(10), px(10));
        painter.setPen(QPen(t.series(mark.curve), 1, Qt::DotLine));
        painter.drawLine(at, QPointF(at.x(), m_frame.area.bottom()));
    }
    for (const PlottedMark& mark : m_marks) {
        const QPointF at = placeOf(mark);
        painter.setFont(fontOf(kAxisSize, !mark.isHollow));
        const double wide = QFontMetricsF(painter.font()).horizontalAdvance(mark.text);
        // The main mark's text is below it, the others' at their left: they are often side by side.
        const double left = mark.isHollow ? at.x() - wide - px(8) : at.x() - wide / 2;
        const double x = std::clamp(left, m_frame.area.left(), std::max(0.0, width() - wide - px(2)));
        const QRectF box(x, at.y() + px(mark.isHollow ? 4 : 7), wide, metrics.height());
        taken.push_back(clearOf(box, taken, m_frame.area.bottom()));
        QColor ground = t.panel;
        ground.setAlpha(216);  // the curves are faintly visible behind the words
        painter.fillRect(taken.back(), ground);
        painter.setPen(mark.isHollow ? t.text2 : t.text);
        painter.drawText(QPointF(taken.back().x(), taken.back().y() + metrics.ascent()), mark.text);
    }
    for (const PlottedMark& mark : m_marks) {
        const QColor colour = t.series(mark.curve);
        painter.setPen(QPen(mark.isHollow ? colour : t.panel, 1.6));
        painter.setBrush(mark.isHollow ? t.panel : colour);
        painter.drawEllipse(placeOf(mark), px(4.5), px(4.5));
    }
}

QStringList CurvePlot::linesAt(std::size_t point) const {
    const double x = m_curves.front().points[point].x();
    QStringList lines{m_frame.x.name + QStringLiteral(": ") + m_frame.x.format(x)};
    for (const PlottedCurve& curve : m_curves)
        for (const QPointF& at : curve.points)
            if (at.x() == x)
                lines << (curve.letter + QLatin1Char(' ') + curve.name).trimmed() + QStringLiteral(": ") +
                             m_frame.y.format(at.y());
    return lines;
}

void CurvePlot::paintMoving(QPainter& painter) {
    if (m_cursor < 0 || m_curves.empty()) return;
    const QPointF at = m_curves.front().points[static_cast<std::size_t>(m_cursor)];
    const double x = m_frame.xOf(at.x());
    painter.setPen(QPen(theme().line2, 1));
    painter.drawLine(QPointF(x, m_frame.area.top()), QPointF(x, m_frame.area.bottom()));
    paintTip(painter, m_frame.at(at.x(), at.y()), linesAt(static_cast<std::size_t>(m_cursor)));
}

void CurvePlot::moveTo(int point) {
    if (m_curves.empty()) return;
    m_cursor = std::clamp(point, -1, static_cast<int>(m_curves.front().points.size()) - 1);
    update();
    QAccessibleValueChangeEvent event(this, valueAtCursor());
    QAccessible::updateAccessibility(&event);
}

void CurvePlot::mouseMoveEvent(QMouseEvent* event) {
    if (m_curves.empty() || m_frame.area.isEmpty()) return;
    int nearest = -1;
    double least = INFINITY;
    const std::vector<QPointF>& points = m_curves.front().points;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double distance = std::fabs(m_frame.xOf(points[i].x()) - event->position().x());
        if (distance >= least) continue;
        least = distance;
        nearest = static_cast<int>(i);
    }
    moveTo(nearest);
}

void CurvePlot::leaveEvent(QEvent* event) {
    moveTo(-1);
    PaintedWidget::leaveEvent(event);
}

void CurvePlot::keyPressEvent(QKeyEvent* event) {
    const int step = event->modifiers() & Qt::ShiftModifier ? 10 : 1;
    switch (event->key()) {
        case Qt::Key_Right: return moveTo(m_cursor + step);
        case Qt::Key_Left: return moveTo(std::max(0, m_cursor - step));
        case Qt::Key_Home: return moveTo(0);
        case Qt::Key_End: return moveTo(std::numeric_limits<int>::max());
        case Qt::Key_Escape: return moveTo(-1);
        default: PaintedWidget::keyPressEvent(event);
    }
}

QString CurvePlot::summary() const {
    if (m_curves.empty()) return m_whenEmpty;
    QStringList parts;
    for (const PlottedMark& mark : m_marks)
        parts << tr("%1 at %2 (%3)").arg(m_frame.y.format(mark.at.y()), m_frame.x.format(mark.at.x()), mark.text);
    return tr("%1 by %2, %n curve(s). %3", nullptr, static_cast<int>(m_curves.size()))
        .arg(m_frame.y.name, m_frame.x.name, parts.join(QStringLiteral("; ")));
}

QString CurvePlot::valueAtCursor() const {
    return m_cursor < 0 || m_curves.empty() ? QString()
                                            : linesAt(static_cast<std::size_t>(m_cursor)).join(QStringLiteral(", "));
}

DataTable CurvePlot::dataTable() const {
    DataTable table{{m_frame.x.name}, {}};
    for (const PlottedCurve& curve : m_curves) table.headers << curve.name;
    if (m_curves.empty()) return table;
    for (const QPointF& point : m_curves.front().points) {
        QStringList row{m_frame.x.format(point.x())};
        for (const PlottedCurve& curve : m_curves) {
            const auto at = std::find_if(curve.points.begin(), curve.points.end(),
                                         [&point](const QPointF& other) { return other.x() == point.x(); });
            row << (at == curve.points.end() ? QString() : m_frame.y.format(at->y()));
        }
        table.rows.append(row);
    }
    return table;
}

}  // namespace slipway::gui
