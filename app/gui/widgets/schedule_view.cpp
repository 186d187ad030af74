#include "app/gui/widgets/schedule_view.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "core/base/units.h"

#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace slipway::gui {
namespace {

bool isPass(ActionKind kind) {
    switch (kind) {
        case ActionKind::Forward:
        case ActionKind::BackwardInput:
        case ActionKind::BackwardWeight:
        case ActionKind::BackwardFull:
        case ActionKind::OverlapForwardBackward:
        case ActionKind::Recompute:
        case ActionKind::ReduceGrad: return true;
        default: return false;
    }
}

Hue hueOf(ActionKind kind) {
    switch (kind) {
        case ActionKind::Forward: return Hue::Blue;
        case ActionKind::BackwardWeight: return Hue::Violet;
        case ActionKind::Recompute: return Hue::Orange;
        case ActionKind::ReduceGrad: return Hue::Rose;
        default: return Hue::Sky;
    }
}

QString passName(ActionKind kind) {
    switch (kind) {
        case ActionKind::Forward: return ScheduleView::tr("Forward");
        case ActionKind::BackwardInput: return ScheduleView::tr("Backward, inputs");
        case ActionKind::BackwardWeight: return ScheduleView::tr("Backward, weights");
        case ActionKind::Recompute: return ScheduleView::tr("Recompute");
        case ActionKind::ReduceGrad: return ScheduleView::tr("Gradient reduction");
        default: return ScheduleView::tr("Backward");
    }
}

double lastEnd(const std::vector<TimeSpan>& spans) {
    double end = 0;
    for (const TimeSpan& span : spans)
        if (std::isfinite(span.endSeconds)) end = std::max(end, span.endSeconds);
    return end;
}

}  // namespace

ScheduleView::ScheduleView(QWidget* parent) : PaintedWidget(parent) {}

void ScheduleView::setForecast(std::vector<TimeSpan> spans, Tail tail, std::int64_t ranksPerStage) {
    std::erase_if(spans, [](const TimeSpan& span) { return !isPass(span.kind); });
    m_forecast = std::move(spans);
    m_tail = tail;
    m_ranksPerStage = ranksPerStage;
    m_window.reset();
    m_hover = -1;
    m_hits.clear();
    updateGeometry();
    changed();
    emit windowChanged();
}

void ScheduleView::setMeasured(std::vector<TimeSpan> spans) {
    std::erase_if(spans, [](const TimeSpan& span) { return !isPass(span.kind); });
    m_measured = std::move(spans);
    m_hover = -1;
    m_hits.clear();
    changed();
}

double ScheduleView::totalSeconds() const {
    return std::max(lastEnd(m_forecast) + m_tail.reduceSeconds + m_tail.optimizerSeconds, lastEnd(m_measured));
}

int ScheduleView::numStages() const {
    std::int64_t most = -1;
    for (const auto* spans : {&m_forecast, &m_measured})
        for (const TimeSpan& span : *spans) most = std::max(most, span.rank);
    return static_cast<int>(most + 1);
}

QRectF ScheduleView::plotRect() const {
    return {double(px(58)), double(px(18)), width() - double(px(58)), height() - double(px(18)) - px(8)};
}

double ScheduleView::xOf(double seconds) const {
    const QRectF plot = plotRect();
    return plot.left() + (seconds - m_window.from()) / m_window.width(totalSeconds()) * plot.width();
}

QString ScheduleView::summary() const {
    const int stages = numStages();
    if (stages == 0) return tr("No schedule to draw.");
    return tr("Forward and backward passes of %n pipeline stage(s); one step takes %1.", nullptr, stages)
        .arg(secondsText(totalSeconds()));
}

QString ScheduleView::valueAtCursor() const {
    return m_hover < 0 ? QString() : tipLines(m_hits[static_cast<std::size_t>(m_hover)]).join(QStringLiteral(", "));
}

DataTable ScheduleView::dataTable() const {
    DataTable table{{tr("Source"), tr("Stage"), tr("Pass"), tr("Micro-batch"), tr("Chunk"), tr("Start"), tr("End")},
                    {}};
    for (const auto& [spans, source] : {std::pair{&m_forecast, tr("forecast")}, {&m_measured, tr("measured")}})
        for (const TimeSpan& span : *spans)
            table.rows.append({source, QString::number(span.rank), passName(span.kind),
                               QString::number(span.microBatch), QString::number(span.chunk),
                               secondsText(span.startSeconds), secondsText(span.endSeconds)});
    return table;
}

QSize ScheduleView::sizeHint() const {
    return {px(700), px(18) + std::clamp(numStages(), 1, 16) * px(34) + px(10)};
}

QSize ScheduleView::minimumSizeHint() const {
    return {px(300), px(18) + std::clamp(numStages(), 1, 8) * px(22) + px(10)};
}

void ScheduleView::paintSpans(QPainter& painter, const std::vector<TimeSpan>& spans, double top, double pitch,
                              double rowHeight, bool measured) {
    const Theme& t = theme();
    const QRectF plot = plotRect();
    const double offset = measured ? rowHeight / 2 : 0;
    const double height = m_measured.empty() ? rowHeight : rowHeight / 2 - 1;
    painter.setFont(fontOf(10.5 / 13));
    for (const TimeSpan& span : spans) {
        const double x0 = std::max(xOf(span.startSeconds), plot.left());
        const double x1 = std::min(xOf(span.endSeconds), plot.right());
        if (!(x1 > x0)) continue;
        const double gap = x1 - x0 > 3 ? 0.8 : 0;
        const QRectF box(x0, top + pitch * static_cast<double>(span.rank) + offset, x1 - x0 - gap, height);
        const QColor colour = t.hue(hueOf(span.kind));
        painter.fillRect(box, colour);
        if (span.chunk > 0) painter.fillRect(QRectF(box.left(), box.top(), box.width(), px(3)), t.text);
        if (box.width() > px(13)) {
            painter.setPen(inkOn(colour));
            painter.drawText(box, Qt::AlignCenter, QString::number(span.microBatch));
        }
        m_hits.push_back({box, &span, measured});
    }
}

void ScheduleView::paintStill(QPainter& painter) {
    const Theme& t = theme();
    m_hits.clear();
    const int stages = numStages();
    const double total = totalSeconds();
    if (stages == 0 || !(total > 0)) return paintSummary(painter);
    const QRectF plot = plotRect();
    const double pitch = std::min<double>(px(38), plot.height() / stages);
    const double rowHeight = pitch - std::min<double>(px(4), pitch * 0.15);
    const double to = m_window.to(total);

    painter.setFont(fontOf(kAxisSize));
    painter.setPen(t.text2);
    const bool inMilliseconds = to < 1;
    bool first = true;
    for (const double tick : roundTicks(m_window.from(), to, std::max(2, static_cast<int>(plot.width() / px(100))))) {
        const double x = xOf(tick);
        painter.fillRect(QRectF(x, plot.top() - px(4), 1, px(3)), t.line2);
        QString label = qs(formatSignificant(inMilliseconds ? tick * 1e3 : tick, 6));
        if (first) label += inMilliseconds ? QStringLiteral("\u202Fms") : QStringLiteral("\u202Fs");
        first = false;
        const double width = QFontMetricsF(painter.font()).horizontalAdvance(label);
        painter.drawText(QPointF(std::clamp(x - width / 2, plot.left(), plot.right() - width), plot.top() - px(6)),
                         label);
    }
    for (int stage = 0; stage < stages; ++stage) {
        const double y = plot.top() + pitch * stage;
        painter.setFont(fontOf(rowHeight >= px(16) ? 1.0 : kAxisSize));
        painter.setPen(t.text);
        painter.drawText(QRectF(0, y, plot.left() - px(4), rowHeight), Qt::AlignLeft | Qt::AlignVCenter,
                         tr("Stage %1").arg(stage));
        fillHatch(painter, QRectF(plot.left(), y, xOf(to) - plot.left(), rowHeight));
        // The tail is the same for all stages: reduction, then optimizer, after the last pass.
        const double tailHeight = m_measured.empty() ? rowHeight : rowHeight / 2 - 1;
        double start = lastEnd(m_forecast);
        for (const auto& [seconds, hue] :
             {std::pair{m_tail.reduceSeconds, Hue::Rose}, {m_tail.optimizerSeconds, Hue::Ochre}}) {
            if (!(seconds > 0)) continue;
            const double x0 = std::max(xOf(start), plot.left());
            const double x1 = std::min(xOf(start + seconds), plot.right());
            if (x1 > x0) painter.fillRect(QRectF(x0, y, std::max(x1 - x0 - 0.8, 0.8), tailHeight), t.hue(hue));
            start += seconds;
        }
    }
    paintSpans(painter, m_forecast, plot.top(), pitch, rowHeight, false);
    paintSpans(painter, m_measured, plot.top(), pitch, rowHeight, true);
    if (!m_window.isWhole()) {
        const double y = height() - px(5);
        painter.fillRect(QRectF(plot.left(), y, plot.width(), px(4)), t.sunken);
        painter.fillRect(QRectF(plot.left() + m_window.from() / total * plot.width(), y,
                                m_window.width(total) / total * plot.width(), px(4)),
                         t.line2);
    }
}

QStringList ScheduleView::tipLines(const Hit& hit) const {
    const TimeSpan& span = *hit.span;
    double before = 0;  // end of the previous pass on the same stage
    const auto& spans = hit.measured ? m_measured : m_forecast;
    for (const TimeSpan& other : spans)
        if (other.rank == span.rank && other.endSeconds <= span.startSeconds + 1e-12)
            before = std::max(before, other.endSeconds);
    QStringList lines{tr("%1, micro-batch %2, stage %3").arg(passName(span.kind)).arg(span.microBatch).arg(span.rank),
                      tr("%1 – %2, %3")
                          .arg(secondsText(span.startSeconds), secondsText(span.endSeconds),
                               secondsText(span.endSeconds - span.startSeconds)),
                      tr("waited %1 before").arg(secondsText(std::max(0.0, span.startSeconds - before)))};
    if (m_ranksPerStage > 0)
        lines << tr("ranks %1–%2").arg(span.rank * m_ranksPerStage).arg((span.rank + 1) * m_ranksPerStage - 1);
    lines << (hit.measured ? tr("measured") : tr("forecast"));
    return lines;
}

void ScheduleView::paintMoving(QPainter& painter) {
    if (m_hover < 0 || m_hover >= static_cast<int>(m_hits.size())) return;
    const Hit& hit = m_hits[static_cast<std::size_t>(m_hover)];
    painter.setPen(QPen(theme().text, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(hit.rect);
    paintTip(painter, m_at, tipLines(hit));
}

void ScheduleView::mouseMoveEvent(QMouseEvent* event) {
    m_at = event->position();
    if ((event->buttons() & Qt::LeftButton) && !m_window.isWhole()) {
        const double seconds = (m_pressed.x() - m_at.x()) / plotRect().width() * m_window.width(totalSeconds());
        moveBy(m_pressedFrom + seconds - m_window.from());
        return;
    }
    m_hover = -1;
    for (std::size_t i = 0; i < m_hits.size(); ++i)
        if (m_hits[i].rect.contains(m_at)) m_hover = static_cast<int>(i);
    update();
}

void ScheduleView::mousePressEvent(QMouseEvent* event) {
    m_pressed = event->position();
    m_pressedFrom = m_window.from();
}

void ScheduleView::mouseDoubleClickEvent(QMouseEvent*) {
    zoom(1e9, 0);
}

void ScheduleView::zoom(double factor, double atSeconds) {
    const double total = totalSeconds();
    if (!(total > 0)) return;
    double shortest = total;
    for (const TimeSpan& s : m_forecast)
        shortest = std::min(shortest, std::max(s.endSeconds - s.startSeconds, total * 1e-4));
    m_window.zoom(factor, atSeconds, total, shortest);
    m_hover = -1;
    changed();
    emit windowChanged();
}

void ScheduleView::moveBy(double seconds) {
    if (m_window.isWhole()) return;
    m_window.moveBy(seconds, totalSeconds());
    changed();
    emit windowChanged();
}

void ScheduleView::wheelEvent(QWheelEvent* event) {
    const QRectF plot = plotRect();
    const double from = m_window.from(), width = m_window.width(totalSeconds());
    const double at = from + (event->position().x() - plot.left()) / plot.width() * width;
    zoom(event->angleDelta().y() > 0 ? 0.8 : 1.25, std::clamp(at, from, from + width));
    event->accept();
}

void ScheduleView::keyPressEvent(QKeyEvent* event) {
    const double width = m_window.width(totalSeconds()), middle = m_window.from() + width / 2;
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal: zoom(0.8, middle); break;
        case Qt::Key_Minus: zoom(1.25, middle); break;
        case Qt::Key_0: zoom(1e9, 0); break;
        case Qt::Key_Left: moveBy(-width * 0.1); break;
        case Qt::Key_Right: moveBy(width * 0.1); break;
        default: PaintedWidget::keyPressEvent(event);
    }
}

void ScheduleView::leaveEvent(QEvent*) {
    m_hover = -1;
    update();
}

}  // namespace slipway::gui
