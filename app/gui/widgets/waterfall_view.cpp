#include "app/gui/widgets/waterfall_view.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr double kMuch = 0.05;      ///< of the step: marked if it exceeds the forecast by more, or is unexplained
constexpr double kNothing = 1e-9;   ///< seconds: rounding
constexpr double kBarShare = 0.42;  ///< least share of the width after the titles

QString signedText(double value, const QString& text) {
    return (value > 0 ? QStringLiteral("+") : value < 0 ? QStringLiteral("\u2212") : QString()) + text;
}

QString secondsOf(const std::optional<WaterfallBar>& bar) {
    if (!bar) return unknownText();
    return signedText(std::min(bar->seconds, 0.0), secondsText(std::fabs(bar->seconds)));
}

QString percentOf(const WaterfallRow& row, const std::optional<WaterfallBar>& bar) {
    if (!bar) return unknownText();
    const QString digits = fixedText(std::fabs(bar->percent()), 1);
    const bool whole = row.kind == WaterfallRow::Kind::Peak || row.kind == WaterfallRow::Kind::Reached ||
                       row.kind == WaterfallRow::Kind::Wall;
    return whole || digits == fixedText(0, 1) ? digits : signedText(bar->percent(), digits);
}

bool isInStep(const WaterfallRow& row) {
    return row.kind != WaterfallRow::Kind::Outside && row.kind != WaterfallRow::Kind::Wall;
}

/// The colour of a part, as elsewhere in the window; -1: hatch, for time in which ranks wait.
int hueOf(TimePart part) {
    switch (part) {
        case TimePart::Pipeline:
        case TimePart::SlowRanks:
        case TimePart::Data: return -1;
        case TimePart::TensorParallel:
        case TimePart::Collectives: return static_cast<int>(Hue::Teal);
        case TimePart::ContextParallel: return static_cast<int>(Hue::Violet);
        case TimePart::ExpertParallel: return static_cast<int>(Hue::Orange);
        case TimePart::DataParallel: return static_cast<int>(Hue::Rose);
        case TimePart::Optimizer:
        case TimePart::Overhead: return static_cast<int>(Hue::Ochre);
        case TimePart::Recompute: return static_cast<int>(Hue::Sky);
        default: return static_cast<int>(Hue::Blue);
    }
}

}  // namespace

WaterfallView::WaterfallView(QWidget* parent) : PaintedWidget(parent) {
    setAccessibleName(tr("Where did the MFU go?"));
}

void WaterfallView::setAccount(const StepAccount& account) {
    m_rows = waterfallOf(account);
    m_summary = summaryOf(account);
    m_step = account.stepSeconds.value_or(account.forecastSeconds.value_or(0));
    m_hasForecast = account.forecastSeconds.has_value();
    m_low = 0;
    m_high = 100;
    for (const WaterfallRow& row : m_rows)
        for (const auto& bar : {row.measured, row.forecast})
            if (bar && isInStep(row)) {
                m_low = std::min({m_low, bar->from, bar->to});
                m_high = std::max({m_high, bar->from, bar->to});
            }
    m_row = std::min(m_row, static_cast<int>(m_rows.size()) - 1);
    updateGeometry();
    changed();
}

QString WaterfallView::summary() const {
    return messageText(m_summary);
}

QString WaterfallView::valueAtCursor() const {
    if (m_row < 0) return {};
    const WaterfallRow& row = m_rows[static_cast<std::size_t>(m_row)];
    QString text =
        tr("%1: %2 %, %3").arg(messageText(row.title), percentOf(row, row.measured), secondsOf(row.measured));
    if (row.forecast) text += tr(", forecast %1 %, %2").arg(percentOf(row, row.forecast), secondsOf(row.forecast));
    return text;
}

QStringList WaterfallView::heads() const {
    QStringList heads{tr("Measured, %"), tr("Time")};
    if (m_hasForecast) heads << tr("Forecast, %") << tr("Time") << tr("Difference");
    return heads;
}

QStringList WaterfallView::figures(const WaterfallRow& row) const {
    QStringList out{percentOf(row, row.measured), secondsOf(row.measured)};
    if (!m_hasForecast) return out;
    if (!isInStep(row)) return out << QString() << QString() << QString();
    out << percentOf(row, row.forecast) << secondsOf(row.forecast);
    double more = (row.measured ? row.measured->seconds : 0) - (row.forecast ? row.forecast->seconds : 0);
    if (std::fabs(more) < kNothing) more = 0;
    return out << (m_rows.front().measured ? signedText(more, secondsText(std::fabs(more))) : unknownText());
}

DataTable WaterfallView::dataTable() const {
    DataTable table{QStringList{tr("Part of the step")} << heads(), {}};
    for (const WaterfallRow& row : m_rows) table.rows.append(QStringList{messageText(row.title)} << figures(row));
    return table;
}

double WaterfallView::top() const {
    return lineHeight(22, kSideSize);
}

double WaterfallView::pitch() const {
    const double rows = std::max<double>(1, static_cast<double>(m_rows.size()));
    return std::clamp<double>((height() - top()) / rows, lineHeight(17), lineHeight(24));
}

QSize WaterfallView::sizeHint() const {
    return {px(700), static_cast<int>(top()) + static_cast<int>(m_rows.size()) * lineHeight(24)};
}

QSize WaterfallView::minimumSizeHint() const {
    return {px(420), static_cast<int>(top()) + static_cast<int>(m_rows.size()) * lineHeight(17)};
}

int WaterfallView::rowAt(double y) const {
    const int row = static_cast<int>(std::floor((y - top()) / pitch()));
    return row >= 0 && row < static_cast<int>(m_rows.size()) ? row : -1;
}

WaterfallView::Columns WaterfallView::columns() const {
    Columns at;
    const QFontMetricsF plain(fontOf(1.0)), bold(fontOf(1.0, true)), small(fontOf(kSideSize));
    double title = 0;
    for (const WaterfallRow& row : m_rows) title = std::max(title, bold.horizontalAdvance(messageText(row.title)));
    const QStringList names = heads();
    std::vector<double> widths;
    for (const QString& name : names) widths.push_back(small.horizontalAdvance(name));
    for (const WaterfallRow& row : m_rows) {
        const QStringList texts = figures(row);
        for (qsizetype i = 0; i < texts.size(); ++i) {
            double& width = widths[static_cast<std::size_t>(i)];
            width = std::max(width, bold.horizontalAdvance(texts[i]));
        }
    }
    double figuresWidth = 0;
    for (double& width : widths) figuresWidth += width += px(14);
    // The bars keep their share; in a narrow window, titles are elided.
    at.barLeft = std::min(title + px(12), std::max<double>(px(120), (width() - figuresWidth) * (1 - kBarShare)));
    at.barRight = std::max(at.barLeft + px(40), width() - figuresWidth - px(4));
    double right = at.barRight + px(4);
    for (const double width : widths) at.right.push_back(right += width);
    return at;
}

void WaterfallView::paintBars(QPainter& painter, const WaterfallRow& row, double y, const Columns& columns) const {
    const Theme& t = theme();
    const auto x = [&](double percent) {
        return columns.barLeft + (columns.barRight - columns.barLeft) * (percent - m_low) / (m_high - m_low);
    };
    const double barHeight = std::max<double>(px(7), pitch() * 0.42);
    if (row.measured) {
        const double from = x(std::min(row.measured->from, row.measured->to));
        const double to = x(std::max(row.measured->from, row.measured->to));
        const QRectF box(from, y + px(3), std::max(1.0, to - from), barHeight);
        const int hue = hueOf(row.part);
        if (row.kind == WaterfallRow::Kind::Peak) {
            painter.fillRect(box, t.ramp(0.15));
        } else if (row.kind == WaterfallRow::Kind::Loss && row.part == TimePart::Unexplained) {
            fillHatch(painter, box, t.bad);
            painter.setPen(QPen(t.bad, 1));
            painter.drawRect(box);
        } else if (row.kind == WaterfallRow::Kind::Loss && hue < 0) {
            fillHatch(painter, box);
            painter.setPen(QPen(t.line2, 1));
            painter.drawRect(box);
        } else {
            painter.fillRect(box, t.categorical[static_cast<std::size_t>(std::max(0, hue))]);
        }
        // The next part begins where this one ends.
        if (row.kind == WaterfallRow::Kind::Loss) {
            painter.setPen(QPen(t.line2, 1, Qt::DotLine));
            painter.drawLine(QPointF(x(row.measured->to), y + px(3)),
                             QPointF(x(row.measured->to), y + pitch() + px(3)));
        }
    }
    if (row.forecast) {
        const double line = y + px(3) + barHeight + px(3);
        const double from = x(row.forecast->from), to = x(row.forecast->to);
        painter.setPen(QPen(t.text2, 1.2, Qt::DashLine));
        painter.drawLine(QPointF(from, line), QPointF(to, line));
        painter.setPen(QPen(t.text2, 1.2));
        for (const double end : {from, to})
            painter.drawLine(QPointF(end, line - px(2.5)), QPointF(end, line + px(2.5)));
    }
}

void WaterfallView::paintStill(QPainter& painter) {
    const Theme& t = theme();
    if (m_rows.empty()) return paintSummary(painter);
    const Columns at = columns();
    const double bottom = top() + pitch() * static_cast<double>(m_rows.size());
    painter.setFont(fontOf(kSideSize));
    const auto x = [&](double percent) {
        return at.barLeft + (at.barRight - at.barLeft) * (percent - m_low) / (m_high - m_low);
    };
    for (const int tick : {0, 25, 50, 75, 100}) {
        painter.setPen(QPen(tick == 0 ? t.line2 : t.grid, 1));
        painter.drawLine(QPointF(x(tick), top()), QPointF(x(tick), bottom));
        painter.setPen(t.text2);
        if (tick % 50 == 0)
            painter.drawText(QRectF(x(tick) - px(30), 0, px(60), top()), Qt::AlignCenter, QString::number(tick));
    }
    const QStringList names = heads();
    painter.setPen(t.text2);
    for (qsizetype i = 0; i < names.size(); ++i)
        painter.drawText(QRectF(at.barRight, 0, at.right[static_cast<std::size_t>(i)] - at.barRight, top()),
                         Qt::AlignRight | Qt::AlignVCenter, names[i]);
    double y = top();
    for (const WaterfallRow& row : m_rows) {
        painter.setPen(QPen(t.grid, 1));
        painter.drawLine(QPointF(0, y), QPointF(width(), y));
        if (isInStep(row)) paintBars(painter, row, y, at);
        const bool bold = row.kind != WaterfallRow::Kind::Loss && row.kind != WaterfallRow::Kind::Outside;
        painter.setFont(fontOf(1.0, bold));
        const QFontMetricsF metrics(painter.font());
        painter.setPen(row.kind == WaterfallRow::Kind::Outside ? t.text2 : t.text);
        painter.drawText(QRectF(0, y, at.barLeft - px(8), pitch()), Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(messageText(row.title), Qt::ElideRight, at.barLeft - px(8)));
        const QStringList texts = figures(row);
        const double more = (row.measured ? row.measured->seconds : 0) - (row.forecast ? row.forecast->seconds : 0);
        const bool slower = row.kind == WaterfallRow::Kind::Loss && more > kMuch * m_step;
        const bool unknown = row.kind == WaterfallRow::Kind::Loss && row.part == TimePart::Unexplained &&
                             row.measured && std::fabs(row.measured->seconds) > kMuch * m_step;
        for (qsizetype i = 0; i < texts.size(); ++i) {
            const bool warns = (i == 4 && slower) || (i < 2 && unknown);
            painter.setPen(warns ? t.warn : i == 2 || i == 3 ? t.text2 : t.text);
            painter.drawText(QRectF(at.barRight, y, at.right[static_cast<std::size_t>(i)] - at.barRight, pitch()),
                             Qt::AlignRight | Qt::AlignVCenter, texts[i]);
        }
        y += pitch();
    }
}

void WaterfallView::paintMoving(QPainter& painter) {
    if (m_row < 0 || m_row >= static_cast<int>(m_rows.size())) return;
    const double y = top() + pitch() * m_row;
    QColor wash = theme().selection;
    wash.setAlphaF(0.35F);
    painter.fillRect(QRectF(0, y, width(), pitch()), wash);
    const WaterfallRow& row = m_rows[static_cast<std::size_t>(m_row)];
    const bool isPart = row.kind == WaterfallRow::Kind::Loss || row.kind == WaterfallRow::Kind::Outside;
    QStringList lines{messageText(row.title), valueAtCursor().section(QStringLiteral(": "), 1)};
    if (isPart) lines << messageText(helpOf(row.part));
    paintTip(painter, QPointF(columns().barLeft, y + pitch()), lines);
}

void WaterfallView::mouseMoveEvent(QMouseEvent* event) {
    const int row = rowAt(event->position().y());
    if (row == m_row) return;
    m_row = row;
    update();
}

void WaterfallView::keyPressEvent(QKeyEvent* event) {
    const int last = static_cast<int>(m_rows.size()) - 1;
    switch (event->key()) {
        case Qt::Key_Down: m_row = std::min(last, m_row + 1); break;
        case Qt::Key_Up: m_row = std::max(std::min(0, last), m_row - 1); break;
        case Qt::Key_Home: m_row = std::min(0, last); break;
        case Qt::Key_End: m_row = last; break;
        case Qt::Key_Escape:
            if (m_row < 0) return PaintedWidget::keyPressEvent(event);
            m_row = -1;
            break;
        default: PaintedWidget::keyPressEvent(event); return;
    }
    update();
}

void WaterfallView::leaveEvent(QEvent*) {
    m_row = -1;
    update();
}

}  // namespace slipway::gui
