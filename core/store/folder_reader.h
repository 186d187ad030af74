// Brings what one run or sweep folder holds into the index. Files are read inside of the write transaction that stores
// them: every other writer changes file and row inside of one as well, so an older file never replaces a newer row.
// Private to this room.
#pragma once

#include "core/metrics/metric_reader.h"
#include "core/spec/run_dir.h"
#include "core/store/index_state.h"
#include "core/store/run_store.h"

#include <string>

namespace slipway {

enum class FolderOutcome {
    Read,    ///< its row is new, or was written again
    Known,   ///< its row is of this epoch already
    NotYet,  ///< neither meta.json nor metrics.jsonl: being made, given up, or no run at all
};

struct FolderCounts {
    std::int64_t points = 0;
    std::int64_t trials = 0;
};

class FolderReader {
public:
    /// @param epoch rows of this epoch are left alone; what is read gets it
    /// @param now milliseconds since the Unix epoch: a stream without an end and without meta.json counts as running
    /// while it was written to in the minute before
    FolderReader(RunStore& store, std::int64_t epoch, std::int64_t now, Issues& issues)
        : m_store(store), m_epoch(epoch), m_now(now), m_issues(issues) {}

    Result<FolderOutcome> run(const std::string& name);
    Result<FolderOutcome> sweep(const std::string& name);
    /// Reads meta.json again into the row, and the stream on where nobody follows it (no launch.json).
    /// True when something was new.
    Result<bool> refresh(const RunId& id);
    [[nodiscard]] const FolderCounts& counts() const { return m_counts; }

private:
    Result<FolderOutcome> readRun(const RunDir& dir);
    /// What meta.json held, for what follows from the stream.
    struct MetaFacts {
        bool hasStatus = false;
        bool lacksEvalLoss = false;
    };
    Result<void> finishRun(const RunDir& dir, std::int64_t row, const MetaFacts& meta);
    Result<bool> stream(const RunDir& dir, std::int64_t row);
    Result<void> alerts(const RunDir& dir, std::int64_t row);
    Result<void> deriveStatus(const RunId& id, const RunDir& dir);
    void trials(const std::string& text, const SweepId& id, const std::filesystem::path& path);

    RunStore& m_store;
    std::int64_t m_epoch;
    std::int64_t m_now;
    Issues& m_issues;
    FolderCounts m_counts;
    std::int64_t m_malformed = 0;  // lines of the stream that is being read
    std::string m_firstMalformed;
    MetricReader m_reader;
};

}  // namespace slipway
