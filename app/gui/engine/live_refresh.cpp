#include "app/gui/engine/live_refresh.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace slipway::gui {
namespace {

constexpr double kParts = 80;  // of a core; refreshes take one of them
constexpr int kLeastPause = 500, kMostPause = 60000;
constexpr int kDrawnAfter = 150;  // by then the answer is drawn

}  // namespace

double threadCpuMilliseconds() {
    timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) * 1e-6;
}

LiveRefresh::LiveRefresh(QObject* parent, std::function<bool()> refresh)
    : QObject(parent), m_refresh(std::move(refresh)), m_timer(this) {
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &LiveRefresh::begin);
}

int CpuCredit::spend(double cpuMilliseconds, double passedMilliseconds) {
    m_milliseconds = std::min(kMost, m_milliseconds + passedMilliseconds / kParts) - cpuMilliseconds;
    return static_cast<int>(std::clamp<double>(-m_milliseconds * kParts, kLeastPause, kMostPause));
}

void LiveRefresh::spend(double cpuMilliseconds) {
    const double passed = m_sinceSpent.isValid() ? static_cast<double>(m_sinceSpent.elapsed()) : 0;
    m_sinceSpent.start();
    m_pause = m_credit.spend(cpuMilliseconds, passed);
}

void LiveRefresh::ask() {
    m_isWanted = true;
    if (m_isUnderway || m_timer.isActive()) return;
    const qint64 passed = m_sinceAnswer.isValid() ? m_sinceAnswer.elapsed() : kMostPause;
    m_timer.start(static_cast<int>(std::max<qint64>(0, m_pause - passed)));
}

void LiveRefresh::begin() {
    m_isWanted = false;
    m_isUnderway = m_refresh();
}

void LiveRefresh::answered(double readMilliseconds) {
    m_isUnderway = false;
    m_sinceAnswer.start();
    spend(readMilliseconds);
    QTimer::singleShot(kDrawnAfter, this, [this, before = threadCpuMilliseconds()] {
        spend(threadCpuMilliseconds() - before);
        if (std::exchange(m_isWanted, false)) ask();
    });
}

}  // namespace slipway::gui
