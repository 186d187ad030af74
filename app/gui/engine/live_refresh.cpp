#include "app/gui/engine/live_refresh.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace slipway::gui {
namespace {

constexpr double kShare = 1.0 / 80;  // of a core
constexpr int kLeastPause = 1000, kMostPause = 60000;
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

int LiveRefresh::pauseMilliseconds(double cpuMilliseconds) {
    return static_cast<int>(std::clamp<double>(cpuMilliseconds / kShare, kLeastPause, kMostPause));
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
    m_pause = std::max(m_pause, pauseMilliseconds(readMilliseconds));
    QTimer::singleShot(kDrawnAfter, this, [this, readMilliseconds, before = threadCpuMilliseconds()] {
        m_pause = pauseMilliseconds(readMilliseconds + threadCpuMilliseconds() - before);
        if (std::exchange(m_isWanted, false)) ask();
    });
}

}  // namespace slipway::gui
