// CommActivity: the collectives of one rank, as reported by its groups: the awaited one, earlier ones, and their times.
// For the watchdog, the error file and the stream of spans.
#pragma once

#include "trainer/kernels/device_clock.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace slipway::trainer {

class CommActivity {
public:
    struct Snapshot {
        std::string group, operation;  ///< empty when the rank is not in a collective
        std::string ranks;             ///< "0, 2": world ranks of the group
        std::int64_t completed = 0;    ///< collectives completed so far
    };
    void enter(const std::string& group, const std::string& operation, const std::string& ranks);
    void leave();
    /// The host's collective or, as of the last refresh(), the oldest begun on the device.
    [[nodiscard]] Snapshot snapshot() const;

    /// A collective queued on a device by the host. The functions poll the device, without waiting: has it reached this
    /// point?
    struct Given {
        std::string group, operation, ranks;
        std::function<bool()> begun, ended;
    };
    /// Call it from the rank's own thread. Only here are ended ones released: destroying an event on a thread that has
    /// never used the device opens a context on the first device.
    void give(Given given);
    /// Reads the progress of the device. Call it from a thread that nobody waits for: a driver may stall.
    void refresh();

    /// A collective that completed.
    struct Past {
        std::string group, operation, ranks;
        double secondsAgo = 0;
    };
    /// The last ones, the oldest first.
    [[nodiscard]] std::vector<Past> recent() const;

    /// Begin of a collective, and its completion or, where the backend does not report it, the end of the wait; by
    /// monotonicSecondsNow().
    struct Timed {
        std::string group, operation;
        double startSeconds = 0, endSeconds = 0;
        DeviceClock::Mark start, end;  ///< instead, where a device runs it
    };
    /// Collectives whose wait ends from now on are recorded for takeTimed().
    void startTiming();
    void note(Timed timed);
    /// Those recorded since startTiming(), in the order of waiting; ends the recording.
    [[nodiscard]] std::vector<Timed> takeTimed();

private:
    using Clock = std::chrono::steady_clock;
    struct Done {
        Snapshot what;
        Clock::time_point when;
    };
    struct OnDevice {
        Given given;
        bool isComplete = false;
    };
    void complete(Snapshot what);
    void complete(OnDevice& collective);
    bool dropOldest();

    static constexpr std::size_t kRemembered = 16;
    mutable std::mutex m_mutex;
    Snapshot m_now, m_deviceNow;
    std::int64_t m_completed = 0;
    std::deque<std::shared_ptr<OnDevice>> m_onDevice;  ///< in the order of give()
    std::vector<Done> m_done;                          ///< a ring
    std::size_t m_nextDone = 0;
    bool m_isTiming = false;
    std::vector<Timed> m_timed;
};

}  // namespace slipway::trainer
