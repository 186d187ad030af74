// Shared parts of ProcessGroup's backends: name, rank, counters, and the record of awaited collectives.
#pragma once

#include "trainer/comm/comm_activity.h"
#include "trainer/comm/process_group.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace slipway::trainer {

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
    /// One collective in progress, shared by the handle and its completer.
    struct Timing {
        Clock::time_point start = Clock::now();
        std::atomic<std::int64_t> doneNanoseconds{0};  ///< since start; 0 while running
        void markDone();
    };
    /// Waits by calling `block` (once), records the time and turns foreign exceptions into CommError.
    class Handle;
    /// @param timing null where the device waits: then the backend itself counts seconds and records (noteGiven,
    /// noteWaited)
    CommWork makeHandle(const char* operation, std::shared_ptr<Timing> timing, std::function<void()> block);
    /// A handle of an already completed operation.
    static CommWork doneHandle();

    /// For collectives on a device: records that it was queued, between two marks of its stream, and that the rank's
    /// stream waits for it.
    void noteGiven(const char* operation, const DeviceClock::Mark& start, const DeviceClock::Mark& end) const;
    void noteWaited(const char* operation, const DeviceClock::Mark& start, const DeviceClock::Mark& end) const;

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
