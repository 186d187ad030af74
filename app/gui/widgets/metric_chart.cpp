#include "app/gui/widgets/metric_chart.h"

#include "app/gui/format.h"
#include "app/gui/theme.h"
#include "core/base/units.h"

#include <QApplication>
#include <QAreaSeries>
#include <QChart>
#include <QChartView>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QDialog>
#include <QLineSeries>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QTableWidget>
#include <QValueAxis>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <limits>

namespace slipway::gui {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Surface : public QChartView {
public:
    Surface(QChart* chart, QWidget* parent) : QChartView(chart, parent) {}
    std::function<void(QPainter&)> below, above;

protected:
    void drawBackground(QPainter* painter, const QRectF& rect) override {
        painter->fillRect(rect, theme().panel);
        below(*painter);
    }
    void drawForeground(QPainter* painter, const QRectF&) override { above(*painter); }
};

// Nearest point of an ascending curve to x; empty when there is none.
std::optional<QPointF> nearest(const QVector<QPointF>& points, double x) {
    if (points.isEmpty()) return {};
    auto right = std::lower_bound(points.begin(), points.end(), x, [](const QPointF& p, double at) { return p.x() < at; });
    if (right == points.end()) return points.back();
    if (right == points.begin()) return *right;
    const auto left = right - 1;
    return x - left->x() <= right->x() - x ? *left : *right;
}

}  // namespace

struct MetricChart::Impl {
    QChart* chart = nullptr;
    Surface* view = nullptr;
    QValueAxis* xAxis = nullptr;
    QValueAxis* yAxis = nullptr;
    std::vector<Curve> curves;
    std::optional<Reference> reference;
    std::optional<double> warmUp;
    QVector<double> marks;
    bool logY = false;
    bool zeroBased = false;
    QString xName;
    std::function<QString(double)> yFormat = [](double v) { return qs(formatSignificant(v, 4)); };
    std::function<QString(double)> xFormat = [](double v) { return qs(formatSignificant(v, 6)); };
    std::optional<double> pointer;
    bool pinned = false;
    std::optional<QPair<double, double>> zoom;
    std::optional<QPointF> dragFrom, dragTo;
    QRectF range;  ///< of the axes: y is log10 when logY
    int leftOut = 0;

    [[nodiscard]] double toAxis(double y) const { return logY ? std::log10(y) : y; }
    [[nodiscard]] double fromAxis(double y) const { return logY ? std::pow(10, y) : y; }
    [[nodiscard]] bool drawable(double y) const { return std::isfinite(y) && (!logY || y > 0); }
    [[nodiscard]] QRectF plot() const { return chart->plotArea(); }
    [[nodiscard]] double pixelX(double x) const { return plot().left() + (x - range.left()) / range.width() * plot().width(); }
    [[nodiscard]] double pixelY(double y) const { return plot().bottom() - (toAxis(y) - range.top()) / range.height() * plot().height(); }
    [[nodiscard]] double valueX(double pixel) const { return range.left() + (pixel - plot().left()) / plot().width() * range.width(); }
    [[nodiscard]] QColor colourOf(const Curve& curve) const { return curve.baseline ? theme().text2 : theme().series(curve.colour); }

    void computeRange();
    void rebuild();
    void placePlot();
    [[nodiscard]] QVector<double> yTicks() const;
    void paintBelow(QPainter& painter) const;
    void paintAbove(QPainter& painter) const;
    void paintLetters(QPainter& painter) const;
    void paintReadOut(QPainter& painter) const;
    [[nodiscard]] QStringList readOut(double x) const;
};

void MetricChart::Impl::computeRange() {
    double left = kInfinity, right = -kInfinity, low = kInfinity, high = -kInfinity;
    leftOut = 0;
    for (const Curve& curve : curves)
        for (const auto* points : {&curve.points, &curve.low, &curve.high})
            for (const QPointF& p : *points) {
                left = std::min(left, p.x());
                right = std::max(right, p.x());
                if (logY && points == &curve.points && std::isfinite(p.y()) && p.y() <= 0) ++leftOut;
                if (zoom && (p.x() < zoom->first || p.x() > zoom->second)) continue;
                if (!drawable(p.y())) continue;
                low = std::min(low, toAxis(p.y()));
                high = std::max(high, toAxis(p.y()));
            }
    for (const Curve& curve : curves)
        for (const double x : curve.nonFinite) {
            left = std::min(left, x);
            right = std::max(right, x);
        }
    if (reference)
        for (const double y : {reference->value, reference->low, reference->high})
            if (drawable(y)) {
                low = std::min(low, toAxis(y));
                high = std::max(high, toAxis(y));
            }
    if (!(right >= left)) left = 0, right = 1;
    if (!(high >= low)) low = 0, high = 1;
    if (zoom) left = zoom->first, right = zoom->second;
    if (right == left) right = left + 1;
    if (zeroBased && !logY) low = std::min(low, 0.0);
    double margin = (high - low) * 0.06;
    if (margin <= 0) margin = std::max(std::fabs(high) * 0.05, 1e-9);
    range = QRectF(left, zeroBased && !logY ? low : low - margin, right - left, 0);
    range.setBottom(high + margin);
}

void MetricChart::Impl::rebuild() {
    computeRange();
    chart->removeAllSeries();
    const auto attach = [this](QAbstractSeries* series) {
        chart->addSeries(series);
        series->attachAxis(xAxis);
        series->attachAxis(yAxis);
    };
    // A broken line is several series: Qt Charts draws NaN points as garbage.
    const auto lines = [&](const Curve& curve) {
        QPen pen(colourOf(curve), 1.6);
        const auto dash = curve.baseline ? dashOf(1) : curve.solid ? QVector<qreal>{} : dashOf(curve.colour);
        if (!dash.isEmpty()) pen.setDashPattern(dash);
        pen.setCapStyle(Qt::FlatCap);
        QList<QPointF> part;
        const auto flush = [&] {
            if (part.isEmpty()) return;
            if (part.size() == 1) part.append(part.front() + QPointF(range.width() * 2e-3, 0));
            auto* series = new QLineSeries;  // owned by the chart from addSeries on
            series->setPen(pen);
            series->replace(part);
            attach(series);
            part.clear();
        };
        for (const QPointF& p : curve.points) {
            if (!drawable(p.y())) flush();
            else part.append(QPointF(p.x(), toAxis(p.y())));
        }
        flush();
    };
    for (const Curve& curve : curves) {
        if (curve.low.isEmpty()) continue;
        QList<QPointF> lowPoints, highPoints;
        for (qsizetype i = 0; i < curve.low.size() && i < curve.high.size(); ++i) {
            if (!drawable(curve.low[i].y()) || !drawable(curve.high[i].y())) continue;
            lowPoints.append(QPointF(curve.low[i].x(), toAxis(curve.low[i].y())));
            highPoints.append(QPointF(curve.high[i].x(), toAxis(curve.high[i].y())));
        }
        if (lowPoints.size() < 2) continue;
        auto* area = new QAreaSeries;
        auto* lowSeries = new QLineSeries(area);
        auto* highSeries = new QLineSeries(area);
        lowSeries->replace(lowPoints);
        highSeries->replace(highPoints);
        area->setLowerSeries(lowSeries);
        area->setUpperSeries(highSeries);
        QColor fill = colourOf(curve);
        fill.setAlphaF(theme().dark ? 0.38f : 0.20f);
        area->setPen(Qt::NoPen);
        area->setBrush(fill);
        attach(area);
    }
    for (const Curve& curve : curves) lines(curve);
    xAxis->setRange(range.left(), range.right());
    yAxis->setRange(range.top(), range.bottom());
    placePlot();
    view->viewport()->update();
}

void MetricChart::Impl::placePlot() {
    const QFontMetricsF metrics(fontOf(kAxisSize));
    double labelWidth = px(24);
    for (const double tick : yTicks()) labelWidth = std::max(labelWidth, metrics.horizontalAdvance(yFormat(fromAxis(tick))));
    bool letters = false;
    for (const Curve& curve : curves) letters = letters || !curve.letter.isEmpty();
    const QSizeF size = view->size();
    chart->resize(size);
    chart->setPlotArea(QRectF(labelWidth + px(8), px(8), std::max(10.0, size.width() - labelWidth - px(8) - (letters ? px(30) : px(10))),
                              std::max(10.0, size.height() - px(8) - metrics.height() - px(xName.isEmpty() ? 8 : 8))));
    view->setSceneRect(QRectF(QPointF(0, 0), size));
}

QVector<double> MetricChart::Impl::yTicks() const {
    const int wanted = std::clamp(static_cast<int>(view->height() / px(44)), 2, 6);
    if (!logY) return roundTicks(range.top(), range.bottom(), wanted);
    QVector<double> out;
    const bool fine = range.height() < 1.5;
    for (double decade = std::floor(range.top()); decade <= range.bottom(); ++decade)
        for (const double factor : fine ? std::vector<double>{1, 2, 5} : std::vector<double>{1}) {
            const double at = decade + std::log10(factor);
            if (at >= range.top() && at <= range.bottom()) out.append(at);
        }
    return out.size() >= 2 ? out : roundTicks(range.top(), range.bottom(), wanted);
}

void MetricChart::Impl::paintBelow(QPainter& painter) const {
    const Theme& t = theme();
    const QRectF area = plot();
    if (warmUp && *warmUp > range.left()) painter.fillRect(QRectF(area.left(), area.top(), std::min(pixelX(*warmUp), area.right()) - area.left(), area.height()), t.sunken);
    for (const double tick : yTicks()) painter.fillRect(QRectF(area.left(), std::round(pixelY(fromAxis(tick))), area.width(), 1), t.grid);
    if (reference && reference->high > reference->low) {
        QColor band = t.text2;
        band.setAlphaF(0.14f);
        const double top = std::max(pixelY(reference->high), area.top());
        const double bottom = std::min(pixelY(reference->low), area.bottom());
        painter.fillRect(QRectF(area.left(), top, area.width(), bottom - top), band);
    }
}

void MetricChart::Impl::paintAbove(QPainter& painter) const {
    const Theme& t = theme();
    const QRectF area = plot();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRectF(area.left(), area.bottom(), area.width(), 1), t.line2);
    painter.setFont(fontOf(kAxisSize));
    const QFontMetricsF metrics(painter.font());
    painter.setPen(t.text2);
    for (const double tick : yTicks()) {
        const double y = pixelY(fromAxis(tick));
        painter.drawText(QRectF(0, y - metrics.height() / 2, area.left() - px(6), metrics.height()), Qt::AlignRight | Qt::AlignVCenter, yFormat(fromAxis(tick)));
    }
    double lastRight = -1e9;
    QString lastLabel;
    for (const double tick : roundTicks(range.left(), range.right(), std::clamp(static_cast<int>(area.width() / px(90)), 2, 6))) {
        const double x = pixelX(tick);
        const QString label = xFormat(tick);
        if (label == lastLabel) continue;  // steps are whole: 1.5 would read as 2
        lastLabel = label;
        const double width = metrics.horizontalAdvance(label);
        const double left = std::clamp(x - width / 2, 0.0, view->width() - width);
        painter.fillRect(QRectF(std::round(x), area.bottom(), 1, px(4)), t.line2);
        if (left < lastRight + px(6)) continue;
        painter.drawText(QPointF(left, area.bottom() + px(4) + metrics.ascent()), label);
        lastRight = left + width;
    }
    for (const double mark : marks)
        if (mark >= range.left() && mark <= range.right()) painter.fillRect(QRectF(pixelX(mark) - 0.5, area.bottom() - px(5), 1.5, px(5)), t.accent);
    painter.setRenderHint(QPainter::Antialiasing);
    if (reference && drawable(reference->value)) {
        QPen pen(reference->limit ? t.warn : t.text2, 1.2);
        pen.setDashPattern(reference->limit ? QVector<qreal>{1.5, 2.5} : QVector<qreal>{5, 3});
        painter.setPen(pen);
        const double y = pixelY(reference->value);
        if (y >= area.top() && y <= area.bottom()) painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    }
    for (const Curve& curve : curves)
        for (const double at : curve.nonFinite) {
            if (at < range.left() || at > range.right()) continue;
            const double x = pixelX(at);
            painter.setPen(QPen(t.bad, 1, Qt::DotLine));
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
            painter.setPen(Qt::NoPen);
            painter.setBrush(t.bad);
            painter.drawPolygon(QPolygonF() << QPointF(x - px(4), area.top()) << QPointF(x + px(4), area.top()) << QPointF(x, area.top() + px(7)));
        }
    if (leftOut > 0) {
        painter.setPen(t.warn);
        painter.drawText(QRectF(area.left() + px(6), area.top(), area.width() - px(12), metrics.height() + 2), Qt::AlignLeft, MetricChart::tr("%n point(s) ≤ 0 are left out", nullptr, leftOut));
    }
    paintLetters(painter);
    if (dragFrom && dragTo) {
        QColor fill = t.accent;
        fill.setAlphaF(0.18f);
        painter.fillRect(QRectF(QPointF(dragFrom->x(), area.top()), QPointF(dragTo->x(), area.bottom())).normalized(), fill);
    }
    paintReadOut(painter);
    painter.restore();
}

void MetricChart::Impl::paintLetters(QPainter& painter) const {
    struct Label {
        double y;
        const Curve* curve;
    };
    std::vector<Label> labels;
    for (const Curve& curve : curves) {
        if (curve.letter.isEmpty()) continue;
        for (auto p = curve.points.rbegin(); p != curve.points.rend(); ++p)
            if (drawable(p->y()) && p->x() <= range.right()) {
                labels.push_back({pixelY(p->y()), &curve});
                break;
            }
    }
    if (labels.size() > 8) return;  // then the run list is the legend
    std::sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.y < b.y; });
    for (std::size_t i = 1; i < labels.size(); ++i) labels[i].y = std::max(labels[i].y, labels[i - 1].y + px(12));
    double over = labels.empty() ? 0 : std::max(0.0, labels.back().y - plot().bottom());
    for (auto label = labels.rbegin(); label != labels.rend() && over > 0; ++label) label->y -= over;
    painter.setFont(fontOf(kSideSize, true));
    for (const Label& label : labels) {
        painter.setPen(theme().text);
        painter.drawText(QRectF(plot().right() + px(6), label.y - px(8), px(24), px(16)), Qt::AlignLeft | Qt::AlignVCenter, label.curve->letter);
    }
}

QStringList MetricChart::Impl::readOut(double x) const {
    QStringList lines{xName.isEmpty() ? xFormat(x) : QStringLiteral("%1 %2").arg(xName, xFormat(x))};
    for (const Curve& curve : curves) {
        const auto p = nearest(curve.points, x);
        if (!p) continue;
        const QString head = curve.letter.isEmpty() ? curve.name : curve.letter;
        QString value = std::isfinite(p->y()) ? yFormat(p->y()) : std::isnan(p->y()) ? QStringLiteral("NaN") : QStringLiteral("inf");
        const auto low = nearest(curve.low, x);
        const auto high = nearest(curve.high, x);
        if (low && high && high->y() > low->y()) value += QStringLiteral("   %1 – %2").arg(yFormat(low->y()), yFormat(high->y()));
        lines << QStringLiteral("%1   %2").arg(head, value);
    }
    return lines;
}

void MetricChart::Impl::paintReadOut(QPainter& painter) const {
    if (!pointer || *pointer < range.left() || *pointer > range.right()) return;
    const Theme& t = theme();
    const QRectF area = plot();
    const double x = pixelX(*pointer);
    painter.setPen(QPen(t.text2, 1));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    for (const Curve& curve : curves)
        if (const auto p = nearest(curve.points, *pointer); p && drawable(p->y())) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(colourOf(curve));
            painter.drawEllipse(QPointF(pixelX(p->x()), pixelY(p->y())), px(3), px(3));
        }
    const QStringList lines = readOut(*pointer);
    const QFontMetricsF metrics(fontOf(kSideSize));
    double width = 0;
    for (const QString& line : lines) width = std::max(width, QFontMetricsF(fontOf(kSideSize, true)).horizontalAdvance(line));
    const double lineHeight = metrics.height() + 1;
    QRectF box(x + px(10), area.top() + px(6), width + px(20), lineHeight * static_cast<double>(lines.size()) + px(12));
    if (box.right() > view->width()) box.moveRight(x - px(10));
    if (box.bottom() > view->height()) box.moveBottom(view->height());
    painter.setPen(Qt::NoPen);
    painter.setBrush(t.tip);
    painter.drawRoundedRect(box, px(4), px(4));
    painter.setPen(t.tipText);
    for (qsizetype i = 0; i < lines.size(); ++i) {
        painter.setFont(fontOf(kSideSize, i == 0));
        painter.drawText(QRectF(box.left() + px(10), box.top() + px(6) + lineHeight * static_cast<double>(i), width + 1, lineHeight), Qt::AlignLeft | Qt::AlignVCenter, lines[i]);
    }
}

MetricChart::MetricChart(QWidget* parent) : QWidget(parent), m(std::make_unique<Impl>()) {
    m->chart = new QChart;
    m->chart->legend()->hide();
    m->chart->setBackgroundVisible(false);
    m->chart->setMargins({0, 0, 0, 0});
    m->chart->setAnimationOptions(QChart::NoAnimation);
    m->xAxis = new QValueAxis(m->chart);
    m->yAxis = new QValueAxis(m->chart);
    for (auto* axis : {m->xAxis, m->yAxis}) {
        axis->setLabelsVisible(false);
        axis->setGridLineVisible(false);
        axis->setLineVisible(false);
        m->chart->addAxis(axis, axis == m->xAxis ? Qt::AlignBottom : Qt::AlignLeft);
    }
    m->view = new Surface(m->chart, this);  // the view owns the chart
    m->view->below = [this](QPainter& p) { m->paintBelow(p); };
    m->view->above = [this](QPainter& p) { m->paintAbove(p); };
    m->view->setFrameShape(QFrame::NoFrame);
    m->view->setRenderHint(QPainter::Antialiasing);
    m->view->setViewportUpdateMode(QGraphicsView::FullViewportUpdate);
    m->view->setFocusPolicy(Qt::NoFocus);
    m->view->viewport()->setMouseTracking(true);
    m->view->viewport()->installEventFilter(this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m->view);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(px(140), px(90));
}

MetricChart::~MetricChart() = default;

void MetricChart::setCurves(std::vector<Curve> curves) {
    m->curves = std::move(curves);
    m->rebuild();
    setAccessibleDescription(summary());
}

void MetricChart::setReference(std::optional<Reference> reference) {
    m->reference = reference;
    m->rebuild();
}

void MetricChart::setWarmUp(std::optional<double> x) {
    m->warmUp = x;
    m->view->viewport()->update();
}

void MetricChart::setMarks(QVector<double> xs) {
    m->marks = std::move(xs);
    m->view->viewport()->update();
}

void MetricChart::setLogY(bool on) {
    if (m->logY == on) return;
    m->logY = on;
    m->rebuild();
    emit logChanged(on);
}

void MetricChart::setZeroBased(bool on) {
    m->zeroBased = on;
    m->rebuild();
}

void MetricChart::setXName(const QString& name) {
    m->xName = name;
}

void MetricChart::setYFormat(std::function<QString(double)> format) {
    m->yFormat = std::move(format);
    m->rebuild();
}

void MetricChart::setXFormat(std::function<QString(double)> format) {
    m->xFormat = std::move(format);
    m->view->viewport()->update();
}

void MetricChart::setPointer(std::optional<double> x) {
    m->pointer = x;
    m->view->viewport()->update();
}

void MetricChart::setZoom(std::optional<QPair<double, double>> range) {
    m->zoom = range;
    m->rebuild();
}

const std::vector<Curve>& MetricChart::curves() const {
    return m->curves;
}

bool MetricChart::logY() const {
    return m->logY;
}

std::optional<double> MetricChart::pointer() const {
    return m->pointer;
}

int MetricChart::numLeftOut() const {
    return m->leftOut;
}

QRectF MetricChart::shownRange() const {
    const double low = m->fromAxis(m->range.top());
    return {m->range.left(), low, m->range.width(), m->fromAxis(m->range.bottom()) - low};
}

DataTable MetricChart::dataTable() const {
    DataTable table{{tr("Curve"), m->xName.isEmpty() ? tr("Step") : m->xName, tr("Value"), tr("Minimum"), tr("Maximum")}, {}};
    for (const Curve& curve : m->curves)
        for (qsizetype i = 0; i < curve.points.size(); ++i)
            table.rows.append({curve.name, QString::number(curve.points[i].x(), 'g', 12), QString::number(curve.points[i].y(), 'g', 9),
                               i < curve.low.size() ? QString::number(curve.low[i].y(), 'g', 9) : QString(), i < curve.high.size() ? QString::number(curve.high[i].y(), 'g', 9) : QString()});
    return table;
}

QString MetricChart::summary() const {
    if (m->curves.empty()) return tr("No curves.");
    const Curve& curve = m->curves.front();
    const QString last = curve.points.isEmpty() ? unknownText() : m->yFormat(curve.points.back().y());
    return tr("%n curve(s); the last value of %1 is %2.", nullptr, static_cast<int>(m->curves.size())).arg(curve.name, last);
}

bool MetricChart::eventFilter(QObject* watched, QEvent* event) {
    const QRectF area = m->plot();
    switch (event->type()) {
        case QEvent::MouseMove: {
            const QPointF at = static_cast<QMouseEvent*>(event)->position();
            if (m->dragFrom) {
                m->dragTo = QPointF(std::clamp(at.x(), area.left(), area.right()), at.y());
                m->view->viewport()->update();
            } else if (!m->pinned) {
                std::optional<double> x;
                if (area.contains(at)) x = m->valueX(at.x());
                setPointer(x);
                emit pointerMoved(x);
            }
            return true;
        }
        case QEvent::Leave:
            if (!m->pinned) {
                setPointer({});
                emit pointerMoved({});
            }
            return false;
        case QEvent::MouseButtonPress:
            setFocus(Qt::MouseFocusReason);
            if (static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton) m->dragFrom = static_cast<QMouseEvent*>(event)->position();
            return true;
        case QEvent::MouseButtonRelease: {
            const bool dragged = m->dragFrom && m->dragTo && std::fabs(m->dragTo->x() - m->dragFrom->x()) > px(6);
            if (dragged) {
                const double a = m->valueX(m->dragFrom->x());
                const double b = m->valueX(m->dragTo->x());
                setZoom(QPair(std::min(a, b), std::max(a, b)));
                emit zoomed(m->zoom);
            } else if (m->dragFrom) {
                m->pinned = !m->pinned;
            }
            m->dragFrom.reset();
            m->dragTo.reset();
            m->view->viewport()->update();
            return true;
        }
        case QEvent::MouseButtonDblClick:
            m->pinned = false;
            setZoom({});
            emit zoomed({});
            return true;
        case QEvent::Wheel: {
            auto* wheel = static_cast<QWheelEvent*>(event);
            if (!(wheel->modifiers() & Qt::ControlModifier)) return false;
            const double at = m->valueX(wheel->position().x());
            const double factor = wheel->angleDelta().y() > 0 ? 0.8 : 1.25;
            setZoom(QPair(at - (at - m->range.left()) * factor, at + (m->range.right() - at) * factor));
            emit zoomed(m->zoom);
            return true;
        }
        default: return QWidget::eventFilter(watched, event);
    }
}

void MetricChart::keyPressEvent(QKeyEvent* event) {
    const QVector<QPointF> empty;
    const QVector<QPointF>& points = m->curves.empty() ? empty : m->curves.front().points;
    const auto jump = [&](qsizetype index) {
        if (points.isEmpty()) return;
        m->pinned = true;
        setPointer(points[std::clamp<qsizetype>(index, 0, points.size() - 1)].x());
        emit pointerMoved(m->pointer);
    };
    qsizetype here = points.size() - 1;
    if (m->pointer) here = std::lower_bound(points.begin(), points.end(), *m->pointer, [](const QPointF& p, double x) { return p.x() < x; }) - points.begin();
    const qsizetype stride = event->modifiers() & Qt::ShiftModifier ? 10 : 1;
    switch (event->key()) {
        case Qt::Key_Left: jump(here - stride); break;
        case Qt::Key_Right: jump(m->pointer ? here + stride : here); break;
        case Qt::Key_Home: jump(0); break;
        case Qt::Key_End: jump(points.size() - 1); break;
        case Qt::Key_L: setLogY(!m->logY); break;
        case Qt::Key_0:
            setZoom({});
            emit zoomed({});
            break;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
        case Qt::Key_Minus: {
            const double factor = event->key() == Qt::Key_Minus ? 1.25 : 0.8;
            const double at = m->pointer.value_or(m->range.center().x());
            setZoom(QPair(at - (at - m->range.left()) * factor, at + (m->range.right() - at) * factor));
            emit zoomed(m->zoom);
            break;
        }
        case Qt::Key_T: showDataTable(this, accessibleName(), dataTable()); break;
        case Qt::Key_Escape:
            m->pinned = false;
            setPointer({});
            emit pointerMoved({});
            break;
        default: QWidget::keyPressEvent(event);
    }
}

void MetricChart::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) m->rebuild();
    QWidget::changeEvent(event);
}

void MetricChart::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m->view->resize(size());
    m->placePlot();
}

void MetricChart::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addAction(tr("Copy picture"), this, [this] { QApplication::clipboard()->setPixmap(grab()); });
    menu.addAction(tr("Copy data"), this, [this] { QApplication::clipboard()->setText(dataTable().tabSeparated()); });
    menu.addAction(tr("Show as table") + QStringLiteral("\tT"), this, [this] { showDataTable(this, accessibleName(), dataTable()); });
    QAction* log = menu.addAction(tr("Logarithmic y axis") + QStringLiteral("\tL"), this, [this] { setLogY(!m->logY); });
    log->setCheckable(true);
    log->setChecked(m->logY);
    menu.exec(event->globalPos());
}

}  // namespace slipway::gui
