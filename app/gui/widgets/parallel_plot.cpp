#include "app/gui/widgets/parallel_plot.h"

#include "app/gui/look/theme.h"

#include <QEvent>
#include <QMenu>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

namespace slipway::gui {
namespace {

constexpr double kAxisInset = 8;      // of an axis in its slot
constexpr double kLabelGap = 4;       // between an axis and its labels
constexpr double kSlotGap = 8;        // free space at the right of a slot
constexpr double kWidestLabel = 84;   // longer words are elided in the middle: their ends distinguish them
constexpr double kMargin = 0.04;      // of a figure's range above and below
constexpr double kFoot = -0.18;       // below the slot of failed lines
constexpr std::size_t kDense = 2000;  // lines above which the edges are not smoothed

/// The ends of an axis whose lines all have this value: never a share or a size below zero.
std::pair<double, double> around(double value, bool isFigure) {
    if (!isFigure || !std::isfinite(value)) return {value - 0.5, value + 0.5};
    if (value == 0) return {0, 1};
    const double room = std::abs(value) / 10;
    return {value - room, value + room};
}

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

void ParallelPlot::setAxes(std::vector<ParallelAxis> axes, QStringList names, std::vector<bool> failed) {
    const std::vector<Limit> kept = m_keepsRanges ? limits() : std::vector<Limit>{};
    const std::vector<ParallelAxis> before = std::exchange(m_axes, std::move(axes));
    m_names = std::move(names);
    m_failed = std::move(failed);
    m_anyFailed = std::find(m_failed.begin(), m_failed.end(), true) != m_failed.end();
    m_marked.clear();
    m_ranges.clear();
    for (const ParallelAxis& axis : m_axes) {
        Range range{INFINITY, -INFINITY};
        for (const double value : axis.values)
            if (std::isfinite(value)) {
                range.low = std::min(range.low, value);
                range.high = std::max(range.high, value);
            }
        if (!(range.high > range.low)) {
            const auto [low, high] = around(range.low, axis.steps.isEmpty());
            range = {low, high};
        }
        m_ranges.push_back(range);
    }
    m_brushes.assign(m_axes.size(), {});
    takeRanges(before, kept);
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
        if (m_brushes[a]) need.wanted = true;  // an axis with a filtering range is never hidden
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
        // An axis with a single value has nothing to show, hidden or not.
        out.push_back({m_axes[a].name, constant ? AxisFate::Constant : m_places[a].fate,
                       constant ? m_axes[a].steps.front() : QString()});
    }
    return out;
}

QString ParallelPlot::axesText() const {
    const std::vector<AxisState> states = axisStates();
    if (states.empty()) return {};
    QStringList constant, noRoom, hidden;
    for (const AxisState& axis : states) {
        if (axis.fate == AxisFate::Constant)
            constant << axis.name + ' ' + axis.value;
        else if (axis.fate == AxisFate::NoRoom)
            noRoom << axis.name;
        else if (axis.fate == AxisFate::Hidden)
            hidden << axis.name;
    }
    QStringList parts{tr("%1 of %2 axes").arg(numAxes()).arg(states.size())};
    if (!noRoom.isEmpty()) parts << tr("not shown: %1").arg(noRoom.join(QStringLiteral(", ")));
    if (!hidden.isEmpty()) parts << tr("hidden: %1").arg(hidden.join(QStringLiteral(", ")));
    if (!constant.isEmpty()) parts << tr("identical: %1").arg(constant.join(QStringLiteral(", ")));
    return parts.join(QStringLiteral(" · "));
}

void ParallelPlot::fillAxesMenu(QMenu& menu) {
    menu.clear();
    for (const AxisState& axis : axisStates()) {
        const bool constant = axis.fate == AxisFate::Constant;
        QAction* action = menu.addAction(constant ? tr("%1: %2 in total").arg(axis.name, axis.value)
                                         : axis.fate == AxisFate::NoRoom ? tr("%1: not shown").arg(axis.name)
                                                                         : axis.name);
        action->setCheckable(true);
        action->setChecked(axis.fate == AxisFate::Shown);
        action->setEnabled(!constant);
        action->setData(axis.name);
        connect(action, &QAction::triggered, this, [this, name = axis.name](bool shown) { choose(name, shown); });
    }
    menu.addSeparator();
    menu.addAction(tr("As space allows"), this, &ParallelPlot::chooseFreely)->setEnabled(hasChoices());
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

void ParallelPlot::setMarked(std::vector<bool> marked) {
    if (marked == m_marked) return;
    m_marked = std::move(marked);
    changed();
}

void ParallelPlot::setCurrent(int line) {
    if (line == m_current) return;
    m_current = line;
    changed();
}

double ParallelPlot::shareOf(int axis, double value) const {
    return shareAt(at(axis), value);
}

double ParallelPlot::shareAt(std::size_t axis, double value) const {
    const ParallelAxis& a = m_axes[axis];
    if (!a.steps.isEmpty()) return (value + 0.5) / static_cast<double>(a.steps.size());
    const Range& r = m_ranges[axis];
    return kMargin + (1 - 2 * kMargin) * (value - r.low) / (r.high - r.low);
}

// Failed lines are in the failed slot of figures; a line without the figure skips the axis.
double ParallelPlot::shareOfLine(std::size_t axis, std::size_t line) const {
    const double value = m_axes[axis].values[line];
    if (std::isfinite(value)) return shareAt(axis, value);
    return m_axes[axis].steps.isEmpty() && hasFailed(line) ? kFailedShare : NAN;
}

double ParallelPlot::lowestShare() const {
    return m_anyFailed ? kFoot : 0;
}

double ParallelPlot::valueAt(std::size_t axis, double share) const {
    const Range& r = m_ranges[axis];
    return r.low + (share - kMargin) / (1 - 2 * kMargin) * (r.high - r.low);
}

double ParallelPlot::xOf(int axis) const {
    return m_places[at(axis)].left + px(kAxisInset);
}

double ParallelPlot::yOf(double share) const {
    const double top = px(38), bottom = height() - px(8), lowest = lowestShare();
    return bottom - (share - lowest) / (1 - lowest) * (bottom - top);
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
        if (const double share = shareOfLine(at(a), line); std::isfinite(share)) out << QPointF(xOf(a), yOf(share));
    return out;
}

// Name and labels are at the right of the axis, inside its slot: those of neighbours cannot meet.
void ParallelPlot::paintAxis(QPainter& painter, int axis, const std::vector<bool>& lit) const {
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
    const QFontMetricsF metrics(fontOf(kAxisSize));
    const double widest = slot.right() - px(kSlotGap) - x - px(kLabelGap);
    const auto label = [&](const QString& text, double y, bool isLit = false, bool isBad = false) {
        const double room = std::min(metrics.horizontalAdvance(text) + 1, widest);
        const QRectF box(x + px(kLabelGap), y - metrics.height() / 2, room + 1, metrics.height());
        QColor ground = t.panel;
        ground.setAlpha(232);  // lines are faintly visible behind the words
        painter.fillRect(box, ground);
        painter.setFont(fontOf(kAxisSize, isLit));
        painter.setPen(isBad ? t.bad : isLit ? t.text : t.text2);
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter,
                         (isLit ? bold : metrics).elidedText(text, Qt::ElideMiddle, room));
    };
    if (!a.steps.isEmpty()) {
        const double pitch = (yOf(0) - yOf(1)) / static_cast<double>(a.steps.size());
        const int every = std::max(1, static_cast<int>(std::ceil(metrics.height() / pitch)));
        std::vector<bool> isLit(static_cast<std::size_t>(a.steps.size()), false);
        for (std::size_t line = 0; line < lit.size(); ++line)
            if (lit[line] && std::isfinite(a.values[line])) isLit[static_cast<std::size_t>(a.values[line])] = true;
        for (int i = 0; i < a.steps.size(); i += every)
            label(a.steps[i], yOf(shareOf(axis, i)), isLit[static_cast<std::size_t>(i)]);
    } else {
        const Range& r = m_ranges[at(axis)];
        for (const double value : {r.low, r.high})
            label(a.format ? a.format(value) : QString::number(value), yOf(shareOf(axis, value)));
    }
    if (a.steps.isEmpty() && lowestShare() < 0) {
        const double y = yOf(kFailedShare);
        painter.setPen(QPen(t.bad, 1));
        painter.setBrush(t.badBackground);
        painter.drawRect(QRectF(x - px(3), y - px(3), px(6), px(6)));
        label(tr("failed"), y, false, true);
    }
}

void ParallelPlot::paintBrush(QPainter& painter, int axis) const {
    const auto& brush = m_brushes[at(axis)];
    if (!brush) return;
    const Theme& t = theme();
    QColor fill = t.accent;
    fill.setAlpha(46);
    const QRectF box(xOf(axis) - px(6), yOf(brush->second), px(12), yOf(brush->first) - yOf(brush->second));
    painter.fillRect(box, fill);
    painter.setPen(QPen(t.accent, 1.2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box);
}

void ParallelPlot::paintStill(QPainter& painter) {
    const Theme& t = theme();
    if (m_axes.empty() || m_names.isEmpty()) return;
    const auto count = static_cast<std::size_t>(m_names.size());
    painter.setRenderHint(QPainter::Antialiasing, count <= kDense);
    const std::vector<bool> lines = lit();
    const auto isIn = [&](std::size_t i) { return i >= lines.size() || lines[i]; };
    // With very many lines each is paler, so that dense areas stand out; selected runs are blue.
    const auto numIn = lines.empty() ? count : static_cast<std::size_t>(std::count(lines.begin(), lines.end(), true));
    const double pale = std::min(1.0, 12 / std::sqrt(std::max<double>(1, static_cast<double>(numIn))));
    const bool isPlain = lines.empty() && m_subject == PlotSubject::Runs;
    for (const bool inside : {false, true})
        for (std::size_t k = count; k-- > 0;) {  // the best on top
            if (isIn(k) != inside) continue;
            const bool failed = hasFailed(k);
            QColor ink = !inside ? t.grid : failed ? t.bad : isPlain && k > 0 ? t.text3 : t.hue(Hue::Blue);
            if (inside && k > 0)
                ink.setAlphaF(static_cast<float>(
                    pale * (0.25 + 0.6 * (1 - static_cast<double>(k) / static_cast<double>(count)))));
            QPen pen(ink, count > kDense ? 1 : k == 0 && inside ? 2.2 : 1.2);
            if (failed && count <= kDense) pen.setDashPattern(dashOf(2));
            painter.setPen(pen);
            painter.drawPolyline(lineOf(k));
        }
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_current >= 0) {
        QPen pen(t.hue(Hue::Orange), 2);
        pen.setDashPattern(dashOf(1));
        painter.setPen(pen);
        painter.drawPolyline(lineOf(static_cast<std::size_t>(m_current)));
    }
    for (int a = 0; a < numAxes(); ++a) {
        paintAxis(painter, a, lines);
        paintBrush(painter, a);
    }
}

void ParallelPlot::paintMoving(QPainter& painter) {
    const Theme& t = theme();
    painter.setRenderHint(QPainter::Antialiasing);
    for (const int line : {m_selected, m_hover}) {
        if (line < 0 || line >= m_names.size()) continue;
        painter.setPen(QPen(line == m_selected ? t.accent : t.text, 2.4));
        painter.drawPolyline(lineOf(static_cast<std::size_t>(line)));
    }
    // The chosen line passes behind the words, as all others do.
    if (m_selected >= 0 || m_hover >= 0) {
        const std::vector<bool> chosen = lit();
        for (int a = 0; a < numAxes(); ++a) paintAxis(painter, a, chosen);
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

QString ParallelPlot::summary() const {
    const bool runs = m_subject == PlotSubject::Runs;
    if (m_names.isEmpty()) return runs ? tr("No runs yet.") : tr("No layouts yet.");
    return (runs ? tr("%1 runs over %2 axes.") : tr("%1 layouts over %2 axes.")).arg(m_names.size()).arg(numAxes());
}

QString ParallelPlot::valueAtCursor() const {
    if (m_hover >= 0) return m_names.value(m_hover);
    return m_shown.empty() ? QString() : brushText(m_focusAxis);
}

DataTable ParallelPlot::dataTable() const {
    DataTable table{{m_subject == PlotSubject::Runs ? tr("Run") : tr("Layout")}, {}};
    for (const ParallelAxis& axis : m_axes) table.headers << axis.name;
    for (int i = 0; i < m_names.size(); ++i) {
        QStringList row{m_names[i]};
        for (std::size_t a = 0; a < m_axes.size(); ++a) row << valueText(a, static_cast<std::size_t>(i));
        table.rows.append(row);
    }
    return table;
}

}  // namespace slipway::gui
