// What every backend of ProcessGroup shares: name, place, counters, and the note of what the rank waits for.
#pragma once

#include "trainer/comm/process_group.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace slipway::trainer {

/// What one rank is waiting for right now; written by its groups, read by the watchdog and the error file.
class CommActivity {
public:
    struct Snapshot {
        std::string group, operation;  ///< empty when the rank is in no collective
        std::string ranks;             ///< "0, 2": world ranks of the group
        std::int64_t completed = 0;    ///< collectives completed so far
    };
    void enter(const std::string& group, const std::string& operation, const std::string& ranks);
    void leave();
    [[nodiscard]] Snapshot snapshot() const;
    /// A collective that completed.
    struct Past {
        std::string group, operation, ranks;
        double secondsAgo = 0;
    };
    /// The last ones, the oldest first.
    [[nodiscard]] std::vector<Past> recent() const;

    /// When a collective began, and when it was complete or, where the backend does not tell, no longer waited for; by monotonicSecondsNow().
    struct Timed {
        std::string group, operation;
        double startSeconds = 0, endSeconds = 0;
    };
    /// Collectives whose wait ends from now on are kept for takeTimed().
    void startTiming();
    void note(Timed timed);
    /// Those kept since startTiming(), in the order in which they were waited for; no more are kept.
    [[nodiscard]] std::vector<Timed> takeTimed();

private:
    using Clock = std::chrono::steady_clock;
    struct Done {
        Snapshot what;
        Clock::time_point when;
    };
    static constexpr std::size_t kRemembered = 16;
    mutable std::mutex m_mutex;
    Snapshot m_now;
    std::vector<Done> m_done;  ///< a ring
    std::size_t m_nextDone = 0;
    bool m_isTiming = false;
    std::vector<Timed> m_timed;
};

/// Counters and identity; the backends fill in the collectives.
class GroupBase : public ProcessGroup {
public:
    GroupBase(std::string name, const std::vector<std::int64_t>& ranks, std::int64_t worldRank,
              std::shared_ptr<CommActivity> activity);

    [[nodiscard]] int rank() const override { return m_rank; }
    [[nodiscard]] int size() const override { return m_size; }
    [[nodiscard]] const std::string& name() const override { return m_name; }
    [[nodiscard]] CommCounters counters() const override;

protected:
    using Clock = std::chrono::steady_clock;
    /// One collective under way, shared by the handle and whoever completes it.
    struct Timing {
        Clock::time_point start = Clock::now();
        std::atomic<std::int64_t> doneNanoseconds{0};  ///< since start; 0 while it runs
        void markDone();
    };
    /// Waits by calling `block` (once), books the time and turns foreign exceptions into CommError.
    class Handle;
    /// @param timing null where the device does the waiting: then the backend itself counts seconds, and nothing is noted
    CommWork makeHandle(const char* operation, std::shared_ptr<Timing> timing, std::function<void()> block);
    /// A handle of something that is complete already.
    static CommWork doneHandle();

    void countBytes(double bytes);
    void countSeconds(double seconds, double exposedSeconds);
    [[nodiscard]] double ringAllReduceBytes(const at::Tensor& tensor) const;
    [[nodiscard]] double ringGatherBytes(const at::Tensor& whole) const;
    [[nodiscard]] const std::string& rankText() const { return m_rankText; }
    /// Throws CommError with this group's name and ranks.
    [[noreturn]] void raise(const std::string& operation, const std::string& what) const;

private:
    std::string m_name;
    std::string m_rankText;
    int m_rank = 0;
    int m_size = 1;
    std::shared_ptr<CommActivity> m_activity;
    mutable std::mutex m_mutex;
    CommCounters m_counters;
};

}  // namespace slipway::trainer
