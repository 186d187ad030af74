// Reads the growing log of a program, run by the agent on this computer, into the run's metric stream. The position is
// in the stream itself ("log": [attempt, byte] of a step line), so that any program can continue after any kill.
//   LogFollower log(folder, 1, reading);   if (auto read = log.advance(now, false); !read) ...
#pragma once

#include "core/base/file.h"
#include "core/interop/live_log.h"
#include "core/process/file_lock.h"
#include "core/spec/run_dir.h"

#include <optional>

namespace slipway {

class LogFollower {
public:
    LogFollower(RunDir folder, std::int64_t attempt, interop::LogReading reading);

    /// Reads at most the next kPieceBytes and appends the steps to metrics.jsonl. Only one program at a time does; the
    /// others wait for it. Skips the log where the program records its run itself (packaging/python), unless a format
    /// is given. At the end of a program that succeeded and had no figures, an event in the stream gives the remedy.
    /// @param isOver the log is complete: a last line without a newline counts
    Result<void> advance(std::int64_t nowUnixMilliseconds, bool isOver);
    /// The last advance() reached the end.
    [[nodiscard]] bool isAtEnd() const { return m_isAtEnd; }

    static constexpr std::size_t kPieceBytes = 4U << 20;

private:
    Result<void> begin();
    Result<void> append(const std::vector<MetricStep>& steps, std::int64_t now);
    Result<void> write(std::string text, std::int64_t resumeStep, std::int64_t now);
    Result<void> noteMissingFigures(std::int64_t now);

    RunDir m_folder;
    std::int64_t m_attempt;
    interop::LogReading m_reading;
    std::optional<FileLock> m_lock;
    std::optional<interop::LiveLog> m_log;
    std::uint64_t m_offset = 0;
    bool m_hasHeader = false, m_isAtEnd = false;
};

}  // namespace slipway
