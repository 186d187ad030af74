#include "app/gui/widgets/time_window.h"

#include "app/gui/text/format.h"

#include <QCoreApplication>
#include <algorithm>

namespace slipway::gui {

void TimeWindow::zoom(double factor, double at, double total, double shortest) {
    if (!(total > 0)) return;
    const double before = width(total), span = std::min(before * factor, total);
    if (span >= total * 0.999) return reset();
    const double wide = std::max(span, shortest), part = (at - m_from) / before;
    m_from = std::clamp(at - part * wide, 0.0, total - wide);
    m_to = m_from + wide;
}

void TimeWindow::moveBy(double seconds, double total) {
    if (isWhole()) return;
    const double wide = m_to - m_from;
    m_from = std::clamp(m_from + seconds, 0.0, total - wide);
    m_to = m_from + wide;
}

QString TimeWindow::text(double total) const {
    if (isWhole()) return {};
    return QCoreApplication::translate("slipway::gui::ScheduleView", "%1 – %2 of %3")
        .arg(secondsText(m_from), secondsText(m_to), secondsText(total));
}

}  // namespace slipway::gui
