#include "app/gui/widgets/rank_grid.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "core/metrics/metric_series.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr double kOutlier = 0.05;

}  // namespace

RankGrid::RankGrid(QWidget* parent) : PaintedWidget(parent) {
    setMinimumSize(px(180), px(48));
}

QSize RankGrid::sizeHint() const {
    return {px(340), px(220)};
}

void RankGrid::setValues(std::vector<std::optional<double>> values, int ranksPerRow,
                         std::function<QString(double)> format) {
    const auto known = std::ranges::find_if(values, [](const auto& value) { return value.has_value(); });
    const bool isSame = values == m_values && m_perRow == std::clamp(ranksPerRow, 1, 8) && m_format &&
                        (known == values.end() || m_format(**known) == format(**known));
    if (isSame) return;  // a run in progress is shown again at each of its steps
    m_values = std::move(values);
    m_perRow = std::clamp(ranksPerRow, 1, 8);
    m_format = std::move(format);
    m_hover = std::min(m_hover, static_cast<int>(m_values.size()) - 1);
    changed();
}

void RankGrid::setChosen(std::optional<int> rank) {
    m_chosen = rank;
    changed();
}

double RankGrid::medianValue() const {
    std::vector<double> known;
    for (const auto& value : m_values)
        if (value) known.push_back(*value);
    return median(std::move(known));
}

double RankGrid::outlierShare() const {
    const double middle = medianValue();
    double most = 0;
    for (const auto& value : m_values)
        if (value && middle > 0) most = std::max(most, *value / middle - 1);
    return most;
}

std::optional<int> RankGrid::outlier() const {
    const double share = outlierShare();
    if (share < kOutlier) return {};
    const double middle = medianValue();
    for (std::size_t i = 0; i < m_values.size(); ++i)
        if (m_values[i] && *m_values[i] / middle - 1 == share) return static_cast<int>(i);
    return {};
}

QString RankGrid::summary() const {
    if (const auto rank = outlier())
        return tr("Rank %1 is %2 above the median.").arg(*rank).arg(percentText(outlierShare()));
    return std::isnan(medianValue()) ? tr("No rank has reported.") : tr("All ranks are within 5 % of the median.");
}

QString RankGrid::valueAtCursor() const {
    if (m_hover < 0) return {};
    const auto& value = m_values[static_cast<std::size_t>(m_hover)];
    return tr("Rank %1: %2").arg(m_hover).arg(value ? m_format(*value) : unknownText());
}

DataTable RankGrid::dataTable() const {
    DataTable table{{tr("Rank"), tr("Value")}, {}};
    for (std::size_t i = 0; i < m_values.size(); ++i)
        table.rows.append({QString::number(i), m_values[i] ? m_format(*m_values[i]) : unknownText()});
    return table;
}

QRectF RankGrid::cell(int rank) const {
    const int rows = (static_cast<int>(m_values.size()) + m_perRow - 1) / m_perRow;
    const double left = px(56);
    const double cellWidth = std::min<double>(
        px(72), (width() - left) / std::min<double>(m_perRow, std::max<std::size_t>(1, m_values.size())));
    const double cellHeight = std::clamp<double>(
        (height() - lineHeight(18, kAxisSize)) / std::max(1.0, static_cast<double>(rows)), px(4), px(24));
    return {left + (rank % m_perRow) * cellWidth, lineHeight(18, kAxisSize) + (rank / m_perRow) * cellHeight,
            cellWidth - px(3), cellHeight - std::min<double>(px(3), cellHeight / 4)};
}

int RankGrid::rankAt(const QPointF& at) const {
    for (int i = 0; i < static_cast<int>(m_values.size()); ++i)
        if (cell(i).contains(at)) return i;
    return -1;
}

void RankGrid::paintStill(QPainter& painter) {
    const Theme& t = theme();
    double low = INFINITY, high = -INFINITY;
    for (const auto& value : m_values) {
        if (!value) continue;
        low = std::min(low, *value);
        high = std::max(high, *value);
    }
    // A ramp over less than a tenth of the value would show noise as difference.
    const double span = std::max(high - low, std::fabs(high) * 0.1);
    painter.setFont(fontOf(kAxisSize));
    const QFontMetricsF metrics(painter.font());
    painter.setPen(t.text2);
    for (int column = 0; column < std::min(m_perRow, static_cast<int>(m_values.size())); ++column) {
        QRectF box = cell(column);
        painter.drawText(QRectF(box.left(), 0, box.width(), lineHeight(16, kAxisSize)), Qt::AlignCenter,
                         QString::number(column));
    }
    const auto slow = outlier();
    for (int i = 0; i < static_cast<int>(m_values.size()); ++i) {
        const QRectF box = cell(i);
        if (i % m_perRow == 0 && box.height() >= metrics.height() * 0.8) {
            painter.setPen(t.text2);
            painter.drawText(QRectF(0, box.top(), px(54), box.height()), Qt::AlignLeft | Qt::AlignVCenter,
                             tr("from %1").arg(i));
        }
        const auto& value = m_values[static_cast<std::size_t>(i)];
        if (!value) {
            fillHatch(painter, box);
            continue;
        }
        const QColor colour = t.ramp(span > 0 ? 0.15 + 0.7 * (*value - low) / span : 0.15);
        painter.fillRect(box, colour);
        const QString text = m_format(*value);
        if (metrics.horizontalAdvance(text) + px(4) < box.width() && metrics.height() * 0.8 < box.height()) {
            painter.setPen(inkOn(colour));
            painter.drawText(box, Qt::AlignCenter, text);
        }
        if (slow == i || m_chosen == i) {
            painter.setPen(QPen(slow == i ? t.bad : t.accent, 2));
            painter.drawRect(box.adjusted(1, 1, -1, -1));
        }
    }
}

void RankGrid::paintMoving(QPainter& painter) {
    if (m_hover >= 0 && m_hover < static_cast<int>(m_values.size()))
        paintTip(painter, cell(m_hover).center(), valueAtCursor().split(QStringLiteral(": ")));
}

void RankGrid::mouseMoveEvent(QMouseEvent* event) {
    const int at = rankAt(event->position());
    if (at == m_hover) return;
    m_hover = at;
    update();
}

void RankGrid::mousePressEvent(QMouseEvent* event) {
    const int at = rankAt(event->position());
    if (at >= 0) emit rankClicked(at);
    PaintedWidget::mousePressEvent(event);
}

void RankGrid::keyPressEvent(QKeyEvent* event) {
    const int last = static_cast<int>(m_values.size()) - 1;
    int at = m_hover;
    switch (event->key()) {
        case Qt::Key_Right: at = std::min(last, at + 1); break;
        case Qt::Key_Left: at = std::max(0, at - 1); break;
        case Qt::Key_Down: at = std::min(last, at + m_perRow); break;
        case Qt::Key_Up: at = std::max(0, at - m_perRow); break;
        case Qt::Key_Return:
        case Qt::Key_Space:
            if (at >= 0) emit rankClicked(at);
            return;
        default: PaintedWidget::keyPressEvent(event); return;
    }
    m_hover = at;
    update();
}

void RankGrid::leaveEvent(QEvent*) {
    m_hover = -1;
    update();
}

}  // namespace slipway::gui
