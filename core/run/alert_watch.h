// The alerts of one run, raised by one of the programs that follow it: the holder of control/alerts.lock in its folder.
// Each is a line of alerts.jsonl, an event of the run for all programs, and starts the hook once.
//   watch.poll({...}, now, events);   if (watch.isBusy()) ...a hook is running...
// A session ends only after its hooks.
#pragma once

#include "core/process/file_lock.h"
#include "core/run/alert_hook.h"
#include "core/run/alert_settings.h"
#include "core/run/run_session.h"
#include "core/stability/alert_rules.h"
#include "core/store/ingest.h"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// The session's state at a poll.
struct AlertView {
    RunStore* store = nullptr;
    const Home* home = nullptr;
    const RunDir* folder = nullptr;
    RunId id{};
    std::string name;
    const ParallelLayout* layout = nullptr;  ///< absent: its ranks are unknown
    std::int64_t attempt = 0, lastStep = 0;
    std::int64_t arrivedAttempt = 0, arrivedStep = 0;  ///< when this program attached
    std::int64_t endedAttempt = 0;                     ///< already ended at that time
    RunStatus status = RunStatus::Planned;
    std::string reason;
    bool isDone = false;      ///< its end is stored
    bool mayRaise = false;    ///< this program raises alerts: false for runs elsewhere, and for one-time queries
    bool isRunning = false;   ///< its ranks are running, on this computer or on nodes
    bool isDiskHere = false;  ///< its ranks write to this folder
};

class AlertWatch {
public:
    static constexpr std::string_view kEventPrefix = "alert_";  ///< of the events: "alert_loss_spike"
    static constexpr std::string_view kHookEvent = "alert_hook";

    /// @return an error to report; it will be retried
    Result<void> poll(const AlertView& view, std::int64_t nowUnixMilliseconds, std::vector<RunEvent>& out);
    [[nodiscard]] bool isBusy() const { return m_hook.isBusy(); }
    [[nodiscard]] int newsFd() const { return m_hook.newsFd(); }

private:
    Result<void> begin(const AlertView& view);
    Result<void> takeSteps(const AlertView& view);
    void takeFacts(const AlertView& view, std::int64_t now);
    void takeEnd(const AlertView& view);
    Result<void> write(const AlertView& view, std::int64_t now);
    Result<void> read(const AlertView& view, std::vector<RunEvent>& out);

    AlertSettings m_settings;
    std::int64_t m_settingsStamp = -1;
    std::optional<AlertDetector> m_detector;
    FileLock m_lock;
    AlertHook m_hook;
    MetricReader m_reader;
    std::deque<Alert> m_raised;       // not written yet
    std::deque<HookEnd> m_hookEnds;   // not written yet
    std::int64_t m_attempt = 0;       // followed by the detector
    std::int64_t m_seen = 0;          // newest processed step
    std::int64_t m_quietUntil = 0;    // last step read before this program attached
    double m_tokens = 0;              // at m_seen; 0: unknown
    std::int64_t m_endedAttempt = 0;  // whose end was raised, or already known
    std::int64_t m_nextDisk = 0, m_nextRanks = 0;
    std::int64_t m_stamp = 0;             // of alerts.jsonl
    std::optional<std::uint64_t> m_told;  // its bytes already reported
};
}  // namespace slipway
