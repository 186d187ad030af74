#include "trainer/telemetry/watchdog.h"

#include "core/base/clock.h"
#include "core/spec/run_dir.h"
#include "trainer/comm/process_group.h"

#include <algorithm>
#include <chrono>

namespace slipway::trainer {
namespace {

constexpr std::size_t kStepsRemembered = 64;
constexpr double kStepFactor = 10;
constexpr double kSilenceSeconds = 10;  // several beats; less if a hang is declared sooner
constexpr const char* kComputes = "computes";

}  // namespace

double hangLimitSeconds(std::vector<double> stepSeconds, double leastSeconds) {
    if (stepSeconds.empty()) return leastSeconds;
    const auto middle = stepSeconds.begin() + static_cast<std::ptrdiff_t>(stepSeconds.size() / 2);
    std::nth_element(stepSeconds.begin(), middle, stepSeconds.end());
    return std::max(leastSeconds, kStepFactor * *middle);
}

Watchdog::Watchdog(WatchdogOptions options, std::shared_ptr<CommActivity> activity, Rendezvous* rendezvous)
    : m_options(std::move(options)), m_activity(std::move(activity)), m_rendezvous(rendezvous) {
    m_lastProgress = m_options.now();
    m_lastBeat.resize(static_cast<std::size_t>(m_options.worldSize));
    m_lastBeatSeconds.assign(static_cast<std::size_t>(m_options.worldSize), m_lastProgress);
    if (m_options.pollSeconds <= 0) return;
    m_thread = std::thread([this] { repeat([this] { return look(); }); });
    if (m_rendezvous == nullptr) return;
    // Separate threads: the store does not answer while rank 0 is stopped, and a driver may not answer while a device
    // hangs.
    m_beatThread = std::thread([this] { repeat([this] { return publish(); }); });
    m_deviceThread = std::thread([this] {
        repeat([this] {
            m_activity->refresh();
            return true;
        });
    });
}

Watchdog::~Watchdog() {
    {
        const std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_wake.notify_all();
    for (std::thread* thread : {&m_thread, &m_beatThread, &m_deviceThread})
        if (thread->joinable()) thread->join();
}

void Watchdog::stepDone(std::int64_t step, double seconds) {
    const std::lock_guard lock(m_mutex);
    m_step = step;
    if (m_stepSeconds.size() == kStepsRemembered) m_stepSeconds.erase(m_stepSeconds.begin());
    m_stepSeconds.push_back(seconds);
    m_lastProgress = m_options.now();
}

void Watchdog::waitForDisk(bool waits) {
    const std::lock_guard lock(m_mutex);
    m_waitsForDisk = waits;
    m_lastProgress = m_options.now();
}

bool Watchdog::check(double now, RankError& error) {
    const CommActivity::Snapshot activity = m_activity->snapshot();
    double stalled = 0, limit = 0;
    std::int64_t step = 0;
    {
        const std::lock_guard lock(m_mutex);
        if (activity.completed != m_lastCompleted) {
            m_lastCompleted = activity.completed;
            m_lastProgress = now;
        }
        stalled = now - m_lastProgress;
        step = m_step;
        limit = m_stepSeconds.empty() ? m_options.firstStepLimitSeconds
                                      : hangLimitSeconds(m_stepSeconds, m_options.leastLimitSeconds);
        if (m_waitsForDisk) limit = std::max(limit, kDiskLimitSeconds);
    }
    if (stalled < limit) return false;
    const std::string silent = silentRanks(now, std::min(kSilenceSeconds, limit / 2));
    const std::string seconds = std::to_string(static_cast<std::int64_t>(stalled));
    error.rank = m_options.rank;
    error.code = "hang";
    error.exitCode = static_cast<int>(TrainerExit::CommunicationFailure);
    error.group = activity.group;
    error.operation = activity.operation;
    error.timeUnixMilliseconds = unixMillisecondsNow();
    error.message = "No progress for " + seconds + " s after step " + std::to_string(step) + ": rank " +
                    std::to_string(m_options.rank) +
                    (activity.group.empty() ? std::string(" is in no collective")
                                            : " waits in " + activity.operation + " of group " + activity.group +
                                                  " (ranks " + activity.ranks + ")") +
                    (silent.empty() ? std::string(".") : "; " + silent + ".");
    return true;
}

bool Watchdog::publish() {
    const CommActivity::Snapshot activity = m_activity->snapshot();
    try {
        m_rendezvous->put("beat/" + std::to_string(m_options.rank),
                          std::to_string(++m_beats) + " " + (activity.group.empty() ? kComputes : "waits"));
        for (std::int64_t rank = 0; rank < m_options.worldSize; ++rank) {
            const auto place = static_cast<std::size_t>(rank);
            const std::string beat = m_rendezvous->find("beat/" + std::to_string(rank)).value_or("");
            const std::lock_guard lock(m_mutex);
            if (beat == m_lastBeat[place]) continue;
            m_lastBeat[place] = beat;
            m_lastBeatSeconds[place] = m_options.now();
        }
    } catch (const CommError&) {
        return false;  // rank 0 is gone; the collectives will report it
    }
    return true;
}

std::string Watchdog::silentRanks(double now, double limit) {
    if (m_rendezvous == nullptr) return {};
    const std::lock_guard lock(m_mutex);
    const auto own = static_cast<std::size_t>(m_options.rank);
    // This rank has not read its own beat: rank 0, which keeps all of them, does not answer, and nothing is known about the others.
    if (own != 0 && now - m_lastBeatSeconds[own] > limit) return "these ranks do not answer: 0";
    std::string silent, computing;
    for (std::size_t rank = 0; rank < m_lastBeat.size(); ++rank) {
        if (static_cast<std::int64_t>(rank) == m_options.rank) continue;
        std::string* list = nullptr;
        if (now - m_lastBeatSeconds[rank] > limit)
            list = &silent;
        else if (m_lastBeat[rank].find(kComputes) != std::string::npos)
            list = &computing;
        if (list == nullptr) continue;
        *list += ' ';
        *list += std::to_string(rank);
    }
    std::string text;
    if (!silent.empty()) text.append("these ranks do not answer:").append(silent);
    if (!silent.empty() && !computing.empty()) text.append(", ");
    if (!computing.empty()) text.append("these are in no collective:").append(computing);
    return text;
}

bool Watchdog::look() {
    RankError error;
    if (!check(m_options.now(), error)) return true;
    m_options.onHang(error);
    return false;
}

void Watchdog::repeat(const std::function<bool()>& body) {
    std::unique_lock lock(m_mutex);
    while (!m_stop) {
        m_wake.wait_for(lock, std::chrono::duration<double>(m_options.pollSeconds));
        if (m_stop) return;
        lock.unlock();
        const bool goOn = body();
        lock.lock();
        if (!goOn) return;
    }
}

}  // namespace slipway::trainer
