#include "app/gui/widgets/span_timeline.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "core/base/units.h"

#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <array>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr double kNamesWidth = 118, kSharesWidth = 190, kRulerHeight = 18, kShortest = 1e-6;  // seconds

/// Drawing of a pass; other spans are waits.
struct Pass {
    const char* word;
    const char* letter;
    const char* name;
    Hue hue;
};
constexpr std::array kPasses{
    Pass{"forward", "F", QT_TRANSLATE_NOOP("slipway::gui::SpanTimeline", "Forward"), Hue::Blue},
    Pass{"backward_full", "B", QT_TRANSLATE_NOOP("slipway::gui::SpanTimeline", "Backward"), Hue::Sky},
    Pass{"backward_input", "B", QT_TRANSLATE_NOOP("slipway::gui::SpanTimeline", "Backward, inputs"), Hue::Sky},
    Pass{"backward_weight", "W", QT_TRANSLATE_NOOP("slipway::gui::SpanTimeline", "Backward, weights"), Hue::Violet},
    Pass{"overlap_forward_backward", "FB",
         QT_TRANSLATE_NOOP("slipway::gui::SpanTimeline", "Overlapped forward and backward"), Hue::Sky},
    Pass{"recompute", "R", QT_TRANSLATE_NOOP("slipway::gui::SpanTimeline", "Recompute"), Hue::Orange},
    Pass{"reduce_grad", "", QT_TRANSLATE_NOOP("slipway::gui::SpanTimeline", "Gradient reduction"), Hue::Rose},
    Pass{"optimizer", "", QT_TRANSLATE_NOOP("slipway::gui::SpanTimeline", "Optimizer"), Hue::Ochre},
};
const Pass* passOf(const std::string& word) {
    const auto found =
        std::find_if(kPasses.begin(), kPasses.end(), [&](const Pass& pass) { return word == pass.word; });
    return found == kPasses.end() ? nullptr : &*found;
}

Hue hueOfAxis(const std::string& axis) {
    if (axis == "tp" || axis == "etp") return Hue::Teal;
    if (axis == "cp") return Hue::Violet;
    if (axis == "ep") return Hue::Orange;
    if (axis == "pp") return Hue::Sky;
    return Hue::Rose;
}

}  // namespace

SpanTimeline::SpanTimeline(QWidget* parent) : PaintedWidget(parent) {
    setAccessibleName(tr("Spans of the ranks"));
}

void SpanTimeline::setRows(std::vector<TimelineRow> rows) {
    double total = 0;
    for (const TimelineRow& row : rows) total = std::max(total, row.spans.seconds());
    if (total != m_total) m_window.reset();
    m_rows = std::move(rows);
    m_total = total;
    m_hover = -1;
    m_hits.clear();
    updateGeometry();
    changed();
    emit windowChanged();
}

QRectF SpanTimeline::plot() const {
    return {double(px(kNamesWidth)), double(px(kRulerHeight)),
            std::max(40.0, double(width() - px(kNamesWidth + kSharesWidth))),
            height() - double(px(kRulerHeight)) - px(8)};
}

double SpanTimeline::pitch() const {
    return std::min<double>(px(30), plot().height() / std::max<double>(1, static_cast<double>(m_rows.size())));
}

double SpanTimeline::xOf(double seconds) const {
    const QRectF area = plot();
    return area.left() + (seconds - m_window.from()) / m_window.width(m_total) * area.width();
}

double SpanTimeline::sharedBy(double seconds) const {
    const double width = m_window.width(m_total);
    return width > 0 ? std::clamp(seconds / width, 0.0, 1.0) : 0;
}

double SpanTimeline::busyShare(std::size_t row) const {
    // Two kinds of passes may overlap: their union counts.
    std::vector<std::pair<double, double>> spans;
    const double from = m_window.from(), to = m_window.to(m_total);
    for (const RankSpan& span : m_rows[row].spans.spans)
        if (passOf(span.name)) spans.emplace_back(std::max(span.startSeconds, from), std::min(span.endSeconds, to));
    std::sort(spans.begin(), spans.end());
    double sum = 0, end = from;
    for (const auto& [start, stop] : spans) {
        sum += std::max(0.0, stop - std::max(start, end));
        end = std::max(end, stop);
    }
    return sharedBy(sum);
}

double SpanTimeline::collectiveShare(std::size_t row) const {
    const double from = m_window.from(), to = m_window.to(m_total);
    double sum = 0;
    for (const RankCollective& one : m_rows[row].spans.collectives)
        sum += std::max(0.0, std::min(one.endSeconds, to) - std::max(one.startSeconds, from));
    return sharedBy(sum);
}

QString SpanTimeline::summary() const {
    if (m_rows.empty()) return tr("No spans are recorded.");
    const auto least = [this] {
        std::size_t best = 0;
        for (std::size_t i = 1; i < m_rows.size(); ++i)
            if (busyShare(i) > busyShare(best)) best = i;
        return best;
    }();
    return tr("Spans of %n rank(s) in step %1, which takes %2; rank %3 has the shortest wait, %4.", nullptr,
              static_cast<int>(m_rows.size()))
        .arg(countText(static_cast<double>(m_rows.front().spans.step)), secondsText(m_total))
        .arg(m_rows[least].spans.rank)
        .arg(percentText(1 - busyShare(least)));
}

QString SpanTimeline::valueAtCursor() const {
    return m_hover < 0 ? QString()
                       : QString(m_hits[static_cast<std::size_t>(m_hover)].text).replace('\n', QStringLiteral(", "));
}

DataTable SpanTimeline::dataTable() const {
    DataTable table{{tr("Rank"), tr("Stage"), tr("Span"), tr("Micro-batch"), tr("Chunk"), tr("Start"), tr("End")}, {}};
    for (const TimelineRow& row : m_rows) {
        const auto add = [&](const QString& name, const QString& microBatch, const QString& chunk, double start,
                             double end) {
            table.rows.append({QString::number(row.spans.rank), QString::number(row.stage), name, microBatch, chunk,
                               secondsText(start), secondsText(end)});
        };
        for (const RankSpan& span : row.spans.spans)
            add(passOf(span.name) ? tr(passOf(span.name)->name) : tr("Wait: %1").arg(qs(span.name)),
                QString::number(span.microBatch), QString::number(span.chunk), span.startSeconds, span.endSeconds);
        for (const RankCollective& one : row.spans.collectives)
            add(qs(one.operation) + ' ' + qs(one.axis), {}, {}, one.startSeconds, one.endSeconds);
    }
    return table;
}

QSize SpanTimeline::sizeHint() const {
    return {px(700),
            px(kRulerHeight) + static_cast<int>(std::clamp<std::size_t>(m_rows.size(), 1, 16)) * px(26) + px(10)};
}

QSize SpanTimeline::minimumSizeHint() const {
    return {px(420), px(kRulerHeight) + static_cast<int>(std::max<std::size_t>(m_rows.size(), 1)) * px(15) + px(10)};
}

void SpanTimeline::paintRuler(QPainter& painter) const {
    const Theme& t = theme();
    const QRectF area = plot();
    painter.setFont(fontOf(kAxisSize));
    painter.setPen(t.text2);
    const double to = m_window.to(m_total);
    const bool inMilliseconds = to < 1;
    bool first = true;
    for (const double tick : roundTicks(m_window.from(), to, std::max(2, static_cast<int>(area.width() / px(100))))) {
        const double x = xOf(tick);
        painter.fillRect(QRectF(x, area.top() - px(4), 1, px(3)), t.line2);
        QString label = qs(formatSignificant(inMilliseconds ? tick * 1e3 : tick, 6));
        if (first) label += inMilliseconds ? QStringLiteral("\u202Fms") : QStringLiteral("\u202Fs");
        first = false;
        const double width = QFontMetricsF(painter.font()).horizontalAdvance(label);
        painter.drawText(QPointF(std::clamp(x - width / 2, area.left(), area.right() - width), area.top() - px(6)),
                         label);
    }
    const double column = px(kSharesWidth) / 3.0;
    int at = 0;
    for (const QString& head : {tr("Compute"), tr("Traffic"), tr("Wait")})
        painter.drawText(QRectF(area.right() + column * at++, 0, column, area.top() - px(2)),
                         Qt::AlignRight | Qt::AlignBottom, head);
}

void SpanTimeline::paintRow(QPainter& painter, std::size_t at) {
    const Theme& t = theme();
    const TimelineRow& row = m_rows[at];
    const QRectF area = plot();
    const double top = area.top() + pitch() * static_cast<double>(at),
                 height = pitch() - std::min<double>(px(3), pitch() * 0.15);
    const double passes = height * 0.72;
    painter.setFont(fontOf(kAxisSize, row.isChosen));
    painter.setPen(t.text);
    painter.drawText(QRectF(0, top, area.left() - px(6), height), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("stage %1, rank %2").arg(row.stage).arg(row.spans.rank));
    fillHatch(painter, QRectF(area.left(), top, area.width(), passes));
    const auto box = [&](double start, double end, double y, double high) {
        const double left = std::max(xOf(start), area.left()), right = std::min(xOf(end), area.right());
        return QRectF(left, y, right - left, high);
    };
    const auto text = [&](const QString& name, double start, double end) {
        return QStringLiteral("%1\n%2\n%3")
            .arg(name, tr("%1 – %2, %3").arg(secondsText(start), secondsText(end), secondsText(end - start)),
                 tr("rank %1, stage %2").arg(row.spans.rank).arg(row.stage));
    };
    painter.setFont(fontOf(10.5 / 13));
    const QFontMetricsF metrics(painter.font());
    for (const RankSpan& span : row.spans.spans) {
        QRectF where = box(span.startSeconds, span.endSeconds, top, passes);
        if (!(where.width() > 0)) continue;
        const Pass* pass = passOf(span.name);
        if (pass == nullptr) {
            m_hits.push_back({where, at, text(tr("Wait: %1").arg(qs(span.name)), span.startSeconds, span.endSeconds)});
            continue;
        }
        if (where.width() > 3) where.setWidth(where.width() - 0.8);
        const QColor colour = t.hue(pass->hue);
        painter.fillRect(where, colour);
        const bool counted = pass->letter[0] != '\0';
        const QString label = QStringLiteral("%1 %2").arg(QString::fromLatin1(pass->letter)).arg(span.microBatch);
        if (counted && where.width() > metrics.horizontalAdvance(label) + px(4) && passes > metrics.height() * 0.8) {
            painter.setPen(inkOn(colour));
            painter.drawText(where, Qt::AlignCenter, label);
        }
        m_hits.push_back(
            {where, at,
             text(counted ? tr("%1, micro-batch %2").arg(tr(pass->name)).arg(span.microBatch) : tr(pass->name),
                  span.startSeconds, span.endSeconds)});
    }
    for (const RankCollective& one : row.spans.collectives) {
        QRectF where = box(one.startSeconds, one.endSeconds, top + passes + 1, height - passes - 1);
        if (!(where.right() > area.left()) || where.left() > area.right()) continue;
        where.setWidth(std::max(where.width(), 1.0));
        painter.fillRect(where, t.hue(hueOfAxis(one.axis)));
        m_hits.push_back({where, at, text(qs(one.operation) + ' ' + qs(one.axis), one.startSeconds, one.endSeconds)});
    }
    painter.setFont(fontOf(kAxisSize, row.isChosen));
    painter.setPen(t.text);
    const double column = px(kSharesWidth) / 3.0, busy = busyShare(at);
    int place = 0;
    for (const double share : {busy, collectiveShare(at), 1 - busy})
        painter.drawText(QRectF(area.right() + column * place++, top, column, height),
                         Qt::AlignRight | Qt::AlignVCenter, percentText(share));
}

void SpanTimeline::paintStill(QPainter& painter) {
    m_hits.clear();
    if (m_rows.empty() || !(m_total > 0)) return paintSummary(painter);
    const Theme& t = theme();
    paintRuler(painter);
    for (std::size_t row = 0; row < m_rows.size(); ++row) paintRow(painter, row);
    if (m_window.isWhole()) return;
    const QRectF area = plot();
    const double y = height() - px(5);
    painter.fillRect(QRectF(area.left(), y, area.width(), px(4)), t.sunken);
    painter.fillRect(QRectF(area.left() + m_window.from() / m_total * area.width(), y,
                            m_window.width(m_total) / m_total * area.width(), px(4)),
                     t.line2);
}

void SpanTimeline::paintMoving(QPainter& painter) {
    if (m_hover < 0 || m_hover >= static_cast<int>(m_hits.size())) return;
    const Hit& hit = m_hits[static_cast<std::size_t>(m_hover)];
    painter.setPen(QPen(theme().text, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(hit.rect);
    paintTip(painter, m_at, hit.text.split('\n'));
}

void SpanTimeline::mouseMoveEvent(QMouseEvent* event) {
    m_at = event->position();
    if ((event->buttons() & Qt::LeftButton) && !m_window.isWhole()) {
        const double seconds = (m_pressed.x() - m_at.x()) / plot().width() * m_window.width(m_total);
        return moveBy(m_pressedFrom + seconds - m_window.from());
    }
    m_hover = -1;
    for (std::size_t i = 0; i < m_hits.size(); ++i)
        if (m_hits[i].rect.contains(m_at)) m_hover = static_cast<int>(i);
    update();
}

void SpanTimeline::mousePressEvent(QMouseEvent* event) {
    m_pressed = event->position();
    m_pressedFrom = m_window.from();
}

void SpanTimeline::mouseDoubleClickEvent(QMouseEvent*) {
    zoom(1e9, 0);
}

void SpanTimeline::zoom(double factor, double atSeconds) {
    m_window.zoom(factor, atSeconds, m_total, std::max(kShortest, m_total * 1e-5));
    m_hover = -1;
    changed();
    emit windowChanged();
}

void SpanTimeline::moveBy(double seconds) {
    if (m_window.isWhole()) return;
    m_window.moveBy(seconds, m_total);
    changed();
    emit windowChanged();
}

void SpanTimeline::wheelEvent(QWheelEvent* event) {
    const QRectF area = plot();
    const double from = m_window.from(), width = m_window.width(m_total);
    const double at = from + (event->position().x() - area.left()) / area.width() * width;
    zoom(event->angleDelta().y() > 0 ? 0.8 : 1.25, std::clamp(at, from, from + width));
    event->accept();
}

// The keyboard walks the spans in time order: the tool tip describes each one.
void SpanTimeline::keyPressEvent(QKeyEvent* event) {
    const double width = m_window.width(m_total), middle = m_window.from() + width / 2;
    const bool walks = event->modifiers() & Qt::ShiftModifier;
    const auto walk = [&](int by) {
        if (m_hits.empty()) return;
        m_hover = std::clamp(m_hover + by, 0, static_cast<int>(m_hits.size()) - 1);
        m_at = m_hits[static_cast<std::size_t>(m_hover)].rect.center();
        update();
    };
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal: zoom(0.8, middle); break;
        case Qt::Key_Minus: zoom(1.25, middle); break;
        case Qt::Key_0: zoom(1e9, 0); break;
        case Qt::Key_Left: walks ? walk(-1) : moveBy(-width * 0.1); break;
        case Qt::Key_Right: walks ? walk(1) : moveBy(width * 0.1); break;
        default: PaintedWidget::keyPressEvent(event);
    }
}

void SpanTimeline::leaveEvent(QEvent*) {
    m_hover = -1;
    update();
}

}  // namespace slipway::gui
