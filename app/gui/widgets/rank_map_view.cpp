#include "app/gui/widgets/rank_map_view.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr double kLeastScale = 0.05;  ///< less is noise and not painted as difference
constexpr double kMostScale = 0.5;
constexpr double kNodeGap = 3;

/// A mix of the panel colour, for no difference, and a colour for slower or faster.
QColor diverging(double share) {
    const Theme& t = theme();
    const QColor end = t.hue(share > 0 ? Hue::Orange : Hue::Blue), white = t.panel;
    const auto mix = static_cast<float>(std::clamp(std::fabs(share), 0.0, 1.0));
    return QColor::fromRgbF(white.redF() + (end.redF() - white.redF()) * mix,
                            white.greenF() + (end.greenF() - white.greenF()) * mix,
                            white.blueF() + (end.blueF() - white.blueF()) * mix);
}

}  // namespace

QString rankQuantityText(RankQuantity quantity, std::optional<double> value) {
    return quantity == RankQuantity::Memory ? bytesText(value) : secondsText(value);
}

RankMapView::RankMapView(QWidget* parent) : PaintedWidget(parent) {
    setAccessibleName(tr("Ranks by step"));
    setMinimumSize(px(360), px(120));
}

QSize RankMapView::sizeHint() const {
    return {px(880), px(400)};
}

void RankMapView::setMap(std::shared_ptr<const RankMap> map, std::int64_t ranksPerNode) {
    m_map = std::move(map);
    m_perNode = std::max<std::int64_t>(1, ranksPerNode);
    m_cell.reset();
    findMedians();
    changed();
}

void RankMapView::setQuantity(RankQuantity quantity) {
    m_quantity = quantity;
    findMedians();
    changed();
}

void RankMapView::setStragglers(std::vector<Straggler> stragglers) {
    m_stragglers = std::move(stragglers);
    changed();
}

void RankMapView::findMedians() {
    m_medians.clear();
    m_most = kLeastScale;
    if (!m_map) return;
    for (std::int64_t column = 0; column < m_map->numColumns; ++column)
        m_medians.push_back(m_map->median(m_quantity, column));
    for (std::int64_t rank = 0; rank < m_map->numRanks; ++rank)
        for (std::int64_t column = 0; column < m_map->numColumns; ++column)
            if (const auto share = deviation(rank, column)) m_most = std::max(m_most, std::fabs(*share));
    m_most = std::min(m_most, kMostScale);
}

std::optional<double> RankMapView::deviation(std::int64_t rank, std::int64_t column) const {
    const auto value = m_map->value(m_quantity, rank, column);
    const auto& middle = m_medians[static_cast<std::size_t>(column)];
    if (!value || !middle) return {};
    if (*middle == 0) return *value == 0 ? 0 : kMostScale;
    return *value / *middle - 1;
}

std::int64_t RankMapView::ranksPerRow() const {
    if (!m_map || m_map->numRanks == 0) return 1;
    const auto most = std::max<std::int64_t>(1, static_cast<std::int64_t>(plot().height() / px(3)));
    return (m_map->numRanks + most - 1) / most;
}

std::int64_t RankMapView::numRows() const {
    return (m_map->numRanks + ranksPerRow() - 1) / ranksPerRow();
}

QRectF RankMapView::plot() const {
    const double left = QFontMetricsF(fontOf(kAxisSize)).horizontalAdvance(tr("node %1").arg(1000)) + px(52);
    return {left, static_cast<double>(px(4)), std::max<double>(px(40), width() - left - px(8)),
            std::max<double>(px(20), height() - px(4) - lineHeight(22, kAxisSize))};
}

double RankMapView::rowTop(std::int64_t row) const {
    const QRectF box = plot();
    const std::int64_t nodes = (m_map->numRanks - 1) / m_perNode;  // gaps
    const double gap =
        ranksPerRow() > 1 ? 0 : std::min(px(kNodeGap) * 1.0, box.height() / (4.0 * static_cast<double>(nodes + 1)));
    const double pitch =
        std::min<double>(px(24), (box.height() - gap * static_cast<double>(nodes)) / static_cast<double>(numRows()));
    return box.top() + pitch * static_cast<double>(row) + gap * static_cast<double>(row * ranksPerRow() / m_perNode);
}

QRectF RankMapView::cellBox(const Cell& cell) const {
    const QRectF box = plot();
    const double width = box.width() / static_cast<double>(m_map->numColumns);
    const double height = rowTop(1) - rowTop(0) - (m_perNode == 1 && ranksPerRow() == 1 ? px(1) : 0);
    return {box.left() + width * static_cast<double>(cell.column), rowTop(cell.row), width, std::max(1.0, height)};
}

std::optional<RankMapView::Cell> RankMapView::cellAt(const QPointF& at) const {
    if (!m_map || m_map->numColumns == 0 || !plot().adjusted(0, 0, 0, 1).contains(at)) return {};
    const double share = (at.x() - plot().left()) / plot().width();
    const Cell cell{
        0, std::clamp<std::int64_t>(static_cast<std::int64_t>(share * static_cast<double>(m_map->numColumns)), 0,
                                    m_map->numColumns - 1)};
    for (std::int64_t row = numRows() - 1; row >= 0; --row)
        if (at.y() >= rowTop(row)) {
            const Cell found{row, cell.column};
            return at.y() <= cellBox(found).bottom() + px(kNodeGap) ? std::optional(found) : std::nullopt;
        }
    return {};
}

std::optional<std::int64_t> RankMapView::rankOf(const Cell& cell) const {
    std::optional<std::int64_t> worst;
    double most = -1;
    const std::int64_t first = cell.row * ranksPerRow();
    for (std::int64_t rank = first; rank < std::min(first + ranksPerRow(), m_map->numRanks); ++rank)
        if (const auto share = deviation(rank, cell.column); share && std::fabs(*share) > most) {
            most = std::fabs(*share);
            worst = rank;
        }
    return worst;
}

QString RankMapView::summary() const {
    if (!m_map || m_map->numColumns == 0) return tr("No rank has written a record.");
    if (!m_map->hasWaits)
        return tr("This run does not record the waits of its ranks; all ranks of a step end together.");
    if (m_stragglers.empty()) return tr("No rank is slow.");
    const Straggler& worst = m_stragglers.front();
    return tr("Rank %1 is %2 slower than the median of its stage.").arg(worst.rank).arg(percentText(worst.slower));
}

QString RankMapView::valueAtCursor() const {
    if (!m_cell || !m_map) return {};
    const auto rank = rankOf(*m_cell);
    const std::int64_t from = m_map->stepOf(m_cell->column), to = m_map->stepOf(m_cell->column + 1) - 1;
    const QString steps =
        from == to ? tr("step %1").arg(countText(static_cast<double>(from)))
                   : tr("steps %1 to %2").arg(countText(static_cast<double>(from)), countText(static_cast<double>(to)));
    const std::int64_t shown = rank.value_or(m_cell->row * ranksPerRow());
    const QString where = tr("node %1, rank %2, %3").arg(shown / m_perNode).arg(shown).arg(steps);
    if (!rank) return tr("%1: no record").arg(where);
    const double share = *deviation(*rank, m_cell->column);
    return tr("%1: %2, %3 from the median")
        .arg(where, rankQuantityText(m_quantity, m_map->value(m_quantity, *rank, m_cell->column)), deltaText(share));
}

DataTable RankMapView::dataTable() const {
    DataTable table{{tr("Node"), tr("Rank"), tr("First step"), tr("Last step"), tr("Value"), tr("From the median")},
                    {}};
    if (!m_map) return table;
    constexpr std::int64_t kMostRows = 20000;  // a larger table is useless
    for (std::int64_t rank = 0; rank < m_map->numRanks; ++rank)
        for (std::int64_t column = 0; column < m_map->numColumns && table.rows.size() < kMostRows; ++column) {
            const auto share = deviation(rank, column);
            table.rows.append({QString::number(rank / m_perNode), QString::number(rank),
                               QString::number(m_map->stepOf(column)), QString::number(m_map->stepOf(column + 1) - 1),
                               rankQuantityText(m_quantity, m_map->value(m_quantity, rank, column)),
                               share ? deltaText(*share) : unknownText()});
        }
    return table;
}

void RankMapView::paintStill(QPainter& painter) {
    const Theme& t = theme();
    if (!m_map || m_map->numColumns == 0) return paintSummary(painter);
    const QRectF box = plot();
    painter.setFont(fontOf(kAxisSize));
    const QFontMetricsF metrics(painter.font());
    double labelled = -1e9;
    for (std::int64_t row = 0; row < numRows(); ++row) {
        const std::int64_t first = row * ranksPerRow();
        for (std::int64_t column = 0; column < m_map->numColumns; ++column) {
            const Cell cell{row, column};
            const auto rank = rankOf(cell);
            // An extra pixel closes the seam between neighbours.
            if (rank)
                painter.fillRect(cellBox(cell).adjusted(0, 0, 0.6, 0), diverging(*deviation(*rank, column) / m_most));
            else
                fillHatch(painter, cellBox(cell));
        }
        const double y = rowTop(row);
        const bool startsNode = first % m_perNode == 0 || ranksPerRow() > 1;
        if (!startsNode || y - labelled < metrics.height()) continue;
        labelled = y;
        const std::int64_t last =
            std::min(m_map->numRanks, ranksPerRow() > 1 ? first + ranksPerRow() : first + m_perNode) - 1;
        painter.setPen(t.text);
        const QRectF label(0, y, box.left() - px(6), std::max<double>(metrics.height(), cellBox({row, 0}).height()));
        painter.drawText(label, Qt::AlignLeft | Qt::AlignVCenter, tr("node %1").arg(first / m_perNode));
        painter.setPen(t.text2);
        painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter,
                         first == last ? QString::number(first) : QStringLiteral("%1–%2").arg(first).arg(last));
    }
    const double bottom = rowTop(numRows() - 1) + cellBox({0, 0}).height();
    painter.setPen(QPen(t.line, 1));
    painter.drawRect(QRectF(box.left(), box.top(), box.width(), bottom - box.top()));
    for (const Straggler& slow : m_stragglers) {
        if (ranksPerRow() > 1 || m_quantity == RankQuantity::Memory) break;
        const QRectF from = cellBox({slow.rank, m_map->columnOf(slow.fromStep)});
        const QRectF to = cellBox({slow.rank, m_map->columnOf(std::min(slow.toStep, m_map->lastStep))});
        painter.setPen(QPen(t.text, 1.2));
        painter.drawRect(from.united(to));
    }
    painter.setPen(t.text2);
    const auto first = static_cast<double>(m_map->firstStep), last = static_cast<double>(m_map->lastStep);
    const QVector<double> ticks = first < last ? roundTicks(first, last, 6, true) : QVector<double>{first};
    for (const double step : ticks) {
        const double x = cellBox({0, m_map->columnOf(static_cast<std::int64_t>(step))}).center().x();
        painter.drawText(QRectF(x - px(40), bottom + px(2), px(80), metrics.height() + px(4)), Qt::AlignCenter,
                         countText(step));
    }
}

void RankMapView::paintMoving(QPainter& painter) {
    if (!m_cell || !m_map || m_map->numColumns == 0) return;
    const QRectF box = cellBox(*m_cell);
    painter.setPen(QPen(theme().text, 1));
    painter.drawLine(QPointF(box.center().x(), plot().top()), QPointF(box.center().x(), plot().bottom()));
    painter.setPen(QPen(theme().accent, 2));
    painter.drawRect(box.adjusted(-1, -1, 1, 1));
    const QString text = valueAtCursor();
    paintTip(painter, box.center(), {text.section(QStringLiteral(": "), 0, 0), text.section(QStringLiteral(": "), 1)});
}

void RankMapView::mouseMoveEvent(QMouseEvent* event) {
    m_cell = cellAt(event->position());
    update();
}

void RankMapView::click(const Cell& cell) {
    const auto rank = rankOf(cell);
    if (!rank) return;
    emit rankClicked(static_cast<int>(*rank));
    emit stepClicked(static_cast<int>(*rank), m_map->stepOf(cell.column + 1) - 1);
}

void RankMapView::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton)
        if (const auto cell = cellAt(event->position())) click(*cell);
    PaintedWidget::mousePressEvent(event);
}

void RankMapView::keyPressEvent(QKeyEvent* event) {
    if (!m_map || m_map->numColumns == 0) return PaintedWidget::keyPressEvent(event);
    Cell cell = m_cell.value_or(Cell{0, m_map->numColumns - 1});
    const bool began = m_cell.has_value();
    const std::int64_t lastRow = numRows() - 1, lastColumn = m_map->numColumns - 1;
    const std::int64_t pace = event->modifiers() & Qt::ShiftModifier ? 10 : 1;
    switch (event->key()) {
        case Qt::Key_Right: cell.column += began ? pace : 0; break;
        case Qt::Key_Left: cell.column -= began ? pace : 0; break;
        case Qt::Key_Down: cell.row += began ? pace : 0; break;
        case Qt::Key_Up: cell.row -= began ? pace : 0; break;
        case Qt::Key_Home: cell.column = 0; break;
        case Qt::Key_End: cell.column = lastColumn; break;
        case Qt::Key_Return:
        case Qt::Key_Space:
            if (m_cell) click(*m_cell);
            return;
        case Qt::Key_Escape:
            if (!m_cell) return PaintedWidget::keyPressEvent(event);
            m_cell.reset();
            update();
            return;
        default: PaintedWidget::keyPressEvent(event); return;
    }
    m_cell = Cell{std::clamp<std::int64_t>(cell.row, 0, lastRow), std::clamp<std::int64_t>(cell.column, 0, lastColumn)};
    update();
}

void RankMapView::leaveEvent(QEvent*) {
    m_cell.reset();
    update();
}

}  // namespace slipway::gui
