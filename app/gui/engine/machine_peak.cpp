#include "app/gui/engine/machine_peak.h"

#include "core/base/clock.h"

#include <QThreadPool>
#include <mutex>

namespace slipway::gui {

Result<MachineProfile> measuredPeak(const Home& home, const Programs& programs) {
    if (const auto stored = machineProfile(home)) return *stored;
    static std::mutex measuring;  // two concurrent measurements would halve each other's peak
    QThreadPool& pool = *QThreadPool::globalInstance();
    pool.releaseThread();
    auto profile = [&] {
        const std::lock_guard lock(measuring);
        return ensureMachineProfile(home, programs, unixMillisecondsNow());
    }();
    pool.reserveThread();
    return profile;
}

}  // namespace slipway::gui
