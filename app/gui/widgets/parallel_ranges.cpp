// The ranges of ParallelPlot: the lines within them, and input by pointer and keyboard.
#include "app/gui/look/theme.h"
#include "app/gui/widgets/parallel_plot.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>
#include <cmath>
#include <utility>

namespace slipway::gui {
namespace {

constexpr double kNearly = 1e-9;

}  // namespace

void ParallelPlot::clearBrushes() {
    if (!hasBrush()) return;
    m_brushes.assign(m_axes.size(), {});
    changed();
    emit brushed();
}

bool ParallelPlot::hasBrush() const {
    return std::any_of(m_brushes.begin(), m_brushes.end(), [](const auto& brush) { return brush.has_value(); });
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
            const double share = shareOfLine(a, i);
            out[i] = out[i] && share >= m_brushes[a]->first - kNearly &&
                     share <= m_brushes[a]->second + kNearly;  // false for NaN
        }
    }
    return out;
}

std::vector<bool> ParallelPlot::lit() const {
    std::vector<bool> out = passing();
    if (out.empty()) return m_marked;
    for (std::size_t i = 0; i < out.size() && i < m_marked.size(); ++i) out[i] = out[i] && m_marked[i];
    return out;
}

std::vector<ParallelPlot::Limit> ParallelPlot::limits() const {
    std::vector<Limit> out;
    for (std::size_t a = 0; a < m_axes.size(); ++a) {
        if (!m_brushes[a]) continue;
        const auto isIn = [&brush = *m_brushes[a]](double share) {
            return share >= brush.first - kNearly && share <= brush.second + kNearly;
        };
        Limit limit;
        limit.axis = a;
        limit.isScale = m_axes[a].steps.isEmpty();
        for (int step = 0; step < m_axes[a].steps.size(); ++step)
            if (isIn(shareAt(a, step))) limit.steps.push_back(step);
        limit.low = valueAt(a, m_brushes[a]->first);
        limit.high = valueAt(a, m_brushes[a]->second);
        limit.takesFailed = lowestShare() < 0 && isIn(kFailedShare);
        out.push_back(std::move(limit));
    }
    return out;
}

void ParallelPlot::takeRanges(const std::vector<ParallelAxis>& axes, const std::vector<Limit>& limits) {
    for (const Limit& limit : limits) {
        const ParallelAxis& was = axes[limit.axis];
        const auto same = std::find_if(m_axes.begin(), m_axes.end(), [&](const ParallelAxis& axis) {
            return axis.name == was.name && axis.steps.isEmpty() == limit.isScale;
        });
        if (same == m_axes.end()) continue;
        const auto axis = static_cast<std::size_t>(same - m_axes.begin());
        auto& range = m_brushes[axis];
        if (limit.isScale) {
            range = {limit.takesFailed ? lowestShare() : shareAt(axis, limit.low), shareAt(axis, limit.high)};
            continue;
        }
        const double half = 0.5 / static_cast<double>(same->steps.size());
        for (const int step : limit.steps) {
            const auto now = same->steps.indexOf(was.steps.value(step));
            if (now < 0) continue;
            const double share = shareAt(axis, static_cast<double>(now));
            range = {std::min(range ? range->first : 1, share - half),
                     std::max(range ? range->second : 0, share + half)};
        }
    }
}

int ParallelPlot::axisAt(const QPointF& at) const {
    for (int a = 0; a < numAxes(); ++a)
        if (std::fabs(at.x() - xOf(a)) <= px(9)) return a;
    return -1;
}

int ParallelPlot::lineAt(const QPointF& at) const {
    int found = -1;
    double best = px(5);
    const std::vector<bool> lines = lit();
    std::vector<double> places;
    for (int a = 0; a < numAxes(); ++a) places.push_back(xOf(a));
    for (std::size_t i = 0; i < static_cast<std::size_t>(m_names.size()); ++i) {
        if (i < lines.size() && !lines[i]) continue;
        std::optional<QPointF> from;
        for (int axis = 0; axis < numAxes(); ++axis) {
            const double share = shareOfLine(this->at(axis), i);
            if (!std::isfinite(share)) continue;
            const QPointF to(places[static_cast<std::size_t>(axis)], yOf(share));
            const auto a = std::exchange(from, to);
            if (!a || at.x() < a->x() || at.x() > to.x()) continue;
            const double y = a->y() + (to.y() - a->y()) * (at.x() - a->x()) / (to.x() - a->x());
            if (std::fabs(y - at.y()) >= best) continue;
            best = std::fabs(y - at.y());
            found = static_cast<int>(i);
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
        const auto share = [this](double y) {
            return std::clamp((yOf(0) - y) / (yOf(0) - yOf(1)), lowestShare(), 1.0);
        };
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

// A click without a drag removes the range of the axis.
void ParallelPlot::mouseReleaseEvent(QMouseEvent*) {
    if (m_dragAxis >= 0 && !m_dragged && m_brushes[at(m_dragAxis)]) setBrush(m_dragAxis, {});
    m_dragAxis = -1;
}

void ParallelPlot::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const int line = axisAt(event->position()) >= 0 ? -1 : lineAt(event->position()); line >= 0)
        emit activated(line);
}

void ParallelPlot::leaveEvent(QEvent*) {
    m_hover = -1;
    update();
}

// Left and right choose an axis, up and down move its range by a step, with Shift its end; Del clears it, Esc all. Enter opens the
// selected line.
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
        else if (range->first + by > lowestShare() - kNearly && range->second + by < 1 + kNearly)
            range = std::pair{range->first + by, range->second + by};
        setBrush(m_focusAxis, range);
        return;
    }
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) && m_selected >= 0) {
        emit activated(m_selected);
        return;
    }
    if (key == Qt::Key_Delete || key == Qt::Key_Backspace) return setBrush(m_focusAxis, {});
    if (key == Qt::Key_Escape && hasBrush()) return clearBrushes();
    PaintedWidget::keyPressEvent(event);
}

QString ParallelPlot::brushText(int axis) const {
    if (!m_brushes[at(axis)]) return tr("%1: not limited").arg(axisName(axis));
    const auto passes = passing();
    const auto left = std::count(passes.begin(), passes.end(), true);
    return (m_subject == PlotSubject::Runs ? tr("%1: limited, %2 runs remain") : tr("%1: limited, %2 layouts remain"))
        .arg(axisName(axis))
        .arg(left);
}

}  // namespace slipway::gui
