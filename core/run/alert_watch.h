// The alerts of one run, raised by one of the programs that follow it: the one that holds control/alerts.lock in its folder.
// Each is a line of alerts.jsonl, an event of the run that every program reads, and starts the hook once.
//   watch.poll({...}, now, events);   if (watch.isBusy()) ...a hook is running...
// A session is not done before its hooks are.
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

/// What the session knows at a poll.
struct AlertView {
    RunStore* store = nullptr;
    const Home* home = nullptr;
    const RunDir* folder = nullptr;
    RunId id{};
    std::string name;
    const ParallelLayout* layout = nullptr;  ///< absent: its ranks are not known
    std::int64_t attempt = 0, lastStep = 0;
    std::int64_t arrivedAttempt = 0, arrivedStep = 0;  ///< when this program came
    std::int64_t endedAttempt = 0;                     ///< that had ended then
    RunStatus status = RunStatus::Planned;
    std::string reason;
    bool isDone = false;      ///< its end is stored
    bool mayRaise = false;    ///< it is this program's business: false for runs elsewhere, and for who looks once
    bool isRunning = false;   ///< its ranks are, on this computer or on nodes
    bool isDiskHere = false;  ///< its ranks write to this folder
};

class AlertWatch {
public:
    static constexpr std::string_view kEventPrefix = "alert_";  ///< of the events: "alert_loss_spike"
    static constexpr std::string_view kHookEvent = "alert_hook";

    /// @return an error to report; it is tried again
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
    std::deque<Alert> m_raised;       // not yet written
    std::deque<HookEnd> m_hookEnds;   // not yet written
    std::int64_t m_attempt = 0;       // that the detector follows
    std::int64_t m_seen = 0;          // newest step that it took
    std::int64_t m_quietUntil = 0;    // steps that were read before this program came
    double m_tokens = 0;              // at m_seen; 0: not known
    std::int64_t m_endedAttempt = 0;  // whose end was raised, or was known
    std::int64_t m_nextDisk = 0, m_nextRanks = 0;
    std::int64_t m_stamp = 0;             // of alerts.jsonl
    std::optional<std::uint64_t> m_told;  // bytes of it
};
}  // namespace slipway
