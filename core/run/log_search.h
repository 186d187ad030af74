// The logs of a run's ranks with their times: the last lines, and a search through all of them, in pieces that fit into memory
// however long the logs are.
//   LogSearch search(folder, {0, 1}, {"out of memory", LogLevel::Error});
//   search.advance(isOver, [&](double share) { return !token.stop_requested(); });   ... search.hits()
#pragma once

#include "core/spec/run_dir.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

enum class LogLevel { Info, Warning, Error };

/// The level of a line by its words: "error" and "fatal", then "warn"; small and capital letters are the same.
LogLevel logLevelOf(std::string_view line);

struct LogEntry {
    std::int64_t rank = 0;
    std::optional<std::int64_t> unixMilliseconds;  ///< empty where no agent noted it
    LogLevel level = LogLevel::Info;
    std::string text;  ///< as in the file, at most LogSearch::kLineBytes of it
};

/// The last lines of a rank's log; empty when there is none.
std::vector<LogEntry> logTail(const RunDir& folder, std::int64_t rank, std::size_t maxBytes, std::size_t maxLines);

struct LogQuestion {
    std::string text;  ///< looked for in any case of ASCII letters; empty: every line of the level
    LogLevel least = LogLevel::Info;
    bool operator==(const LogQuestion&) const = default;
};

class LogSearch {
public:
    /// Most lines kept of all ranks: half the first of each, half its latest.
    static constexpr std::size_t kMostHits = 4000;
    static constexpr std::size_t kLineBytes = 2000;

    /// Called with the share that is done; returns false to stop.
    using Progress = std::function<bool(double)>;

    LogSearch(RunDir folder, std::vector<std::int64_t> ranks, LogQuestion question);

    /// Searches what the logs have gained. @param isOver a last line without a newline counts. @return false when it was stopped;
    /// the next call continues there
    bool advance(bool isOver, const Progress& progress);

    [[nodiscard]] std::int64_t numMatches() const { return m_numMatches; }
    [[nodiscard]] std::uint64_t bytesRead() const { return m_bytesRead; }
    /// Rank by rank, in the order of the logs.
    [[nodiscard]] std::vector<LogEntry> hits() const;

private:
    struct Log {
        std::int64_t rank = 0;
        std::uint64_t offset = 0;
        std::vector<LogEntry> first;
        std::vector<LogEntry> latest;  // a ring
        std::size_t next = 0;          // in the ring
    };
    void searchPiece(Log& log, std::string_view piece,
                     const std::function<std::optional<std::int64_t>(std::uint64_t)>& timeOf);
    void keep(Log& log, LogEntry entry);

    RunDir m_folder;
    LogQuestion m_question;
    std::vector<std::string> m_words;  // in small letters: any of them makes a candidate; none: every line does
    std::vector<Log> m_logs;
    std::size_t m_mostOfLog;
    std::int64_t m_numMatches = 0;
    std::uint64_t m_bytesRead = 0;
};

}  // namespace slipway
