#include "app/gui/widgets/field_plot.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"

#include <QAccessible>
#include <QHash>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <map>

namespace slipway::gui {
namespace {

constexpr int kMaxCategories = 12;
constexpr std::ptrdiff_t kMostLetters = 60;
constexpr std::size_t kDense = 400;   // points that would hide each other are drawn smaller
constexpr std::size_t kCrowd = 2000;  // more are a shape: as wide as they are many
constexpr double kCrowdWidth = 0.84;  // of a column, where they are most

/// The p-th part of ascending values, interpolated.
double quantile(const std::vector<double>& values, double p) {
    const double at = p * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

}  // namespace

FieldPlot::FieldPlot(QWidget* parent) : PaintedWidget(parent) {
    setMinimumSize(px(220), px(140));
}

QSize FieldPlot::sizeHint() const {
    return {px(380), px(260)};
}

void FieldPlot::setPoints(std::vector<FieldPoint> points) {
    m_points = std::move(points);
    // Hollow points first, so that the compared ones are on top.
    std::stable_sort(m_points.begin(), m_points.end(),
                     [](const FieldPoint& a, const FieldPoint& b) { return (a.colour < 0) > (b.colour < 0); });
    m_hover.reset();
    m_places.clear();
    changed();
}

void FieldPlot::setKind(Kind kind) {
    m_kind = kind;
    changed();
}

void FieldPlot::setNames(const QString& xName, const QString& yName) {
    m_frame.x.name = xName;
    m_frame.y.name = yName;
    setAccessibleName(tr("%1 by %2").arg(yName, xName));
    changed();
}

void FieldPlot::setYFormat(std::function<QString(double)> format, bool bytes) {
    m_frame.y.format = std::move(format);
    m_frame.y.isBytes = bytes;
    changed();
}

void FieldPlot::setLog(bool x, bool y) {
    m_logX = x;
    m_frame.y.isLog = y;
    changed();
}

void FieldPlot::setMedians(bool on) {
    m_medians = on;
    changed();
}

void FieldPlot::setSelected(const QSet<QString>& ids) {
    m_selected = ids;
    changed();
}

int FieldPlot::numFailed() const {
    return static_cast<int>(
        std::count_if(m_points.begin(), m_points.end(), [](const FieldPoint& p) { return !std::isfinite(p.y); }));
}

int FieldPlot::numLeftOut() const {
    return static_cast<int>(std::count_if(m_points.begin(), m_points.end(), [this](const FieldPoint& p) {
        return std::isfinite(p.y) && !drawable(p.y);
    }));
}

QString FieldPlot::summary() const {
    if (m_points.empty()) return tr("No run has this figure.");
    return tr("%1 by %2: %3 runs, %4 without a value.")
        .arg(m_frame.y.name, m_frame.x.name)
        .arg(m_points.size())
        .arg(numFailed());
}

QString FieldPlot::valueAtCursor() const {
    return m_hover ? tipLines(m_points[m_places[*m_hover].point]).join(QStringLiteral(", ")) : QString();
}

DataTable FieldPlot::dataTable() const {
    DataTable table{{tr("Run"), m_frame.x.name, m_frame.y.name, tr("Forecast"), tr("Reason")}, {}};
    for (const FieldPoint& p : m_points)
        table.rows.append({p.letter.isEmpty() ? p.name : p.letter + ' ' + p.name, p.x,
                           std::isfinite(p.y) ? m_frame.y.format(p.y) : tr("n/a"),
                           p.forecast ? m_frame.y.format(*p.forecast) : QString(), p.reason});
    return table;
}

bool FieldPlot::drawable(double y) const {
    return std::isfinite(y) && (!m_frame.y.isLog || y > 0);
}

void FieldPlot::findRanges() {
    double low = INFINITY, high = -INFINITY;
    const auto meet = [&](double value) {
        if (!drawable(value)) return;
        low = std::min(low, value);
        high = std::max(high, value);
    };
    for (const FieldPoint& p : m_points) {
        meet(p.y);
        if (p.colour >= 0 && p.forecast) meet(*p.forecast);
    }
    PlotAxis& y = m_frame.y;
    if (!(high >= low)) low = 0, high = 1;
    if (y.isLog) {
        y.low = low / 1.15;
        y.high = high * 1.15;
        if (!(y.low > 0)) y.low = 0.1, y.high = 1;
    } else {
        y.low = low < 0 ? low * 1.08 : 0;
        y.high = high > 0 ? high * 1.08 : low < 0 ? 0 : 1;
    }
}

// Categories, ranges and the position of every point.
void FieldPlot::layOut() {
    findRanges();
    const bool lane = numFailed() > 0;
    const double laneHeight = lane ? QFontMetricsF(fontOf(kAxisSize)).height() + px(6) : 0;
    m_frame.layOut(size(), 0, laneHeight > 0 ? laneHeight + px(4) : 0);
    if (lane) {
        // The word beside the lane takes at least as much room as the labels above it.
        const double word = QFontMetricsF(fontOf(kAxisSize)).horizontalAdvance(tr("failed")) + px(10);
        m_frame.area.setLeft(std::max(m_frame.area.left(), word));
    }
    m_lane =
        lane ? QRectF(m_frame.area.left(), height() - laneHeight - px(2), m_frame.area.width(), laneHeight) : QRectF();

    std::map<std::pair<double, QString>, int> order;
    bool allNumbers = true;
    for (const FieldPoint& p : m_points) {
        allNumbers = allNumbers && p.xNumber.has_value();
        order[{p.xNumber.value_or(1e300), p.x}] = 0;
    }
    m_categories.clear();
    if (static_cast<int>(order.size()) <= kMaxCategories || !allNumbers)
        for (auto& [key, index] : order) {
            index = static_cast<int>(m_categories.size());
            m_categories.append(key.second);
        }
    PlotAxis& x = m_frame.x;
    x.low = order.empty() ? 0 : order.begin()->first.first;
    x.high = order.empty() ? 1 : std::prev(order.end())->first.first;
    if (!(x.high > x.low)) x.high = x.low + 1;
    x.isLog = m_logX && m_categories.isEmpty() && x.low > 0;
    std::vector<int> categoryOf;
    if (!m_categories.isEmpty())
        for (const FieldPoint& p : m_points) categoryOf.push_back(order[{p.xNumber.value_or(1e300), p.x}]);
    place(categoryOf);
    makeBoxes();
}

void FieldPlot::place(const std::vector<int>& categoryOf) {
    m_places.clear();
    std::map<int, int> perCategory, total;
    for (std::size_t i = 0; i < categoryOf.size(); ++i)
        if (!m_points[i].letter.isEmpty()) ++total[categoryOf[i]];
    const bool isCrowd = m_points.size() > kCrowd;
    std::map<std::pair<int, int>, double> crowd;
    double most = 1;
    const auto levelOf = [this](double y) { return static_cast<int>(m_frame.yOf(y) / px(5)); };
    for (std::size_t i = 0; isCrowd && i < categoryOf.size(); ++i)
        if (drawable(m_points[i].y)) most = std::max(most, ++crowd[{categoryOf[i], levelOf(m_points[i].y)}]);
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const FieldPoint& p = m_points[i];
        const bool failed = !std::isfinite(p.y);
        if (!failed && !drawable(p.y)) continue;
        double x = 0;
        if (m_categories.isEmpty()) {
            x = m_frame.xOf(*p.xNumber);
        } else {
            const int category = categoryOf[i];
            const double slot = m_frame.area.width() / static_cast<double>(m_categories.size());
            // Compared runs side by side; others are spread by their index so that they do not hide each other.
            const double offset =
                isCrowd && p.letter.isEmpty() && !failed ? (std::fmod(static_cast<double>(i) * 0.6180339887, 1) - 0.5) *
                                                               kCrowdWidth * crowd[{category, levelOf(p.y)}] / most
                : p.letter.isEmpty()
                    ? (static_cast<double>((i * 37) % 23) / 22 - 0.5) * 0.6
                    : (total[category] < 2
                           ? 0.0
                           : (perCategory[category]++ / static_cast<double>(total[category] - 1) - 0.5) * 0.6);
            x = m_frame.area.left() + slot * (category + 0.5 + offset);
        }
        m_places.push_back({{x, failed ? m_lane.center().y() : m_frame.yOf(p.y)}, i});
    }
}

void FieldPlot::makeBoxes() {
    m_boxes.clear();
    m_boxed.clear();
    if (m_kind != Kind::Boxes) return;
    std::map<QString, std::vector<std::size_t>> repeats;
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        const FieldPoint& p = m_points[m_places[i].point];
        if (!p.repeats.isEmpty() && std::isfinite(p.y)) repeats[p.repeats].push_back(i);
    }
    for (const auto& [key, places] : repeats) {
        if (places.size() < 2) continue;
        m_boxed.insert(key);
        Box box;
        for (const std::size_t i : places) {
            const FieldPoint& p = m_points[m_places[i].point];
            box.values.push_back(p.y);
            box.colour = p.colour;
        }
        box.x = m_places[places.front()].at.x();
        std::sort(box.values.begin(), box.values.end());
        // A point of a box is placed at its own height, in the middle of the box.
        for (const std::size_t i : places) m_places[i].at.setX(box.x);
        m_boxes.push_back(std::move(box));
    }
}

void FieldPlot::paintColumns(QPainter& painter) const {
    if (m_categories.isEmpty()) return m_frame.paintColumns(painter, width());
    const QFontMetricsF metrics(painter.font());
    const double slot = m_frame.area.width() / static_cast<double>(m_categories.size());
    painter.setPen(theme().text2);
    for (int i = 0; i < m_categories.size(); ++i)
        painter.drawText(QRectF(m_frame.area.left() + slot * i, m_frame.area.bottom() + px(5), slot, metrics.height()),
                         Qt::AlignHCenter | Qt::AlignTop,
                         metrics.elidedText(m_categories[i], Qt::ElideMiddle, slot - px(4)));
}

void FieldPlot::paintLane(QPainter& painter) const {
    if (m_lane.isEmpty()) return;
    painter.fillRect(m_lane, theme().badBackground);
    painter.setPen(theme().bad);
    painter.drawText(QRectF(0, m_lane.top(), m_lane.left() - px(6), m_lane.height()), Qt::AlignRight | Qt::AlignVCenter,
                     tr("failed"));
    if (m_points.size() <= kCrowd || m_categories.isEmpty()) return;
    QHash<QString, int> failed;
    for (const FieldPoint& p : m_points)
        if (!std::isfinite(p.y)) ++failed[p.x];
    const double slot = m_lane.width() / static_cast<double>(m_categories.size());
    for (int i = 0; i < m_categories.size(); ++i)
        if (const int count = failed.value(m_categories[i]); count > 0)
            painter.drawText(QRectF(m_lane.left() + slot * i, m_lane.top(), slot, m_lane.height()), Qt::AlignCenter,
                             countText(count));
}

void FieldPlot::paintMedians(QPainter& painter) const {
    if (!m_medians || m_categories.isEmpty()) return;
    const double slot = m_frame.area.width() / static_cast<double>(m_categories.size());
    std::map<int, std::vector<double>> values;
    for (const FieldPoint& p : m_points)
        if (drawable(p.y)) values[static_cast<int>(m_categories.indexOf(p.x))].push_back(p.y);
    painter.setPen(QPen(theme().text, 2));
    for (auto& [category, ys] : values) {
        std::sort(ys.begin(), ys.end());
        const double y = m_frame.yOf(quantile(ys, 0.5));
        const double left = m_frame.area.left() + slot * category;
        painter.drawLine(QPointF(left + slot * 0.15, y), QPointF(left + slot * 0.85, y));
    }
}

void FieldPlot::paintBoxes(QPainter& painter) const {
    const Theme& t = theme();
    for (const Box& box : m_boxes) {
        const QColor colour = box.colour < 0 ? t.text2 : t.series(box.colour);
        const double upper = m_frame.yOf(quantile(box.values, 0.75)), lower = m_frame.yOf(quantile(box.values, 0.25));
        const QRectF body(box.x - px(6), upper, px(12), std::max(1.0, lower - upper));
        QColor fill = colour;
        fill.setAlphaF(0.25f);
        painter.setPen(QPen(colour, 1.2));
        painter.drawLine(QPointF(box.x, m_frame.yOf(box.values.back())), QPointF(box.x, upper));
        painter.drawLine(QPointF(box.x, lower), QPointF(box.x, m_frame.yOf(box.values.front())));
        painter.fillRect(body, fill);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(body);
        painter.setPen(QPen(colour, 2.4));
        const double middle = m_frame.yOf(quantile(box.values, 0.5));
        painter.drawLine(QPointF(body.left(), middle), QPointF(body.right(), middle));
    }
}

void FieldPlot::paintPoint(QPainter& painter, const Place& place) const {
    const Theme& t = theme();
    const FieldPoint& p = m_points[place.point];
    const double radius = m_points.size() > kDense ? px(2) : px(p.letter.isEmpty() ? 3 : 4);
    const bool picked = m_selected.contains(p.id), faint = !m_selected.isEmpty() && !picked;
    const QColor colour = faint ? t.line : picked ? t.accent : p.colour < 0 ? t.text2 : t.series(p.colour);
    if (!std::isfinite(p.y)) {
        const bool isCounted = m_points.size() > kCrowd && !m_categories.isEmpty();  // by paintLane()
        if (!isCounted || picked) paintCross(painter, place.at, std::min<double>(radius, px(3)));
    } else if (m_kind == Kind::Bars && !p.letter.isEmpty()) {
        painter.fillRect(QRectF(place.at.x() - px(6), place.at.y(), px(12), m_frame.area.bottom() - place.at.y()),
                         colour);
    } else {
        painter.setPen(QPen(colour, 1.2));
        painter.setBrush(picked || (p.colour >= 0 && !faint) ? QBrush(colour) : QBrush(Qt::NoBrush));
        painter.drawEllipse(place.at, radius, radius);
    }
    if (!p.letter.isEmpty() && p.forecast && drawable(*p.forecast)) {
        const double y = m_frame.yOf(*p.forecast);
        painter.setPen(QPen(t.text, 1.6));
        painter.drawLine(QPointF(place.at.x() - px(8), y), QPointF(place.at.x() + px(8), y));
    }
}

/// Letters on top of each other name nothing: each is painted where it has room, of very many only the baseline's; tips have all.
void FieldPlot::paintLetters(QPainter& painter) const {
    const bool above = m_kind == Kind::Bars;
    painter.setPen(theme().text);
    painter.setFont(fontOf(kAxisSize, true));
    const QFontMetricsF metrics(painter.font());
    const auto lettered =
        std::count_if(m_points.begin(), m_points.end(), [](const FieldPoint& p) { return !p.letter.isEmpty(); });
    const bool isCrowded = lettered > kMostLetters;
    std::vector<QRectF> taken;
    for (const Place& place : m_places) {
        const FieldPoint& p = m_points[place.point];
        if (p.letter.isEmpty() || (std::isfinite(p.y) && m_boxed.contains(p.repeats))) continue;
        if (isCrowded && p.colour != 0) continue;
        const double width = metrics.horizontalAdvance(p.letter), height = metrics.height();
        const QRectF box(place.at.x() + (above ? -width / 2 : px(7)),
                         place.at.y() - (above ? px(2) + height : height / 2), width, height);
        if (std::any_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(box); }))
            continue;
        taken.push_back(box);
        painter.drawText(box, Qt::AlignCenter, p.letter);
    }
    painter.setFont(fontOf(kAxisSize));
}

void FieldPlot::paintStill(QPainter& painter) {
    if (m_points.empty()) return paintSummary(painter);
    layOut();
    painter.setRenderHint(QPainter::Antialiasing);
    m_frame.paintRows(painter);
    paintColumns(painter);
    paintLane(painter);
    paintBoxes(painter);
    for (const Place& place : m_places) {
        const FieldPoint& p = m_points[place.point];
        if (!std::isfinite(p.y) || !m_boxed.contains(p.repeats)) paintPoint(painter, place);
    }
    paintLetters(painter);
    paintMedians(painter);
    if (const int left = numLeftOut(); left > 0) {
        painter.setPen(theme().text2);
        painter.drawText(m_frame.area, Qt::AlignRight | Qt::AlignTop, tr("%n point(s) ≤ 0", nullptr, left));
    }
}

QStringList FieldPlot::tipLines(const FieldPoint& p) const {
    QStringList lines{p.letter.isEmpty() ? p.name : p.letter + QStringLiteral("  ") + p.name,
                      m_frame.x.name + QStringLiteral(": ") + p.x,
                      m_frame.y.name + QStringLiteral(": ") + (std::isfinite(p.y) ? m_frame.y.format(p.y) : tr("n/a"))};
    if (p.forecast) lines << tr("Forecast: %1").arg(m_frame.y.format(*p.forecast));
    if (!p.reason.isEmpty()) lines << p.reason;
    return lines;
}

void FieldPlot::paintMoving(QPainter& painter) {
    if (m_dragFrom && m_dragTo) {
        painter.setPen(QPen(theme().accent, 1, Qt::DashLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(*m_dragFrom, *m_dragTo).normalized());
    }
    if (!m_hover || *m_hover >= m_places.size()) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme().accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(m_places[*m_hover].at, px(6.5), px(6.5));
    paintTip(painter, m_places[*m_hover].at, tipLines(m_points[m_places[*m_hover].point]));
}

void FieldPlot::mousePressEvent(QMouseEvent* event) {
    setFocus(Qt::MouseFocusReason);
    if (event->button() == Qt::LeftButton) m_dragFrom = event->position();
    PaintedWidget::mousePressEvent(event);
    event->accept();
}

void FieldPlot::mouseMoveEvent(QMouseEvent* event) {
    if (m_dragFrom && event->buttons() & Qt::LeftButton) {
        if (m_dragTo || QLineF(*m_dragFrom, event->position()).length() > px(6)) m_dragTo = event->position();
        update();
        return;
    }
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

void FieldPlot::mouseReleaseEvent(QMouseEvent* event) {
    if (m_dragFrom && event->button() == Qt::LeftButton) {
        QStringList ids;
        if (m_dragTo) {
            const QRectF box = QRectF(*m_dragFrom, *m_dragTo).normalized();
            for (const Place& p : m_places)
                if (box.contains(p.at)) ids << m_points[p.point].id;
        } else if (m_hover) {
            ids << m_points[m_places[*m_hover].point].id;
        }
        emit selected(ids);
    }
    m_dragFrom.reset();
    m_dragTo.reset();
    update();
}

void FieldPlot::mouseDoubleClickEvent(QMouseEvent* event) {
    m_dragFrom.reset();
    mouseMoveEvent(event);
    if (m_hover) emit activated(m_points[m_places[*m_hover].point].id);
}

// Left and right walk from point to point by x, then by y; Space selects the point, Enter opens it.
void FieldPlot::keyPressEvent(QKeyEvent* event) {
    std::vector<std::size_t> order(m_places.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
        const QPointF &p = m_places[a].at, &q = m_places[b].at;
        return p.x() != q.x() ? p.x() < q.x() : p.y() != q.y() ? p.y() > q.y() : a < b;
    });
    const int key = event->key();
    if (m_hover && (key == Qt::Key_Return || key == Qt::Key_Enter))
        return emit activated(m_points[m_places[*m_hover].point].id);
    if (m_hover && key == Qt::Key_Space) return emit selected({m_points[m_places[*m_hover].point].id});
    if (key == Qt::Key_Escape && (m_hover || !m_selected.isEmpty())) {
        m_hover.reset();
        update();
        return emit selected({});
    }
    const bool moves = key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Home || key == Qt::Key_End;
    if (!moves || order.empty()) return PaintedWidget::keyPressEvent(event);
    const auto last = static_cast<std::ptrdiff_t>(order.size()) - 1;
    std::ptrdiff_t at = key == Qt::Key_End ? last : 0;
    if (m_hover && (key == Qt::Key_Left || key == Qt::Key_Right))
        at = std::clamp<std::ptrdiff_t>(
            std::find(order.begin(), order.end(), *m_hover) - order.begin() + (key == Qt::Key_Right ? 1 : -1), 0, last);
    m_hover = order[static_cast<std::size_t>(at)];
    update();
    QAccessibleValueChangeEvent change(this, valueAtCursor());
    QAccessible::updateAccessibility(&change);
}

void FieldPlot::leaveEvent(QEvent*) {
    m_hover.reset();
    update();
}

}  // namespace slipway::gui
