#include "app/gui/widgets/metric_chart.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/widgets/curve_layer.h"
#include "app/gui/widgets/metric_chart_lines.h"
#include "core/base/units.h"

#include <QApplication>
#include <QChart>
#include <QChartView>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

namespace slipway::gui {
namespace {

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

}  // namespace

struct MetricChart::Impl : ChartState {
    QChart* chart = nullptr;
    Surface* view = nullptr;
    std::unique_ptr<ChartLines> lines;
    bool pinned = false;
    QString emptyText;
    bool layered = false;  ///< the curves are a picture of their own (curve_layer.h)
    QImage layer;          ///< null: to be drawn
    bool isStale = false;  ///< range, series and plot area do not correspond to the data yet
    bool isOrdered = false;

    /// Nothing to show, but a message to show instead.
    [[nodiscard]] bool isEmpty() const {
        return !emptyText.isEmpty() && std::all_of(curves.begin(), curves.end(), [](const Curve& c) {
            return c.points.isEmpty() && c.nonFinite.isEmpty();
        });
    }
    [[nodiscard]] bool isLayered() const { return layered; }
    /// All changes of one refresh are shown at once: as soon as the event loop is reached, and not before the chart is visible.
    void refresh();
    void settle();
    void placePlot();
    void paintLayer(QPainter& painter);
    void paintEmpty(QPainter& painter) const;
    /// The chart as vectors, without the pointer and its read-out.
    void paint(QPainter& painter);
};

void MetricChart::Impl::paint(QPainter& painter) {
    settle();
    if (isEmpty()) return paintEmpty(painter);
    const auto here = std::exchange(pointer, std::nullopt);
    paintBelow(painter);
    paintCurves(painter);
    paintAbove(painter);
    pointer = here;
}

void MetricChart::Impl::paintEmpty(QPainter& painter) const {
    painter.setFont(fontOf(kSideSize));
    painter.setPen(theme().text2);
    painter.drawText(view->viewport()->rect().adjusted(px(8), px(8), -px(8), -px(8)),
                     static_cast<int>(Qt::AlignCenter) | Qt::TextWordWrap, emptyText);
}

void MetricChart::Impl::paintLayer(QPainter& painter) {
    if (!isLayered()) return;
    if (layer.isNull()) layer = drawCurves(*this, view->devicePixelRatioF());
    painter.drawImage(plot.topLeft(), layer);
}

void MetricChart::Impl::refresh() {
    isStale = true;
    if (isOrdered || !view->isVisible()) return;
    isOrdered = true;
    QMetaObject::invokeMethod(
        view,
        [this] {
            isOrdered = false;
            settle();
        },
        Qt::QueuedConnection);
}

void MetricChart::Impl::settle() {
    if (!isStale) return;
    isStale = false;
    computeRange();
    placePlot();
    layered = isDense(*this);
    lines->show(*this, layered);
    view->viewport()->update();
}

void MetricChart::Impl::placePlot() {
    const QFontMetricsF metrics(fontOf(kAxisSize));
    size = view->size();
    double labelWidth = px(24);
    for (const double tick : yTicks())
        labelWidth = std::max(labelWidth, metrics.horizontalAdvance(yFormat(fromAxis(tick))));
    bool letters = false;
    for (const Curve& curve : curves) letters = letters || !curve.letter.isEmpty();
    const QRectF area(labelWidth + px(8), px(8),
                      std::max(10.0, size.width() - labelWidth - px(8) - (letters ? px(30) : px(10))),
                      std::max(10.0, size.height() - px(8) - metrics.height() - px(8)));
    layer = QImage();
    if (area == plot && chart->size() == size) return;
    plot = area;
    chart->resize(size);
    chart->setPlotArea(plot);
    view->setSceneRect(QRectF(QPointF(0, 0), size));
}

MetricChart::MetricChart(QWidget* parent) : QWidget(parent), m(std::make_unique<Impl>()) {
    m->chart = new QChart;
    m->chart->legend()->hide();
    m->chart->setBackgroundVisible(false);
    m->chart->setMargins({0, 0, 0, 0});
    m->chart->setAnimationOptions(QChart::NoAnimation);
    m->lines = std::make_unique<ChartLines>(m->chart);
    m->view = new Surface(m->chart, this);  // the view owns the chart
    m->view->below = [this](QPainter& p) {
        if (m->isEmpty()) return;
        m->paintBelow(p);
        m->paintLayer(p);
    };
    m->view->above = [this](QPainter& p) {
        if (m->isEmpty())
            m->paintEmpty(p);
        else
            m->paintAbove(p);
        if (!hasFocus() || !window()->property("keyboardFocus").toBool()) return;
        p.setPen(QPen(theme().accent, 2));
        p.setBrush(Qt::NoBrush);
        p.drawRect(m->view->viewport()->rect().adjusted(1, 1, -1, -1));
    };
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

void MetricChart::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    m->view->viewport()->update();
}

void MetricChart::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    m->view->viewport()->update();
}

void MetricChart::setCurves(std::vector<Curve> curves) {
    if (curves == m->curves) return;
    m->curves = std::move(curves);
    m->refresh();
    setAccessibleDescription(summary());
}

void MetricChart::setReference(std::optional<Reference> reference) {
    if (m->reference == reference) return;
    m->reference = reference;
    m->refresh();
}

void MetricChart::setWarmUp(std::optional<double> x) {
    if (m->warmUp == x) return;
    m->warmUp = x;
    m->view->viewport()->update();
}

void MetricChart::setMarks(QVector<double> xs) {
    if (m->marks == xs) return;
    m->marks = std::move(xs);
    m->view->viewport()->update();
}

void MetricChart::setEvents(QVector<ChartEvent> events) {
    m->events = std::move(events);
    m->view->viewport()->update();
}

void MetricChart::setClip(bool on) {
    m->clip = on;
    m->refresh();
}

void MetricChart::setLogY(bool on) {
    if (m->logY == on) return;
    m->logY = on;
    m->refresh();
    emit logChanged(on);
}

void MetricChart::setZeroBased(bool on) {
    m->zeroBased = on;
    m->refresh();
}

void MetricChart::setEmptyText(const QString& text) {
    if (m->emptyText == wordJoined(text)) return;
    m->emptyText = wordJoined(text);
    setAccessibleDescription(summary());
    m->view->viewport()->update();
}

void MetricChart::setXName(const QString& name) {
    m->xName = name;
}

void MetricChart::setYFormat(std::function<QString(double)> format, bool bytes) {
    m->yFormat = std::move(format);
    m->bytes = bytes;
    m->refresh();
}

void MetricChart::setXFormat(std::function<QString(double)> format) {
    m->xFormat = std::move(format);
    m->view->viewport()->update();
}

void MetricChart::setPointer(std::optional<double> x) {
    if (m->pointer == x) return;
    m->pointer = x;
    m->view->viewport()->update();
}

void MetricChart::setZoom(std::optional<QPair<double, double>> range) {
    m->zoom = range;
    m->refresh();
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
    m->settle();
    return m->leftOut;
}

int MetricChart::numClipped() const {
    m->settle();
    return m->clipped;
}

QRectF MetricChart::shownRange() const {
    m->settle();
    const double low = m->fromAxis(m->range.top());
    return {m->range.left(), low, m->range.width(), m->fromAxis(m->range.bottom()) - low};
}

DataTable MetricChart::dataTable() const {
    DataTable table{
        {tr("Curve"), m->xName.isEmpty() ? tr("Step") : m->xName, tr("Value"), tr("Minimum"), tr("Maximum")}, {}};
    for (const Curve& curve : m->curves)
        for (qsizetype i = 0; i < curve.points.size(); ++i)
            table.rows.append({curve.name, QString::number(curve.points[i].x(), 'g', 12),
                               QString::number(curve.points[i].y(), 'g', 9),
                               i < curve.low.size() ? QString::number(curve.low[i].y(), 'g', 9) : QString(),
                               i < curve.high.size() ? QString::number(curve.high[i].y(), 'g', 9) : QString()});
    return table;
}

QString MetricChart::summary() const {
    if (m->isEmpty()) return m->emptyText;
    if (m->curves.empty()) return tr("No curves.");
    const auto first = std::find_if(m->curves.begin(), m->curves.end(), [](const Curve& c) { return !c.faint; });
    const Curve& curve = first == m->curves.end() ? m->curves.front() : *first;
    const auto shown = std::count_if(m->curves.begin(), m->curves.end(), [](const Curve& c) { return !c.faint; });
    const QString last = curve.points.isEmpty() ? unknownText() : m->yFormat(curve.points.back().y());
    return tr("%n curve(s); the last value of %1 is %2.", nullptr, static_cast<int>(shown)).arg(curve.name, last);
}

bool MetricChart::eventFilter(QObject* watched, QEvent* event) {
    m->settle();  // before it is painted, and before a position is read from it
    const QRectF area = m->plot;
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
            if (static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton)
                m->dragFrom = static_cast<QMouseEvent*>(event)->position();
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
    m->settle();
    const QVector<QPointF> empty;
    const auto line = std::find_if(m->curves.begin(), m->curves.end(),
                                   [](const Curve& c) { return !c.faint && !c.points.isEmpty(); });
    const QVector<QPointF>& points = line == m->curves.end() ? empty : line->points;
    const auto jump = [&](qsizetype index) {
        if (points.isEmpty()) return;
        m->pinned = true;
        setPointer(points[std::clamp<qsizetype>(index, 0, points.size() - 1)].x());
        emit pointerMoved(m->pointer);
    };
    qsizetype here = points.size() - 1;
    if (m->pointer)
        here = std::lower_bound(points.begin(), points.end(), *m->pointer,
                                [](const QPointF& p, double x) { return p.x() < x; }) -
               points.begin();
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
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) m->refresh();
    QWidget::changeEvent(event);
}

void MetricChart::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m->view->resize(size());
    m->refresh();
}

void MetricChart::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addAction(tr("Copy picture"), this, [this] { QApplication::clipboard()->setPixmap(grab()); });
    menu.addAction(tr("Copy data"), this, [this] { QApplication::clipboard()->setText(dataTable().tabSeparated()); });
    addSaveActions(
        menu, this, [this](QPainter& painter) { m->paint(painter); }, [this] { return dataTable(); });
    menu.addAction(tr("Show as table") + QStringLiteral("\tT"), this,
                   [this] { showDataTable(this, accessibleName(), dataTable()); });
    QAction* log =
        menu.addAction(tr("Logarithmic y axis") + QStringLiteral("\tL"), this, [this] { setLogY(!m->logY); });
    log->setCheckable(true);
    log->setChecked(m->logY);
    menu.exec(event->globalPos());
}

}  // namespace slipway::gui
