#include "trainer/comm/comm_activity.h"

#include <exception>
#include <utility>

namespace slipway::trainer {

void CommActivity::enter(const std::string& group, const std::string& operation, const std::string& ranks) {
    const std::lock_guard lock(m_mutex);
    m_now = {group, operation, ranks};
}

void CommActivity::leave() {
    const std::lock_guard lock(m_mutex);
    complete(std::exchange(m_now, {}));
}

// Called with the lock held.
void CommActivity::complete(Snapshot what) {
    if (m_done.size() < kRemembered)
        m_done.push_back({std::move(what), Clock::now()});
    else
        m_done[m_nextDone] = {std::move(what), Clock::now()};
    m_nextDone = (m_nextDone + 1) % kRemembered;
    ++m_completed;
}

void CommActivity::complete(OnDevice& collective) {
    if (std::exchange(collective.isComplete, true)) return;
    complete(Snapshot{collective.given.group, collective.given.operation, collective.given.ranks});
}

CommActivity::Snapshot CommActivity::snapshot() const {
    const std::lock_guard lock(m_mutex);
    Snapshot snapshot = m_now.group.empty() ? m_deviceNow : m_now;
    snapshot.completed = m_completed;
    return snapshot;
}

void CommActivity::give(Given given) {
    auto collective = std::make_shared<OnDevice>(OnDevice{std::move(given)});
    while (dropOldest()) {
    }
    const std::lock_guard lock(m_mutex);
    m_onDevice.push_back(std::move(collective));
}

// The device is queried, and an event returned, without the lock: the watchdog must not be blocked. Only this thread
// changes the list.
bool CommActivity::dropOldest() {
    if (m_onDevice.empty()) return false;
    if (!m_onDevice.front()->given.ended()) return false;
    std::shared_ptr<OnDevice> oldest;  // destroyed after the lock
    const std::lock_guard lock(m_mutex);
    complete(*m_onDevice.front());
    if (m_onDevice.front().use_count() > 1) return false;  // refresh() still holds it, and must not be its last owner
    oldest = std::move(m_onDevice.front());
    m_onDevice.pop_front();
    return true;
}

void CommActivity::refresh() {
    std::vector<std::shared_ptr<OnDevice>> open;
    {
        const std::lock_guard lock(m_mutex);
        for (const auto& collective : m_onDevice)
            if (!collective->isComplete) open.push_back(collective);
    }
    Snapshot now;
    std::vector<OnDevice*> ended;
    try {
        for (const auto& collective : open) {
            const Given& given = collective->given;
            if (given.ended())
                ended.push_back(collective.get());
            else if (now.group.empty() && given.begun())
                now = {given.group, given.operation, given.ranks};
        }
    } catch (const std::exception&) {
        return;  // the device is broken; the rank's own thread will notice
    }
    const std::lock_guard lock(m_mutex);
    for (OnDevice* collective : ended) complete(*collective);
    m_deviceNow = std::move(now);
}

std::vector<CommActivity::Past> CommActivity::recent() const {
    const std::lock_guard lock(m_mutex);
    std::vector<Past> list;
    const std::size_t first = m_done.size() < kRemembered ? 0 : m_nextDone;
    for (std::size_t i = 0; i < m_done.size(); ++i) {
        const Done& done = m_done[(first + i) % m_done.size()];
        list.push_back({done.what.group, done.what.operation, done.what.ranks,
                        std::chrono::duration<double>(Clock::now() - done.when).count()});
    }
    return list;
}

void CommActivity::startTiming() {
    const std::lock_guard lock(m_mutex);
    m_isTiming = true;
    m_timed.clear();
}

void CommActivity::note(Timed timed) {
    const std::lock_guard lock(m_mutex);
    if (m_isTiming) m_timed.push_back(std::move(timed));
}

std::vector<CommActivity::Timed> CommActivity::takeTimed() {
    const std::lock_guard lock(m_mutex);
    m_isTiming = false;
    return std::exchange(m_timed, {});
}

}  // namespace slipway::trainer
