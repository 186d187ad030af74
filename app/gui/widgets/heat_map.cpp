#include "app/gui/widgets/heat_map.h"

#include "app/gui/look/icons.h"
#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

namespace slipway::gui {
namespace {

constexpr double kGap = 3;
constexpr double kLeastCell = 9;     // the smallest cell that the mouse can hit
constexpr double kMostWidth = 190;   // wider cells would only be emptier
constexpr qsizetype kTipWidth = 52;  // characters of a tip's line
constexpr double kMostHeight = 92;
constexpr int kReasonLines = 3;

double axisLine() {
    return lineHeight(17, kAxisSize);
}

/// The first parts ("dp 8, mb 2") that fit; a partial one is dropped. The tool tip has them all.
QString fitted(QString text, const QFontMetricsF& metrics, double width) {
    while (metrics.horizontalAdvance(text) > width && text.contains(QStringLiteral(", ")))
        text = text.section(QStringLiteral(", "), 0, -2);
    return metrics.elidedText(text, Qt::ElideRight, width);
}

/// A sentence in lines of a tip's width.
QStringList folded(const QString& sentence) {
    QStringList lines;
    QString line;
    for (const QString& word : sentence.split(' ')) {
        if (!line.isEmpty() && line.size() + word.size() >= kTipWidth) lines << std::exchange(line, QString());
        line += line.isEmpty() ? word : ' ' + word;
    }
    return lines << line;
}

/// A reason in at most `most` lines; what has no room ends in "…", the tool tip has all of it.
QStringList reasonLines(const QString& reason, const QFontMetricsF& metrics, double width, int most) {
    QStringList lines;
    QStringList words = reason.split(' ', Qt::SkipEmptyParts);
    while (!words.isEmpty() && lines.size() < most) {
        if (lines.size() + 1 == most) return lines << metrics.elidedText(words.join(' '), Qt::ElideRight, width);
        QString line = words.takeFirst();
        while (!words.isEmpty() && metrics.horizontalAdvance(line + ' ' + words.front()) <= width)
            line += ' ' + words.takeFirst();
        lines << metrics.elidedText(line, Qt::ElideRight, width);
    }
    return lines;
}

bool isMarkOnly(HeatCell::State state) {
    return state == HeatCell::State::Running || state == HeatCell::State::Failed || state == HeatCell::State::Skipped;
}

}  // namespace

HeatMap::HeatMap(QWidget* parent) : PaintedWidget(parent) {
    setAccessibleName(tr("Heat map"));
}

QSize HeatMap::sizeHint() const {
    return {px(620), px(420)};
}

QSize HeatMap::minimumSizeHint() const {
    const int facets = std::max(1, static_cast<int>(m_grid.facets.size()));
    const double columns = static_cast<double>(std::max<qsizetype>(1, m_grid.columns.size()));
    const double rows = static_cast<double>(std::max<qsizetype>(1, m_grid.rows.size()));
    const double high = rows * px(kLeastCell) + 2 * axisLine();
    return {px(90) + static_cast<int>(columns * px(kLeastCell)),
            static_cast<int>(axisLine()) + static_cast<int>(std::ceil(facets / 2.0) * high)};
}

void HeatMap::setGrid(HeatGrid grid) {
    const bool same = grid.rows == m_grid.rows && grid.columns == m_grid.columns && grid.facets == m_grid.facets &&
                      grid.rowName == m_grid.rowName && grid.columnName == m_grid.columnName;
    m_grid = std::move(grid);
    if (!same) m_chosen = m_hover = -1;
    setAccessibleName(m_grid.title);
    findRange();
    updateGeometry();
    changed();
}

void HeatMap::findRange() {
    m_low = std::numeric_limits<double>::infinity();
    m_high = -m_low;
    for (const HeatCell& cell : m_grid.cells) {
        if (cell.state != HeatCell::State::Value) continue;
        m_low = std::min(m_low, cell.value);
        m_high = std::max(m_high, cell.value);
    }
    m_anyValue = m_high >= m_low;
    // A wide range of values is shown from zero; a narrow one on its own scale.
    if (m_anyValue && !m_grid.lessIsBetter && m_low > 0 && m_low < m_high / 2) m_low = 0;
}

double HeatMap::share(double value) const {
    if (!(m_high > m_low)) return 0.7;
    const double at = (value - m_low) / (m_high - m_low);
    return m_grid.lessIsBetter ? 1 - at : at;
}

void HeatMap::setChosen(int cell) {
    const int valid = cell >= 0 && cell < static_cast<int>(m_grid.cells.size()) ? cell : -1;
    if (valid == m_chosen) return;
    m_chosen = valid;
    update();
}

// As many grids side by side as give the largest cells.
void HeatMap::layOut() {
    const QFontMetricsF metrics(fontOf(kAxisSize));
    const int facets = std::max(1, static_cast<int>(m_grid.facets.size()));
    const auto columns = static_cast<double>(std::max<qsizetype>(1, m_grid.columns.size()));
    const auto rows = static_cast<double>(std::max<qsizetype>(1, m_grid.rows.size()));
    m_rowLabel = 0;
    for (const QString& row : m_grid.rows)
        m_rowLabel = std::max(m_rowLabel, metrics.horizontalAdvance(m_grid.rowName + QStringLiteral("  ") + row));
    m_rowLabel = std::min(m_rowLabel + px(16), width() * 0.25);
    m_top = axisLine() + px(8);
    const bool titled = facets > 1;
    const double head = axisLine() * (titled ? 2 : 1) + px(2);
    double best = -1;
    int across = 1;
    for (int n = 1; n <= facets; ++n) {
        const double down = std::ceil(static_cast<double>(facets) / n);
        const double wide = (width() / static_cast<double>(n) - m_rowLabel - px(8)) / columns;
        const double high = ((height() - m_top) / down - head) / rows;
        const double size = std::min(wide, high * 2);
        if (size <= best) continue;
        best = size;
        across = n;
        m_cell = QSizeF(std::clamp<double>(wide, px(kLeastCell), px(kMostWidth)),
                        std::clamp<double>(high, px(kLeastCell), px(kMostHeight)));
    }
    m_origins.clear();
    for (int i = 0; i < facets; ++i)
        m_origins.emplace_back((i % across) * (m_rowLabel + columns * m_cell.width() + px(8)) + m_rowLabel,
                               m_top + (i / across) * (head + rows * m_cell.height()) + head);
}

QRectF HeatMap::placeOf(int cell) const {
    const int columns = static_cast<int>(m_grid.columns.size());
    const int rows = static_cast<int>(m_grid.rows.size());
    if (columns == 0 || rows == 0 || cell < 0) return {};
    const auto facet = static_cast<std::size_t>(cell / (rows * columns));
    if (facet >= m_origins.size()) return {};
    const int row = cell / columns % rows;
    const double gap = std::min<double>(px(kGap), m_cell.width() / 6);
    return {m_origins[facet].x() + cell % columns * m_cell.width(), m_origins[facet].y() + row * m_cell.height(),
            m_cell.width() - gap, m_cell.height() - gap};
}

int HeatMap::cellAt(const QPointF& at) const {
    for (int i = 0; i < static_cast<int>(m_grid.cells.size()); ++i)
        if (m_grid.cells[static_cast<std::size_t>(i)].state != HeatCell::State::Empty && placeOf(i).contains(at))
            return i;
    return -1;
}

void HeatMap::paintStill(QPainter& painter) {
    if (m_grid.cells.empty()) return paintSummary(painter);
    layOut();
    painter.setRenderHint(QPainter::Antialiasing);
    paintLegend(painter);
    for (int facet = 0; facet < static_cast<int>(m_origins.size()); ++facet) paintLabels(painter, facet);
    for (int i = 0; i < static_cast<int>(m_grid.cells.size()); ++i)
        paintCell(painter, placeOf(i), m_grid.cells[static_cast<std::size_t>(i)]);
}

void HeatMap::paintLegend(QPainter& painter) const {
    if (!m_anyValue) return;
    const Theme& t = theme();
    painter.setFont(fontOf(kAxisSize));
    painter.setPen(t.text2);
    const QFontMetricsF metrics(painter.font());
    const QString from = m_grid.format(m_grid.lessIsBetter ? m_high : m_low);
    const QString to = m_grid.format(m_grid.lessIsBetter ? m_low : m_high);
    const double bar = px(150);
    const double line = axisLine();
    double x = m_rowLabel;
    painter.drawText(QPointF(x, line - px(4)), from);
    x += metrics.horizontalAdvance(from) + px(6);
    constexpr int kSteps = 10;
    for (int i = 0; i < kSteps; ++i)
        painter.fillRect(QRectF(x + bar * i / kSteps, px(3), bar / kSteps + 0.5, line - px(6)),
                         t.ramp((i + 0.5) / kSteps));
    x += bar + px(6);
    painter.drawText(QPointF(x, line - px(4)), to);
    x += metrics.horizontalAdvance(to) + px(16);
    const QString words = m_grid.lessIsBetter ? tr("lower is better") : tr("higher is better");
    if (x + metrics.horizontalAdvance(words) < width()) painter.drawText(QPointF(x, line - px(4)), words);
}

void HeatMap::paintLabels(QPainter& painter, int facet) const {
    const Theme& t = theme();
    const QFontMetricsF metrics(fontOf(kAxisSize));
    painter.setFont(fontOf(kAxisSize));
    painter.setPen(t.text2);
    const QPointF origin = m_origins[static_cast<std::size_t>(facet)];
    double last = -INFINITY;
    for (int column = 0; column < m_grid.columns.size(); ++column) {
        const QString& value = m_grid.columns[column];
        const QString whole = m_grid.columnName.isEmpty() ? value : m_grid.columnName + ' ' + value;
        const bool fits = metrics.horizontalAdvance(whole) < m_cell.width() - px(4);
        const QString text = fits ? whole : value;
        const double middle = origin.x() + (column + 0.5) * m_cell.width() - px(1);
        const double half = std::min(metrics.horizontalAdvance(text) / 2, 1.5 * m_cell.width()) + 1;
        if (middle - half < last) continue;  // labels never touch
        last = middle + half + px(4);
        painter.drawText(QRectF(middle - half, origin.y() - axisLine(), 2 * half, axisLine()), Qt::AlignCenter,
                         metrics.elidedText(text, Qt::ElideRight, 2 * half));
    }
    const int every = std::max(1, static_cast<int>(std::ceil(metrics.height() * 0.9 / m_cell.height())));
    for (int row = 0; row < m_grid.rows.size(); row += every) {
        const QString& value = m_grid.rows[row];
        const QString whole = m_grid.rowName.isEmpty() ? value : m_grid.rowName + ' ' + value;
        const QRectF box(origin.x() - m_rowLabel + px(5), origin.y() + row * m_cell.height(), m_rowLabel - px(13),
                         m_cell.height() * every);
        painter.drawText(QRectF(box.left(), box.top(), box.width(), m_cell.height() - px(kGap)),
                         static_cast<int>(Qt::AlignLeft) | Qt::AlignVCenter | Qt::TextDontClip,
                         metrics.elidedText(metrics.horizontalAdvance(whole) < box.width() ? whole : value,
                                            Qt::ElideRight, box.width()));
    }
    const QString& title = m_grid.facets.value(facet);
    if (title.isEmpty()) return;
    painter.setFont(fontOf(kAxisSize, true));
    painter.setPen(t.text);
    painter.drawText(
        QRectF(origin.x(), origin.y() - 2 * axisLine(), m_cell.width() * m_grid.columns.size(), axisLine()),
        Qt::AlignLeft | Qt::AlignVCenter, title);
}

void HeatMap::paintCell(QPainter& painter, const QRectF& box, const HeatCell& cell) const {
    const Theme& t = theme();
    const QRectF inner = box.adjusted(0.5, 0.5, -0.5, -0.5);
    QColor ink = t.text2;
    painter.setBrush(Qt::NoBrush);
    switch (cell.state) {
        case HeatCell::State::Empty: return;
        case HeatCell::State::Value:
            painter.fillRect(box, t.ramp(share(cell.value)));
            ink = inkOn(t.ramp(share(cell.value)));
            break;
        case HeatCell::State::NoValue:
            painter.setPen(QPen(t.line2, 1));
            painter.drawRect(inner);
            break;
        case HeatCell::State::Running:
            painter.setPen(QPen(t.accent, 2));
            painter.drawRect(box.adjusted(1, 1, -1, -1));
            ink = t.accent;
            break;
        case HeatCell::State::Waiting:
            painter.setPen(QPen(t.line2, 1, Qt::DashLine));
            painter.drawRect(inner);
            break;
        case HeatCell::State::Failed:
            painter.fillRect(box, t.badBackground);
            painter.setPen(QPen(t.bad, 1, Qt::DashLine));
            painter.drawRect(inner);
            ink = t.bad;
            break;
        case HeatCell::State::Skipped: fillHatch(painter, box, t.line); break;
    }
    paintCellText(painter, box, cell, ink);
}

void HeatMap::paintCellText(QPainter& painter, const QRectF& box, const HeatCell& cell, const QColor& ink) const {
    const Theme& t = theme();
    const QFont strong =
        fontOf(cell.state == HeatCell::State::Value ? 1.15 : 1.0, cell.state != HeatCell::State::Skipped);
    const QFontMetricsF big(strong);
    const QFontMetricsF small(fontOf(kAxisSize));
    const double pad = box.width() > px(90) ? px(9) : px(4);
    const QRectF text = box.adjusted(pad, 0, -pad, 0);
    const bool word = big.horizontalAdvance(cell.headline) <= text.width() && big.height() * 0.85 <= box.height();
    if (!word) {
        // Too small for words: the shape alone.
        const double size = std::min({box.width(), box.height(), static_cast<double>(px(12))}) * 0.8;
        const QRectF mark(box.center() - QPointF(size / 2, size / 2), QSizeF(size, size));
        if (isMarkOnly(cell.state) || cell.isRunning)
            paintIcon(painter,
                      cell.state == HeatCell::State::Failed    ? Icon::Failed
                      : cell.state == HeatCell::State::Skipped ? Icon::Skipped
                                                               : Icon::Running,
                      mark, ink);
        return;
    }
    const int room = static_cast<int>((box.height() - big.height() - px(4)) / small.height());
    const bool isReason = cell.state == HeatCell::State::Failed || cell.state == HeatCell::State::Skipped;
    const QStringList lines =
        isReason ? reasonLines(cell.lines.join(' '), small, text.width(), std::min(room, kReasonLines)) : cell.lines;
    const int numLines = std::clamp(room, 0, static_cast<int>(lines.size()));
    const double height = big.height() + numLines * small.height();
    double y = box.center().y() - height / 2;
    const bool skipped = cell.state == HeatCell::State::Skipped;
    if (skipped) {
        // Words over a hatch get a background.
        double wide = big.horizontalAdvance(cell.headline);
        for (int i = 0; i < numLines; ++i) wide = std::max(wide, small.horizontalAdvance(lines[i]));
        wide = std::min(wide, text.width()) + px(8);
        painter.fillRect(QRectF(box.center().x() - wide / 2, y - px(1), wide, height + px(2)), t.panel);
    }
    const auto line = [&](const QString& what, const QFont& font, double lineHigh) {
        painter.setFont(font);
        const QFontMetricsF metrics(font);
        const QString shown =
            isReason ? metrics.elidedText(what, Qt::ElideRight, text.width() + 1) : fitted(what, metrics, text.width());
        const QRectF place(text.left(), y, text.width(), lineHigh);
        painter.setPen(ink);
        painter.drawText(place, Qt::AlignVCenter | (skipped ? Qt::AlignHCenter : Qt::AlignLeft), shown);
        y += lineHigh;
    };
    const double headY = y;
    line(cell.headline, strong, big.height());
    for (int i = 0; i < numLines; ++i) line(lines[i], fontOf(kAxisSize), small.height());
    // Right of the figure: icons for a running cell, the best cell, and runs that ran or failed here.
    double right = text.right();
    const double size = px(10);
    const double used = text.left() + big.horizontalAdvance(cell.headline) + px(4);
    const auto icon = [&](Icon which) {
        if (right - size < used) return;
        paintIcon(painter, which, QRectF(right - size, headY + (big.height() - size) / 2, size, size), ink);
        right -= size + px(3);
    };
    if (cell.isRunning) icon(Icon::Running);
    if (cell.numFailed > 0 && cell.state != HeatCell::State::Failed) icon(Icon::Failed);
    painter.setFont(fontOf(kAxisSize, true));
    const QString best = tr("best");
    if (cell.isBest && right - QFontMetricsF(painter.font()).horizontalAdvance(best) > used) {
        painter.setPen(ink);
        painter.drawText(QRectF(used, headY, right - used, big.height()), Qt::AlignRight | Qt::AlignVCenter, best);
    }
}

void HeatMap::paintMoving(QPainter& painter) {
    painter.setBrush(Qt::NoBrush);
    for (int i = 0; i < static_cast<int>(m_grid.cells.size()); ++i) {
        if (i != m_chosen && !m_grid.cells[static_cast<std::size_t>(i)].isBest) continue;
        const QRectF box = placeOf(i).adjusted(-1.5, -1.5, 1.5, 1.5);
        painter.setPen(QPen(i == m_chosen ? theme().accent : theme().text, i == m_chosen ? 3 : 2));
        painter.drawRect(box);
        if (i != m_chosen) continue;
        painter.setPen(QPen(theme().panel, 1));
        painter.drawRect(box.adjusted(2, 2, -2, -2));
    }
    const int at = m_hover >= 0 ? m_hover : m_byKeyboard && hasFocus() ? m_chosen : -1;
    if (at < 0) return;
    QStringList lines;
    for (const QString& line : m_grid.cells[static_cast<std::size_t>(at)].tip) lines << folded(line);
    paintTip(painter, placeOf(at).center(), lines);
}

QString HeatMap::valueAtCursor() const {
    const int at = m_chosen >= 0 ? m_chosen : m_hover;
    return at < 0 ? QString() : m_grid.cells[static_cast<std::size_t>(at)].tip.join(QStringLiteral(", "));
}

DataTable HeatMap::dataTable() const {
    DataTable table{{m_grid.rowName, m_grid.columnName, m_grid.title, tr("Details")}, {}};
    const bool facets = m_grid.facets.size() > 1;
    if (facets) table.headers.prepend(tr("Group"));
    for (int facet = 0; facet < std::max<qsizetype>(1, m_grid.facets.size()); ++facet)
        for (int row = 0; row < m_grid.rows.size(); ++row)
            for (int column = 0; column < m_grid.columns.size(); ++column) {
                const HeatCell& cell = m_grid.cells[static_cast<std::size_t>(m_grid.cellOf(facet, row, column))];
                if (cell.state == HeatCell::State::Empty) continue;
                QStringList cells{m_grid.rows[row], m_grid.columns[column], cell.headline,
                                  cell.tip.mid(1).join(QStringLiteral("; "))};
                if (facets) cells.prepend(m_grid.facets[facet]);
                table.rows.append(cells);
            }
    return table;
}

void HeatMap::choose(int cell) {
    if (cell == m_chosen) return;
    m_chosen = cell;
    update();
    QAccessibleValueChangeEvent event(this, valueAtCursor());
    QAccessible::updateAccessibility(&event);
    emit chosen(cell);
}

// To the next cell with content in that direction.
void HeatMap::move(int rows, int columns) {
    const int perRow = static_cast<int>(m_grid.columns.size());
    const int perFacet = static_cast<int>(m_grid.rows.size()) * perRow;
    if (perFacet == 0) return;
    if (m_chosen < 0) {
        for (int i = 0; i < static_cast<int>(m_grid.cells.size()); ++i)
            if (m_grid.cells[static_cast<std::size_t>(i)].state != HeatCell::State::Empty) return choose(i);
        return;
    }
    const int facet = m_chosen / perFacet;
    int row = m_chosen % perFacet / perRow, column = m_chosen % perRow;
    while (true) {
        row += rows;
        column += columns;
        if (row < 0 || column < 0 || row >= static_cast<int>(m_grid.rows.size()) || column >= perRow) return;
        const int at = m_grid.cellOf(facet, row, column);
        if (m_grid.cells[static_cast<std::size_t>(at)].state != HeatCell::State::Empty) return choose(at);
    }
}

// The same cell of another facet.
void HeatMap::moveTo(int cell) {
    if (m_chosen >= 0 && cell >= 0 && cell < static_cast<int>(m_grid.cells.size()) &&
        m_grid.cells[static_cast<std::size_t>(cell)].state != HeatCell::State::Empty)
        choose(cell);
}

void HeatMap::keyPressEvent(QKeyEvent* event) {
    m_byKeyboard = true;
    const int perFacet = static_cast<int>(m_grid.rows.size() * m_grid.columns.size());
    switch (event->key()) {
        case Qt::Key_Right: move(0, 1); break;
        case Qt::Key_Left: move(0, -1); break;
        case Qt::Key_Down: move(1, 0); break;
        case Qt::Key_Up: move(-1, 0); break;
        case Qt::Key_PageDown: moveTo(m_chosen + perFacet); break;
        case Qt::Key_PageUp: moveTo(m_chosen - perFacet); break;
        case Qt::Key_Home: {
            const auto best = std::find_if(m_grid.cells.begin(), m_grid.cells.end(),
                                           [](const HeatCell& cell) { return cell.isBest; });
            if (best != m_grid.cells.end()) choose(static_cast<int>(best - m_grid.cells.begin()));
            break;
        }
        case Qt::Key_Escape:
            if (m_chosen < 0) return PaintedWidget::keyPressEvent(event);
            choose(-1);
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (m_chosen >= 0) emit activated(m_chosen);
            break;
        default: PaintedWidget::keyPressEvent(event); return;
    }
    update();
}

void HeatMap::mouseMoveEvent(QMouseEvent* event) {
    m_byKeyboard = false;
    if (const int at = cellAt(event->position()); at != m_hover) {
        m_hover = at;
        update();
    }
}

void HeatMap::mousePressEvent(QMouseEvent* event) {
    mouseMoveEvent(event);
    if (m_hover >= 0 || event->button() == Qt::LeftButton) choose(m_hover);
    PaintedWidget::mousePressEvent(event);
}

void HeatMap::mouseDoubleClickEvent(QMouseEvent* event) {
    mouseMoveEvent(event);
    if (m_hover >= 0) emit activated(m_hover);
}

void HeatMap::leaveEvent(QEvent*) {
    m_hover = -1;
    update();
}

void HeatMap::focusOutEvent(QFocusEvent* event) {
    m_byKeyboard = false;
    PaintedWidget::focusOutEvent(event);
}

}  // namespace slipway::gui
