// The alert hook: a program started by each alert, one at a time per home. Foreign text never reaches its arguments:
// the alert is a JSON document on its standard input, with its main members in SLIPWAY_ALERT_ variables.
//   hook.add(alert);   hook.poll(arguments, lock, now);   for (const HookEnd& end : hook.takeEnds()) ...
#pragma once

#include "core/process/file_lock.h"
#include "core/process/process.h"

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// Input of a hook.
struct HookAlert {
    std::string rule, runId, runName, text;
    std::int64_t step = 0, attempt = 0, timeUnixMilliseconds = 0;
};
struct HookEnd {
    std::string rule;
    std::int64_t step = 0;
    std::string text;  ///< "exit code 0", "signal 15 (Terminated)", or the reason why it was not started
};

class AlertHook {
public:
    static constexpr double kMostSeconds = 10;      ///< then it is ended
    static constexpr std::size_t kMostWaiting = 8;  ///< further alerts do not start a hook, and their end records that

    AlertHook() = default;
    AlertHook(AlertHook&&) noexcept = default;
    AlertHook& operator=(AlertHook&&) noexcept = default;
    ~AlertHook();  ///< ends a running hook

    void add(HookAlert alert);
    /// @param arguments empty: waiting alerts are dropped. @param lock of the home: one hook at a time
    void poll(const std::vector<std::string>& arguments, const std::filesystem::path& lock, double nowSeconds);
    std::vector<HookEnd> takeEnds();
    [[nodiscard]] bool isBusy() const { return m_process || !m_waiting.empty() || !m_ends.empty(); }
    /// For poll(2): readable when the hook ends; -1: none is running.
    [[nodiscard]] int newsFd() const { return m_process ? m_process->pidFd() : -1; }

private:
    void start(const std::vector<std::string>& arguments);
    void end(std::string text);

    std::deque<HookAlert> m_waiting;  // the first belongs to the process
    std::optional<Process> m_process;
    FileLock m_lock;
    std::string m_input;  // remaining input
    double m_startedSeconds = 0;
    bool m_isEnding = false;
    std::vector<HookEnd> m_ends;
};

}  // namespace slipway
