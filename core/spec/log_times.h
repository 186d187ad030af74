// logs/rank_00012.times, beside the plain log of a rank: how long the log was at which time, a line for each time that was noted.
//   4096 1764365412345        the first 4,096 bytes were there at this time (Unix, milliseconds)
//   5000 0                    up to here the times are unknown
// A line of the log is as old as the first length that includes its end.
#pragma once

#include "core/base/file.h"

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>

namespace slipway {

/// The times of a log: "rank_00012.log" to "rank_00012.times".
std::filesystem::path logTimesFile(const std::filesystem::path& log);

/// Notes the length of one log as it grows, at most once per kSeconds: a log that never pauses costs 2 MB a day.
class LogTimesWriter {
public:
    static constexpr double kSeconds = 1;

    explicit LogTimesWriter(std::filesystem::path log);
    /// What is in the log already is as old as noted, or of unknown age. A log that became shorter begins again.
    void begin();
    /// Notes the current length. @param isLast notes it however recent the last note is
    void look(double nowSeconds, std::int64_t nowUnixMilliseconds, bool isLast = false);
    /// Length of the log at the last look.
    [[nodiscard]] std::uint64_t logBytes() const { return m_bytes; }

private:
    void note(std::uint64_t bytes, std::int64_t unixMilliseconds);

    std::filesystem::path m_log;
    std::optional<AppendFile> m_file;
    std::uint64_t m_bytes = 0, m_noted = 0;
    double m_notedSeconds = -kSeconds;
};

/// Reads them piece by piece, for ends of lines in ascending order.
class LogTimes {
public:
    /// A missing file has no times. @param tailBytes only this many bytes at the end; lines before them have no time
    explicit LogTimes(std::filesystem::path times, std::optional<std::uint64_t> tailBytes = {});
    /// Time of the line that ends at this byte; empty where it is unknown.
    std::optional<std::int64_t> timeOf(std::uint64_t lineEnd);

private:
    struct Note {
        std::uint64_t bytes = 0;
        std::int64_t unixMilliseconds = 0;
    };
    bool readOn();

    std::filesystem::path m_path;
    std::uint64_t m_offset = 0, m_knownFrom = 0;
    bool m_skipsPart = false;
    std::deque<Note> m_notes;
};

}  // namespace slipway
