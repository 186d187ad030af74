#include "app/gui/widgets/time_split.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr int kBar = 20;  // height
constexpr int kGap = 6;   // below it

}  // namespace

void TimeSplit::setStep(const StepEstimate& step) {
    m_parts.clear();
    m_total = step.stepSeconds;
    const auto add = [this](const QString& name, const char* figure, double seconds, int hue) {
        if (std::isfinite(seconds) && seconds > 0) m_parts.push_back({name, figure, seconds, hue});
    };
    const auto known = [](double value) { return std::isfinite(value) ? value : 0.0; };
    add(tr("Compute"), "step.compute_seconds", step.computeSeconds, static_cast<int>(Hue::Blue));
    add(tr("Tensor-parallel traffic, exposed"), "step.tp_exposed_seconds", step.tpExposedSeconds,
        static_cast<int>(Hue::Teal));
    add(tr("Context-parallel traffic, exposed"), "step.cp_exposed_seconds", step.cpExposedSeconds,
        static_cast<int>(Hue::Violet));
    add(tr("Expert-parallel traffic, exposed"), "step.ep_exposed_seconds", step.epExposedSeconds,
        static_cast<int>(Hue::Orange));
    add(tr("Pipeline traffic, exposed"), "step.pp_exposed_seconds", step.ppExposedSeconds, static_cast<int>(Hue::Sky));
    add(tr("Pipeline bubble"), "step.bubble_seconds", step.bubbleSeconds, -1);
    add(tr("Data-parallel traffic, exposed"), "step.dp_exposed_seconds", step.dpExposedSeconds,
        static_cast<int>(Hue::Rose));
    add(tr("Optimizer and fixed"), "step_seconds", known(step.optimizerSeconds) + known(step.fixedSeconds),
        static_cast<int>(Hue::Ochre));
    if (!(m_total > 0)) m_parts.clear();
    updateGeometry();
    changed();
}

QString TimeSplit::summary() const {
    return m_parts.empty() ? tr("No step time forecast.")
                           : tr("One step takes %1; %2 of it is compute.")
                                 .arg(secondsText(m_total), percentText(m_parts.front().seconds / m_total));
}

DataTable TimeSplit::dataTable() const {
    DataTable table{{tr("Part"), tr("Time"), tr("Share")}, {}};
    for (const Part& part : m_parts)
        table.rows.append({part.name, secondsText(part.seconds), percentText(part.seconds / m_total)});
    return table;
}

QSize TimeSplit::sizeHint() const {
    return {px(300), px(30) + static_cast<int>(m_parts.size()) * px(20)};
}

QSize TimeSplit::minimumSizeHint() const {
    return {px(220), px(30) + static_cast<int>(m_parts.size()) * px(18)};
}

void TimeSplit::paintStill(QPainter& painter) {
    const Theme& t = theme();
    if (m_parts.empty()) return paintSummary(painter);
    const double barHeight = px(kBar);
    double x = 0;
    painter.fillRect(QRectF(0, 0, width(), barHeight), t.sunken);
    for (const Part& part : m_parts) {
        const QRectF box(x, 0, part.seconds / m_total * width(), barHeight);
        if (part.hue < 0)
            fillHatch(painter, box);
        else
            painter.fillRect(box.adjusted(0, 0, box.width() > 3 ? -0.8 : 0, 0),
                             t.categorical[static_cast<std::size_t>(part.hue)]);
        x += box.width();
    }
    const double pitch = this->pitch();
    double y = barHeight + px(kGap);
    double shareWidth = 0, timeWidth = 0;
    const QFontMetricsF metrics(fontOf(1.0));
    for (const Part& part : m_parts) {
        shareWidth = std::max(shareWidth, metrics.horizontalAdvance(percentText(part.seconds / m_total)) + px(12));
        timeWidth = std::max(timeWidth, metrics.horizontalAdvance(secondsText(part.seconds)) + px(8));
    }
    for (const Part& part : m_parts) {
        const QRectF box(0, y + pitch / 2 - px(4.5), px(9), px(9));
        if (part.hue < 0)
            fillHatch(painter, box);
        else
            painter.fillRect(box, t.categorical[static_cast<std::size_t>(part.hue)]);
        painter.setFont(fontOf(1.0));
        painter.setPen(t.text);
        const QRectF name(px(16), y, width() - shareWidth - timeWidth - px(16), pitch);
        // "Tensor-parallel traffic, exposed" is still unambiguous without its last word.
        const QString whole = metrics.horizontalAdvance(part.name) <= name.width()
                                  ? part.name
                                  : part.name.section(QLatin1Char(','), 0, 0).section(QLatin1Char('('), 0, 0);
        painter.drawText(name, Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(whole, Qt::ElideRight, name.width()));
        painter.drawText(QRectF(width() - shareWidth - timeWidth, y, timeWidth, pitch),
                         Qt::AlignRight | Qt::AlignVCenter, secondsText(part.seconds));
        painter.setPen(t.text2);
        painter.drawText(QRectF(width() - shareWidth, y, shareWidth, pitch), Qt::AlignRight | Qt::AlignVCenter,
                         percentText(part.seconds / m_total));
        y += pitch;
    }
}

double TimeSplit::pitch() const {
    return std::min<double>(px(20), (height() - px(kBar) - px(kGap)) / static_cast<double>(m_parts.size()));
}

void TimeSplit::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || m_parts.empty()) return;
    const QPointF at = event->position();
    std::size_t part = m_parts.size();
    if (at.y() < px(kBar)) {
        double x = 0;
        for (part = 0; part < m_parts.size() && at.x() >= (x += m_parts[part].seconds / m_total * width());) ++part;
    } else if (at.y() >= px(kBar) + px(kGap)) {
        part = static_cast<std::size_t>((at.y() - px(kBar) - px(kGap)) / pitch());
    }
    if (part < m_parts.size()) emit asked(m_parts[part].figure);
}

void TimeSplit::keyPressEvent(QKeyEvent* event) {
    if (!m_parts.empty() && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter))
        emit asked("step_seconds");
    else
        PaintedWidget::keyPressEvent(event);
}

}  // namespace slipway::gui
