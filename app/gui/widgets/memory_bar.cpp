#include "app/gui/widgets/memory_bar.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "core/base/units.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr int kNumParts = 7;
constexpr int kLegendLine = 15;
constexpr int kReserve = 6;  // drawn as hatch
constexpr std::array<double MemoryBreakdown::*, kNumParts> kParts{
    &MemoryBreakdown::weightBytes,     &MemoryBreakdown::gradientBytes, &MemoryBreakdown::optimizerBytes,
    &MemoryBreakdown::activationBytes, &MemoryBreakdown::logitsBytes,   &MemoryBreakdown::bufferBytes,
    &MemoryBreakdown::reserveBytes};
constexpr std::array<Hue, kNumParts> kHues{Hue::Blue,  Hue::Sky,  Hue::Violet, Hue::Orange,
                                           Hue::Ochre, Hue::Teal, Hue::Umber};

constexpr std::array<const char*, kNumParts> kFigures{
    "memory.weight_bytes", "memory.gradient_bytes", "memory.optimizer_bytes", "memory.activation_bytes",
    "memory.logits_bytes", "memory.buffer_bytes",   "memory.reserve_bytes"};

QString partName(int part) {
    switch (part) {
        case 0: return MemoryBar::tr("Weights");
        case 1: return MemoryBar::tr("Gradients");
        case 2: return MemoryBar::tr("Optimizer");
        case 3: return MemoryBar::tr("Activations");
        case 4: return MemoryBar::tr("Logits");
        case 5: return MemoryBar::tr("Buffers");
        default: return MemoryBar::tr("Reserve");
    }
}

}  // namespace

MemoryBar::MemoryBar(QWidget* parent) : PaintedWidget(parent), m_capacity(std::nan("")) {}

void MemoryBar::setMemory(std::vector<StageMemory> stages, std::size_t worstStage, double capacityBytes) {
    std::vector<MemoryRow> rows;
    for (const StageMemory& stage : stages)
        rows.push_back({tr("Stage %1").arg(stage.stage),
                        tr("layers %1–%2")
                            .arg(stage.firstLayer)
                            .arg(stage.firstLayer + std::max<std::int64_t>(stage.numLayers, 1) - 1),
                        stage.bytes});
    setRows(tr("Stage"), std::move(rows), worstStage, capacityBytes);
}

void MemoryBar::setRows(const QString& heading, std::vector<MemoryRow> rows, std::size_t worst, double capacityBytes) {
    m_heading = heading;
    m_rows = std::move(rows);
    m_worst = worst;
    m_capacity = capacityBytes;
    m_hover = -1;
    updateGeometry();
    changed();
}

double MemoryBar::unitBytes() const {
    double most = std::isnan(m_capacity) ? 0 : m_capacity;
    for (const MemoryRow& row : m_rows) most = std::max(most, row.bytes.totalBytes());
    return most >= kGiB ? kGiB : kMiB;
}

QString MemoryBar::unit() const {
    return unitBytes() == kGiB ? QStringLiteral("GiB") : QStringLiteral("MiB");
}

QSize MemoryBar::sizeHint() const {
    return {px(480), px(22) + static_cast<int>(m_rows.size()) * px(40) + px(24)};
}

QSize MemoryBar::minimumSizeHint() const {
    const int rows = std::min<int>(static_cast<int>(m_rows.size()), 4);
    return {px(300), px(22) + std::max(rows, 1) * px(26) + px(20)};
}

QString MemoryBar::summary() const {
    if (m_rows.empty()) return tr("No memory forecast.");
    const double worst = m_rows[m_worst].bytes.totalBytes();
    if (std::isnan(m_capacity)) return tr("The worst rank needs %1.").arg(bytesText(worst));
    return tr("The worst rank needs %1 of %2.").arg(bytesText(worst), bytesText(m_capacity));
}

QString MemoryBar::valueAtCursor() const {
    return m_hover < 0 ? QString() : tipLines(m_hits[static_cast<std::size_t>(m_hover)]).join(QStringLiteral(", "));
}

DataTable MemoryBar::dataTable() const {
    DataTable table;
    table.headers << m_heading;
    for (int part = 0; part < kNumParts; ++part) table.headers << partName(part);
    table.headers << tr("Total");
    const bool measured =
        std::any_of(m_rows.begin(), m_rows.end(), [](const MemoryRow& row) { return row.measuredPeakBytes; });
    if (measured) table.headers << tr("Measured peak");
    for (const MemoryRow& row : m_rows) {
        QStringList cells{row.title};
        for (const auto part : kParts) cells << bytesText(row.bytes.*part);
        cells << bytesText(row.bytes.totalBytes());
        if (measured) cells << bytesText(row.measuredPeakBytes);
        table.rows.append(cells);
    }
    return table;
}

int MemoryBar::paintLegend(QPainter& painter) const {
    // All parts are named: first the gaps shrink, then the letters, then there are two lines.
    const auto lengthOf = [&](int part) {
        return px(14) + QFontMetricsF(painter.font()).horizontalAdvance(partName(part));
    };
    double text = 0;
    for (const double size : {kSideSize, kAxisSize}) {
        painter.setFont(fontOf(size));
        text = 0;
        for (int part = 0; part < kNumParts; ++part) text += lengthOf(part);
        if (text + (kNumParts - 1) * px(4) <= width()) break;
    }
    const bool fits = text + (kNumParts - 1) * px(4) <= width();
    const double gap = fits ? std::min<double>((width() - text) / (kNumParts - 1), px(12)) : px(12);
    double x = 0;
    int line = 0;
    for (int part = 0; part < kNumParts; ++part) {
        if (!fits && part == (kNumParts + 1) / 2) {
            x = 0;
            ++line;
        }
        const double y = px(6) + line * px(kLegendLine);
        const QRectF box(x, y, px(9), px(9));
        if (part == kReserve)
            fillHatch(painter, box);
        else
            painter.fillRect(box, theme().hue(kHues[static_cast<std::size_t>(part)]));
        painter.setPen(theme().text);
        painter.drawText(QPointF(x + px(14), y + px(9)), partName(part));
        x += lengthOf(part) + gap;
    }
    return line + 1;
}

void MemoryBar::paintStill(QPainter& painter) {
    const Theme& t = theme();
    m_hits.clear();
    const int legendLines = paintLegend(painter);
    if (m_rows.empty()) return;
    const QFont side = fontOf(kSideSize);
    const QFontMetricsF sideMetrics(side);
    const double left = px(100);
    const double right = width() - px(84);
    const double top = px(24) + (legendLines - 1) * px(kLegendLine);
    const double bottom = height() - px(6) - lineHeight(14, kAxisSize);
    const double pitch = std::min<double>(px(42), (bottom - top) / static_cast<double>(m_rows.size()));
    const double barHeight = std::min<double>(px(32), pitch - px(4));
    const double bytesPerUnit = unitBytes();
    double most = std::isnan(m_capacity) ? 0 : m_capacity;
    for (const MemoryRow& row : m_rows)
        most = std::max({most, row.bytes.totalBytes(), row.measuredPeakBytes.value_or(0)});
    const double scale = most > 0 ? (right - left) / (most * 1.05) : 0;

    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const MemoryRow& row = m_rows[i];
        const double y = top + pitch * static_cast<double>(i);
        const bool worst = i == m_worst;
        painter.setFont(fontOf(1.0, worst));
        painter.setPen(t.text);
        const bool twoLines = barHeight >= px(28) && !row.below.isEmpty();
        painter.drawText(QRectF(0, y, left - px(6), twoLines ? barHeight / 2 : barHeight),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         sideMetrics.elidedText(row.title, Qt::ElideMiddle, left - px(6)));
        if (twoLines) {
            painter.setFont(side);
            painter.setPen(t.text2);
            painter.drawText(QRectF(0, y + barHeight / 2, left - px(6), barHeight / 2),
                             Qt::AlignLeft | Qt::AlignVCenter,
                             sideMetrics.elidedText(row.below, Qt::ElideMiddle, left - px(6)));
        }
        painter.fillRect(QRectF(left, y, right - left, barHeight), t.sunken);
        double x = left;
        for (int part = 0; part < kNumParts; ++part) {
            const double bytes = row.bytes.*kParts[static_cast<std::size_t>(part)];
            if (!(bytes > 0)) continue;
            const QRectF box(x, y, bytes * scale, barHeight);
            const QColor colour = t.hue(kHues[static_cast<std::size_t>(part)]);
            if (part == kReserve)
                fillHatch(painter, box);
            else
                painter.fillRect(box.adjusted(0, 0, box.width() > 3 ? -0.8 : 0, 0), colour);
            if (box.width() > px(34) && part != kReserve) {
                painter.setFont(side);
                painter.setPen(inkOn(colour));
                painter.drawText(box, Qt::AlignCenter, qs(formatFixed(bytes / bytesPerUnit, 1)));
            }
            m_hits.push_back({box, i, part});
            x += box.width();
        }
        if (!std::isnan(m_capacity) && row.bytes.totalBytes() > m_capacity)
            fillHatch(painter,
                      QRectF(left + m_capacity * scale, y, (row.bytes.totalBytes() - m_capacity) * scale, barHeight),
                      t.bad);
        if (row.measuredPeakBytes)
            painter.fillRect(QRectF(left + *row.measuredPeakBytes * scale - 1, y - px(2), 2, barHeight + px(4)),
                             t.text);
        painter.setFont(fontOf(1.0, worst));
        painter.setPen(worst ? t.text : t.text2);
        painter.drawText(QRectF(right + px(4), y, width() - right - px(4), barHeight),
                         Qt::AlignRight | Qt::AlignVCenter, bytesText(row.bytes.totalBytes()));
    }

    const double axis = top + pitch * static_cast<double>(m_rows.size());
    painter.setFont(fontOf(kAxisSize));
    painter.setPen(t.text2);
    const double capacityX = std::isnan(m_capacity) ? 1e9 : left + m_capacity * scale;
    const QString capacityText = tr("capacity %1").arg(qs(formatFixed(m_capacity / bytesPerUnit, 1)));
    const double capacityWidth = std::isnan(m_capacity) ? 0 : sideMetrics.horizontalAdvance(capacityText) + px(8);
    for (const double tick : roundTicks(0, most * 1.05 / bytesPerUnit, 5)) {
        const double x = left + tick * bytesPerUnit * scale;
        if (x > capacityX - capacityWidth && x < capacityX + px(12)) continue;
        painter.fillRect(QRectF(x, axis - px(2), 1, px(3)), t.line2);
        painter.drawText(QRectF(x - px(30), axis + px(2), px(60), lineHeight(14, kAxisSize)),
                         Qt::AlignHCenter | Qt::AlignTop, qs(formatSignificant(tick, 6)));
    }
    if (std::isnan(m_capacity)) return;
    painter.fillRect(QRectF(capacityX - 1, top - px(4), 1.6, axis - top + px(4)), t.bad);
    painter.setPen(t.bad);
    painter.drawText(QRectF(capacityX - capacityWidth, axis + px(2), capacityWidth + px(6), lineHeight(14, kAxisSize)),
                     Qt::AlignRight | Qt::AlignTop, capacityText);
}

QStringList MemoryBar::tipLines(const Hit& hit) const {
    const MemoryBreakdown& bytes = m_rows[hit.row].bytes;
    const double part = bytes.*kParts[static_cast<std::size_t>(hit.part)];
    return {QStringLiteral("%1, %2").arg(partName(hit.part), m_rows[hit.row].title), bytesText(part),
            tr("%1 of this rank's total").arg(percentText(part / bytes.totalBytes()))};
}

void MemoryBar::paintMoving(QPainter& painter) {
    if (m_hover < 0) return;
    const Hit& hit = m_hits[static_cast<std::size_t>(m_hover)];
    painter.setPen(QPen(theme().text, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(hit.rect.adjusted(0, 0, -1, -1));
    paintTip(painter, m_at, tipLines(hit));
}

void MemoryBar::mouseMoveEvent(QMouseEvent* event) {
    m_at = event->position();
    m_hover = -1;
    for (std::size_t i = 0; i < m_hits.size(); ++i)
        if (m_hits[i].rect.contains(m_at)) m_hover = static_cast<int>(i);
    update();
}

void MemoryBar::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    mouseMoveEvent(event);
    if (m_hover < 0) return;
    const Hit hit = m_hits[static_cast<std::size_t>(m_hover)];
    emit asked(hit.row, kFigures[static_cast<std::size_t>(hit.part)]);
}

void MemoryBar::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        emit asked(m_worst, "memory_peak_bytes");
    else
        PaintedWidget::keyPressEvent(event);
}

void MemoryBar::leaveEvent(QEvent*) {
    m_hover = -1;
    update();
}

}  // namespace slipway::gui
