#include "app/gui/widgets/parallel_plot.h"

#include "app/gui/look/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr double kNearly = 1e-9;
constexpr double kAxisInset = 8;     // of an axis in its slot
constexpr double kLabelGap = 4;      // between an axis and its labels
constexpr double kSlotGap = 8;       // free at the right of a slot
constexpr double kWidestLabel = 84;  // longer words are elided in their middle: their ends tell them apart

/// The name in one or two lines, whichever is narrower.
QString wrapped(const QString& name, const QFontMetricsF& metrics) {
    QString best = name;
    double width = metrics.horizontalAdvance(name);
    for (qsizetype at = name.indexOf(' '); at > 0; at = name.indexOf(' ', at + 1)) {
        const double wide =
            std::max(metrics.horizontalAdvance(name.left(at)), metrics.horizontalAdvance(name.mid(at + 1)));
        if (wide >= width) continue;
        width = wide;
        best = name.left(at) + '\n' + name.mid(at + 1);
    }
    return best;
}

double widthOf(const QString& lines, const QFontMetricsF& metrics) {
    double width = 0;
    for (const QString& line : lines.split('\n')) width = std::max(width, metrics.horizontalAdvance(line));
    return width;
}

}  // namespace

ParallelPlot::ParallelPlot(QWidget* parent) : PaintedWidget(parent) {
    setMinimumSize(px(260), px(150));
    setAccessibleName(tr("Parallel coordinates"));
}

QSize ParallelPlot::sizeHint() const {
    return {px(520), px(230)};
}

void ParallelPlot::setAxes(std::vector<ParallelAxis> axes, QStringList names) {
    m_axes = std::move(axes);
    m_names = std::move(names);
    m_ranges.clear();
    for (const ParallelAxis& axis : m_axes) {
        Range range{INFINITY, -INFINITY};
        for (const double value : axis.values)
            if (std::isfinite(value)) {
                range.low = std::min(range.low, value);
                range.high = std::max(range.high, value);
            }
        if (!(range.high > range.low)) range = {range.low - 0.5, range.low + 0.5};
        m_ranges.push_back(range);
    }
    m_brushes.assign(m_axes.size(), {});
    m_selected = m_current = m_hover = m_dragAxis = -1;
    m_focusAxis = 0;
    arrange();
    changed();
}

QStringList ParallelPlot::labelsOf(std::size_t axis) const {
    const ParallelAxis& a = m_axes[axis];
    if (!a.steps.isEmpty()) return a.steps;
    QStringList out;
    for (const double value : {m_ranges[axis].low, m_ranges[axis].high})
        out << (a.format ? a.format(value) : QString::number(value));
    return out;
}

void ParallelPlot::arrange() {
    const QFontMetricsF bold(fontOf(kAxisSize, true)), plain(fontOf(kAxisSize));
    std::vector<AxisNeed> needs;
    for (std::size_t a = 0; a < m_axes.size(); ++a) {
        const ParallelAxis& axis = m_axes[a];
        double labels = 0;
        for (const QString& label : labelsOf(a))
            labels = std::max(labels, std::min<double>(plain.horizontalAdvance(label) + 2, px(kWidestLabel)));
        AxisNeed need;
        need.width = px(kAxisInset) + std::max(labels + px(kLabelGap), widthOf(wrapped(axis.name, bold), bold) + 2) +
                     px(kSlotGap);
        need.weight = axis.weight;
        need.isFigure = axis.steps.isEmpty();
        need.isConstant = axis.steps.size() == 1;
        if (const auto wanted = m_wanted.find(axis.name); wanted != m_wanted.end()) need.wanted = wanted->second;
        if (m_brushes[a]) need.wanted = true;  // a range that filters is never out of sight
        needs.push_back(need);
    }
    m_places = placeAxes(needs, width());
    std::vector<std::size_t> shown;
    for (std::size_t a = 0; a < m_places.size(); ++a)
        if (m_places[a].fate == AxisFate::Shown) shown.push_back(a);
    const std::size_t focused = m_focusAxis < numAxes() ? at(m_focusAxis) : 0;
    m_shown = std::move(shown);
    const auto still = std::find(m_shown.begin(), m_shown.end(), focused);
    m_focusAxis = still == m_shown.end() ? 0 : static_cast<int>(still - m_shown.begin());
    m_dragAxis = -1;
    emit axesChanged();
}

std::vector<AxisState> ParallelPlot::axisStates() const {
    std::vector<AxisState> out;
    for (std::size_t a = 0; a < m_axes.size(); ++a) {
        const bool constant = m_axes[a].steps.size() == 1;
        // Hidden or not, an axis with one value has nothing to show.
        out.push_back({m_axes[a].name, constant ? AxisFate::Constant : m_places[a].fate,
                       constant ? m_axes[a].steps.front() : QString()});
    }
    return out;
}

void ParallelPlot::choose(const QString& name, bool shown) {
    m_wanted[name] = shown;
    for (std::size_t a = 0; a < m_axes.size(); ++a)
        if (m_axes[a].name == name && !shown && m_brushes[a]) {
            m_brushes[a].reset();
            emit brushed();
        }
    arrange();
    changed();
}

void ParallelPlot::chooseFreely() {
    m_wanted.clear();
    arrange();
    changed();
}

void ParallelPlot::resizeEvent(QResizeEvent* event) {
    arrange();
    PaintedWidget::resizeEvent(event);
}

void ParallelPlot::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) arrange();
    PaintedWidget::changeEvent(event);
}

void ParallelPlot::setSelected(int line) {
    if (line == m_selected) return;
    m_selected = line;
    update();
}

void ParallelPlot::setCurrent(int line) {
    if (line == m_current) return;
    m_current = line;
    changed();
}

void ParallelPlot::clearBrushes() {
    if (!hasBrush()) return;
    m_brushes.assign(m_axes.size(), {});
    changed();
    emit brushed();
}

bool ParallelPlot::hasBrush() const {
    return std::any_of(m_brushes.begin(), m_brushes.end(), [](const auto& brush) { return brush.has_value(); });
}

double ParallelPlot::shareOf(int axis, double value) const {
    return shareAt(at(axis), value);
}

double ParallelPlot::shareAt(std::size_t axis, double value) const {
    const ParallelAxis& a = m_axes[axis];
    if (!a.steps.isEmpty()) return (value + 0.5) / static_cast<double>(a.steps.size());
    const Range& r = m_ranges[axis];
    return 0.04 + 0.92 * (value - r.low) / (r.high - r.low);
}

void ParallelPlot::setBrush(int axis, std::optional<std::pair<double, double>> range) {
    if (range && range->first > range->second) std::swap(range->first, range->second);
    m_brushes[at(axis)] = range;
    changed();
    emit brushed();
}

std::vector<bool> ParallelPlot::passing() const {
    if (!hasBrush()) return {};
    std::vector<bool> out(static_cast<std::size_t>(m_names.size()), true);
    for (std::size_t a = 0; a < m_axes.size(); ++a) {
        if (!m_brushes[a]) continue;
        for (std::size_t i = 0; i < out.size(); ++i) {
            const double share = shareAt(a, m_axes[a].values[i]);
            out[i] = out[i] && share >= m_brushes[a]->first - kNearly &&
                     share <= m_brushes[a]->second + kNearly;  // false for NaN
        }
    }
    return out;
}

double ParallelPlot::xOf(int axis) const {
    return m_places[at(axis)].left + px(kAxisInset);
}

double ParallelPlot::yOf(double share) const {
    const double top = px(38), bottom = height() - px(8);
    return bottom - share * (bottom - top);
}

QRectF ParallelPlot::axisArea(int axis) const {
    return QRectF(xOf(axis) - px(9), yOf(1), px(18), yOf(0) - yOf(1));
}

QRectF ParallelPlot::slotArea(int axis) const {
    return QRectF(m_places[at(axis)].left, 0, m_places[at(axis)].width, height());
}

QPolygonF ParallelPlot::lineOf(std::size_t line) const {
    QPolygonF out;
    for (int a = 0; a < numAxes(); ++a)
        if (const double value = axisOf(a).values[line]; std::isfinite(value))
            out << QPointF(xOf(a), yOf(shareOf(a, value)));
    return out;
}

// Name and labels stand at the right of the axis, inside its slot: those of neighbours cannot meet.
void ParallelPlot::paintAxis(QPainter& painter, int axis) const {
    const Theme& t = theme();
    const ParallelAxis& a = axisOf(axis);
    const QRectF slot = slotArea(axis);
    const double x = xOf(axis);
    painter.setPen(QPen(t.line2, 1));
    painter.drawLine(QPointF(x, yOf(0)), QPointF(x, yOf(1)));
    const bool focused = hasFocus() && axis == m_focusAxis && window()->property("keyboardFocus").toBool();
    const QFontMetricsF bold(fontOf(kAxisSize, true));
    painter.setFont(fontOf(kAxisSize, focused || m_brushes[at(axis)].has_value()));
    painter.setPen(focused ? t.accent : t.text2);
    painter.drawText(QRectF(x - 1, 0, slot.right() - x, yOf(1) - px(2)), Qt::AlignLeft | Qt::AlignBottom,
                     wrapped(a.name, bold));
    painter.setFont(fontOf(kAxisSize));
    const QFontMetricsF metrics(painter.font());
    const double widest = slot.right() - px(kSlotGap) - x - px(kLabelGap);
    const auto label = [&](const QString& text, double y) {
        const double room = std::min(metrics.horizontalAdvance(text) + 1, widest);
        const QRectF box(x + px(kLabelGap), y - metrics.height() / 2, room + 1, metrics.height());
        QColor ground = t.panel;
        ground.setAlpha(232);  // lines are seen behind the words, faintly
        painter.fillRect(box, ground);
        painter.setPen(t.text2);
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(text, Qt::ElideMiddle, room));
    };
    if (!a.steps.isEmpty()) {
        const double pitch = (yOf(0) - yOf(1)) / static_cast<double>(a.steps.size());
        const int every = std::max(1, static_cast<int>(std::ceil(metrics.height() / pitch)));
        for (int i = 0; i < a.steps.size(); i += every) label(a.steps[i], yOf(shareOf(axis, i)));
    } else {
        const Range& r = m_ranges[at(axis)];
        for (const double value : {r.low, r.high})
            label(a.format ? a.format(value) : QString::number(value), yOf(shareOf(axis, value)));
    }
    if (const auto& brush = m_brushes[at(axis)]) {
        QColor fill = t.accent;
        fill.setAlpha(46);
        const QRectF box(x - px(6), yOf(brush->second), px(12), yOf(brush->first) - yOf(brush->second));
        painter.fillRect(box, fill);
        painter.setPen(QPen(t.accent, 1.2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(box);
    }
}

void ParallelPlot::paintStill(QPainter& painter) {
    const Theme& t = theme();
    if (m_axes.empty() || m_names.isEmpty()) return;
    painter.setRenderHint(QPainter::Antialiasing);
    const std::vector<bool> passes = passing();
    const auto isIn = [&](std::size_t i) { return passes.empty() || passes[i]; };
    const auto count = static_cast<std::size_t>(m_names.size());
    for (const bool inside : {false, true})
        for (std::size_t k = count; k-- > 0;) {  // the best on top
            if (isIn(k) != inside) continue;
            QColor ink = inside ? t.hue(Hue::Blue) : t.grid;
            if (inside)
                ink.setAlphaF(
                    static_cast<float>(0.25 + 0.6 * (1 - static_cast<double>(k) / static_cast<double>(count))));
            painter.setPen(QPen(ink, k == 0 && inside ? 2.2 : 1.2));
            painter.drawPolyline(lineOf(k));
        }
    if (m_current >= 0) {
        QPen pen(t.hue(Hue::Orange), 2);
        pen.setDashPattern(dashOf(1));
        painter.setPen(pen);
        painter.drawPolyline(lineOf(static_cast<std::size_t>(m_current)));
    }
    for (int a = 0; a < numAxes(); ++a) paintAxis(painter, a);
}

void ParallelPlot::paintMoving(QPainter& painter) {
    const Theme& t = theme();
    painter.setRenderHint(QPainter::Antialiasing);
    for (const int line : {m_selected, m_hover}) {
        if (line < 0 || line >= m_names.size()) continue;
        painter.setPen(QPen(line == m_selected ? t.accent : t.text, 2.4));
        painter.drawPolyline(lineOf(static_cast<std::size_t>(line)));
    }
    if (m_hover < 0 || m_dragAxis >= 0) return;
    const auto line = static_cast<std::size_t>(m_hover);
    QStringList lines{m_names[m_hover]};
    for (int a = 0; a < numAxes(); ++a)
        if (axisOf(a).steps.isEmpty()) lines << axisOf(a).name + QStringLiteral(": ") + valueText(at(a), line);
    const QPolygonF points = lineOf(line);
    paintTip(painter, points.isEmpty() ? QPointF() : points.at(points.size() / 2), lines);
}

QString ParallelPlot::valueText(std::size_t axis, std::size_t line) const {
    const ParallelAxis& a = m_axes[axis];
    const double value = a.values[line];
    if (!std::isfinite(value)) return tr("n/a");
    if (!a.steps.isEmpty()) return a.steps.value(static_cast<int>(value));
    return a.format ? a.format(value) : QString::number(value);
}

int ParallelPlot::axisAt(const QPointF& at) const {
    for (int a = 0; a < numAxes(); ++a)
        if (std::fabs(at.x() - xOf(a)) <= px(9)) return a;
    return -1;
}

int ParallelPlot::lineAt(const QPointF& at) const {
    int found = -1;
    double best = px(5);
    const std::vector<bool> passes = passing();
    for (int i = 0; i < m_names.size(); ++i) {
        if (!passes.empty() && !passes[static_cast<std::size_t>(i)]) continue;
        const QPolygonF points = lineOf(static_cast<std::size_t>(i));
        for (qsizetype k = 0; k + 1 < points.size(); ++k) {
            const QPointF a = points.at(k), b = points.at(k + 1);
            if (at.x() < a.x() || at.x() > b.x() || !(b.x() > a.x())) continue;
            const double y = a.y() + (b.y() - a.y()) * (at.x() - a.x()) / (b.x() - a.x());
            if (std::fabs(y - at.y()) >= best) continue;
            best = std::fabs(y - at.y());
            found = i;
        }
    }
    return found;
}

void ParallelPlot::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return PaintedWidget::mousePressEvent(event);
    m_dragAxis = axisAt(event->position());
    m_dragged = false;
    if (m_dragAxis >= 0) {
        m_focusAxis = m_dragAxis;
        m_dragFrom = event->position().y();
        return;
    }
    if (const int line = lineAt(event->position()); line >= 0) {
        setSelected(line);
        emit chosen(line);
    }
}

void ParallelPlot::mouseMoveEvent(QMouseEvent* event) {
    if (m_dragAxis >= 0) {
        const auto share = [this](double y) { return std::clamp((yOf(0) - y) / (yOf(0) - yOf(1)), 0.0, 1.0); };
        if (std::fabs(event->position().y() - m_dragFrom) < px(3) && !m_dragged) return;
        m_dragged = true;
        setBrush(m_dragAxis, std::pair{share(m_dragFrom), share(event->position().y())});
        return;
    }
    const int axis = axisAt(event->position());
    setCursor(axis >= 0 ? Qt::SizeVerCursor : Qt::ArrowCursor);
    const int line = axis >= 0 ? -1 : lineAt(event->position());
    if (line != m_hover) {
        m_hover = line;
        update();
    }
}

// A click that does not drag takes the range of its axis away.
void ParallelPlot::mouseReleaseEvent(QMouseEvent*) {
    if (m_dragAxis >= 0 && !m_dragged && m_brushes[at(m_dragAxis)]) setBrush(m_dragAxis, {});
    m_dragAxis = -1;
}

void ParallelPlot::leaveEvent(QEvent*) {
    m_hover = -1;
    update();
}

// Left and right choose an axis, up and down move its range by a step, with Shift its end; Del clears it, Esc all.
void ParallelPlot::keyPressEvent(QKeyEvent* event) {
    if (m_shown.empty()) return PaintedWidget::keyPressEvent(event);
    const int key = event->key();
    if (key == Qt::Key_Left || key == Qt::Key_Right) {
        m_focusAxis = std::clamp(m_focusAxis + (key == Qt::Key_Right ? 1 : -1), 0, numAxes() - 1);
        changed();
        return;
    }
    const ParallelAxis& axis = axisOf(m_focusAxis);
    if (key == Qt::Key_Up || key == Qt::Key_Down) {
        const double step = axis.steps.isEmpty() ? 0.1 : 1.0 / static_cast<double>(axis.steps.size());
        auto range = m_brushes[at(m_focusAxis)];
        const double by = key == Qt::Key_Up ? step : -step;
        if (!range)
            range = key == Qt::Key_Up ? std::pair{0.0, step} : std::pair{1 - step, 1.0};
        else if (event->modifiers() & Qt::ShiftModifier)
            range->second = std::clamp(range->second + by, range->first + step, 1.0);
        else if (range->first + by > -kNearly && range->second + by < 1 + kNearly)
            range = std::pair{range->first + by, range->second + by};
        setBrush(m_focusAxis, range);
        return;
    }
    if (key == Qt::Key_Delete || key == Qt::Key_Backspace) return setBrush(m_focusAxis, {});
    if (key == Qt::Key_Escape && hasBrush()) return clearBrushes();
    PaintedWidget::keyPressEvent(event);
}

QString ParallelPlot::brushText(int axis) const {
    const auto passes = passing();
    const auto left = std::count(passes.begin(), passes.end(), true);
    return m_brushes[at(axis)] ? tr("%1: limited, %2 layouts remain").arg(axisName(axis)).arg(left)
                               : tr("%1: not limited").arg(axisName(axis));
}

QString ParallelPlot::summary() const {
    if (m_names.isEmpty()) return tr("No layouts yet.");
    return tr("%1 layouts over %2 axes.").arg(m_names.size()).arg(numAxes());
}

QString ParallelPlot::valueAtCursor() const {
    if (m_hover >= 0) return m_names.value(m_hover);
    return m_shown.empty() ? QString() : brushText(m_focusAxis);
}

DataTable ParallelPlot::dataTable() const {
    DataTable table{{tr("Layout")}, {}};
    for (const ParallelAxis& axis : m_axes) table.headers << axis.name;
    for (int i = 0; i < m_names.size(); ++i) {
        QStringList row{m_names[i]};
        for (std::size_t a = 0; a < m_axes.size(); ++a) row << valueText(a, static_cast<std::size_t>(i));
        table.rows.append(row);
    }
    return table;
}

}  // namespace slipway::gui
