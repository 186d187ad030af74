// Watch: shows the files of another program on this computer (TensorBoard event files, a console log, a CSV by steps) as a live run. The
// watch is the run's agent, like a recording Python program; each watch of the same source is an attempt of the same run.
//   auto watch = Watch::begin(store, home, {.source = "logs/"}, now);   while (...) watch->advance(now);   watch->end(now);
#pragma once

#include "core/interop/live_log.h"
#include "core/process/file_lock.h"
#include "core/store/run_store.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace slipway {

/// Tag of runs created by a watch.
inline constexpr const char* kWatchedTag = "watched";

struct WatchRequest {
    std::filesystem::path source;  ///< a file, or a folder with changing files
    interop::LogReading reading;
    std::string name;  ///< of a new run; empty: the source's
};

class Watch {
public:
    static constexpr std::size_t kMostFiles = 64;
    static constexpr std::size_t kPieceBytes = 32U << 20;

    /// Continues the run of an earlier watch of the same source, or creates one. "file_missing", "still_running" while
    /// another program watches the source; errors as in LiveLog::make.
    static Result<Watch> begin(RunStore& store, const Home& home, const WatchRequest& request,
                               std::int64_t nowUnixMilliseconds);

    /// Reads at most the next kPieceBytes of each file. @return the number of steps. A file that became shorter, or
    /// with a changed beginning, is read from the start.
    Result<std::int64_t> advance(std::int64_t nowUnixMilliseconds);
    /// The last advance() reached the end.
    [[nodiscard]] bool isAtEnd() const { return m_isAtEnd; }
    /// A stop of the run was requested.
    [[nodiscard]] bool isStopped() const;
    /// The record of the end.
    Result<void> end(std::int64_t nowUnixMilliseconds);

    [[nodiscard]] const RunId& id() const { return m_id; }
    /// Names and formats of the files being read.
    [[nodiscard]] std::vector<std::string> files() const;

private:
    struct Source {
        std::uint64_t offset = 0;
        std::uint32_t head = 0;  ///< checksum of the read part of the file's beginning
        std::optional<interop::LiveLog> log;
    };

    Result<void> prepare(RunStore& store, std::int64_t now);
    Result<void> beginAttempt(std::int64_t attempt, std::int64_t now);
    void look();
    Result<std::int64_t> read(const std::string& name, Source& source, std::int64_t now);
    Result<void> append(const std::vector<MetricStep>& steps, std::int64_t now);
    void beat(std::int64_t now);

    RunId m_id;
    RunDir m_folder;
    WatchRequest m_request;
    FileLock m_lock;
    std::map<std::string, Source> m_sources;  ///< by path below the source; the file itself is ""
    std::int64_t m_attempt = 1, m_counter = 0, m_started = 0, m_nextLook = 0;
    bool m_hasHeader = false, m_isAtEnd = false;
};

}  // namespace slipway
