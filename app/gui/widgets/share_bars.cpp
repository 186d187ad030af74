#include "app/gui/widgets/share_bars.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

namespace slipway::gui {
namespace {

void fillShare(QPainter& painter, const QRectF& box, const CountShare& share) {
    if (share.isOpen)
        painter.fillRect(box, theme().line);
    else if (share.colour.isValid())
        painter.fillRect(box, share.colour);
    else
        fillHatch(painter, box);
}

DataTable tableOf(const std::vector<CountShare>& shares, const QString& what, const QString& count) {
    DataTable table{{what, count}, {}};
    for (const CountShare& share : shares)
        table.rows.append({share.tip.isEmpty() ? share.name : share.tip, countText(share.count)});
    return table;
}

QString listed(const std::vector<CountShare>& shares) {
    QStringList parts;
    for (const CountShare& share : shares)
        if (share.count > 0) parts << QStringLiteral("%1 %2").arg(countText(share.count), share.name);
    return parts.join(QStringLiteral(", "));
}

}  // namespace

ShareStrip::ShareStrip(QWidget* parent) : PaintedWidget(parent) {
    setFixedHeight(lineHeight(44));
    setAccessibleName(tr("Trials by outcome"));
}

QSize ShareStrip::sizeHint() const {
    return {px(600), lineHeight(44)};
}

void ShareStrip::setShares(std::vector<CountShare> shares, const QString& total) {
    m_shares = std::move(shares);
    m_total = total;
    changed();
}

QString ShareStrip::summary() const {
    return m_total + QStringLiteral(": ") + listed(m_shares);
}

DataTable ShareStrip::dataTable() const {
    return tableOf(m_shares, tr("Outcome"), tr("Trials"));
}

void ShareStrip::paintStill(QPainter& painter) {
    const Theme& t = theme();
    int all = 0;
    for (const CountShare& share : m_shares) all += share.count;
    const QFontMetricsF strong(fontOf(1.0, true)), plain(fontOf(1.0)), side(fontOf(kSideSize));
    // The legend from the right, so that the bar gets the rest.
    double right = width() - px(16);
    painter.setFont(fontOf(kSideSize));
    painter.setPen(t.text2);
    painter.drawText(QRectF(right - side.horizontalAdvance(m_total), 0, side.horizontalAdvance(m_total) + 1, height()),
                     Qt::AlignVCenter, m_total);
    right -= side.horizontalAdvance(m_total) + px(28);
    for (auto share = m_shares.rbegin(); share != m_shares.rend(); ++share) {
        if (share->count == 0) continue;
        const QString count = countText(share->count);
        const double wide = px(20) + strong.horizontalAdvance(count) + px(5) + plain.horizontalAdvance(share->name);
        if (right - wide < px(80)) break;
        double x = right - wide;
        const QRectF square(x, height() / 2.0 - px(5), px(10), px(10));
        fillShare(painter, square, *share);
        x += px(18);
        painter.setPen(t.text);
        painter.setFont(fontOf(1.0, true));
        painter.drawText(QRectF(x, 0, wide, height()), Qt::AlignVCenter, count);
        x += strong.horizontalAdvance(count) + px(6);
        painter.setFont(fontOf(1.0));
        painter.setPen(t.text2);
        painter.drawText(QRectF(x, 0, wide, height()), Qt::AlignVCenter, share->name);
        right -= wide + px(20);
    }
    const QRectF bar(px(16), height() / 2.0 - px(5), std::max<double>(px(40), right - px(24)), px(10));
    double x = bar.left();
    for (const CountShare& share : m_shares) {
        if (share.count == 0 || all == 0) continue;
        // Even a single failure in a thousand is visible.
        const double wide = std::max(bar.width() * share.count / all, 2.0);
        fillShare(painter, QRectF(x, bar.top(), std::min(wide - 1, bar.right() - x), bar.height()), share);
        x += wide;
    }
}

CountBars::CountBars(QWidget* parent) : PaintedWidget(parent) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

QSize CountBars::sizeHint() const {
    return {px(240), lineHeight(25) * std::max(1, static_cast<int>(m_shares.size()))};
}

void CountBars::setShares(std::vector<CountShare> shares) {
    const bool same = std::equal(shares.begin(), shares.end(), m_shares.begin(), m_shares.end(),
                                 [](const CountShare& a, const CountShare& b) { return a.name == b.name; });
    if (!same) m_chosen = m_cursor = m_hover = -1;
    m_shares = std::move(shares);
    setFixedHeight(sizeHint().height());  // a scroll area does not hear of a new hint while it is hidden
    changed();
}

void CountBars::setChosen(int line) {
    m_chosen = line;
    update();
}

QString CountBars::summary() const {
    return listed(m_shares);
}

QString CountBars::valueAtCursor() const {
    const int at = m_cursor >= 0 ? m_cursor : m_chosen;
    if (at < 0) return {};
    const CountShare& share = m_shares[static_cast<std::size_t>(at)];
    return QStringLiteral("%1: %2").arg(share.tip.isEmpty() ? share.name : share.tip, countText(share.count));
}

DataTable CountBars::dataTable() const {
    return tableOf(m_shares, tr("Reason"), tr("Trials"));
}

QRectF CountBars::line(int index) const {
    return {0, static_cast<double>(index) * lineHeight(25), static_cast<double>(width()),
            static_cast<double>(lineHeight(25))};
}

void CountBars::paintStill(QPainter& painter) {
    const Theme& t = theme();
    int most = 1;
    for (const CountShare& share : m_shares) most = std::max(most, share.count);
    const double bar = px(62);
    const QFontMetricsF metrics(fontOf(1.0));
    const double number = metrics.horizontalAdvance(countText(most)) + px(12);
    for (int i = 0; i < static_cast<int>(m_shares.size()); ++i) {
        const CountShare& share = m_shares[static_cast<std::size_t>(i)];
        const QRectF box = line(i).adjusted(px(16), 0, -px(16), 0);
        painter.setFont(fontOf(1.0));
        painter.setPen(share.colour.isValid() ? share.colour : t.text);
        const double words = box.width() - bar - number - px(8);
        painter.drawText(QRectF(box.left(), box.top(), words, box.height()), Qt::AlignVCenter,
                         metrics.elidedText(share.name, Qt::ElideRight, words));
        const QRectF whole(box.right() - number - bar, box.center().y() - px(3.5), bar, px(7));
        painter.fillRect(
            QRectF(whole.left(), whole.top(), std::max(1.0, whole.width() * share.count / most), whole.height()),
            share.colour.isValid() ? share.colour : t.text3);
        painter.setPen(t.text);
        painter.drawText(box, Qt::AlignVCenter | Qt::AlignRight, countText(share.count));
        painter.fillRect(QRectF(0, line(i).bottom() - 1, width(), 1), t.grid);
    }
}

void CountBars::paintMoving(QPainter& painter) {
    painter.setBrush(Qt::NoBrush);
    if (m_chosen >= 0) {
        painter.setPen(QPen(theme().accent, 2));
        painter.drawRect(line(m_chosen).adjusted(1, 1, -1, -2));
    }
    if (m_cursor >= 0 && hasFocus()) {
        painter.setPen(QPen(theme().accent, 1, Qt::DashLine));
        painter.drawRect(line(m_cursor).adjusted(2, 2, -2, -3));
    }
    if (m_hover >= 0) {
        const CountShare& share = m_shares[static_cast<std::size_t>(m_hover)];
        setToolTip(share.tip.isEmpty() ? share.name : share.tip);
    }
}

void CountBars::choose(int line) {
    m_chosen = line == m_chosen ? -1 : line;
    update();
    emit chosen(m_chosen);
}

void CountBars::mouseMoveEvent(QMouseEvent* event) {
    const int at = static_cast<int>(event->position().y() / lineHeight(25));
    m_hover = at < static_cast<int>(m_shares.size()) ? at : -1;
    update();
}

void CountBars::mousePressEvent(QMouseEvent* event) {
    mouseMoveEvent(event);
    if (m_hover >= 0 && event->button() == Qt::LeftButton) choose(m_hover);
    PaintedWidget::mousePressEvent(event);
}

void CountBars::leaveEvent(QEvent*) {
    m_hover = -1;
}

void CountBars::keyPressEvent(QKeyEvent* event) {
    const int last = static_cast<int>(m_shares.size()) - 1;
    switch (event->key()) {
        case Qt::Key_Down: m_cursor = std::min(last, m_cursor + 1); break;
        case Qt::Key_Up: m_cursor = std::max(0, m_cursor - 1); break;
        case Qt::Key_Space:
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (m_cursor >= 0) choose(m_cursor);
            break;
        case Qt::Key_Escape:
            if (m_chosen < 0) return PaintedWidget::keyPressEvent(event);
            choose(m_chosen);
            break;
        default: PaintedWidget::keyPressEvent(event); return;
    }
    update();
}

}  // namespace slipway::gui
