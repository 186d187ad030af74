// Brings the contents of one run or sweep folder into the index. Files are read inside the write transaction that
// stores them: every other writer also changes file and row inside one, so an older file never replaces a newer row.
// Private to this room.
#pragma once

#include "core/metrics/metric_reader.h"
#include "core/spec/run_dir.h"
#include "core/store/index_state.h"
#include "core/store/run_store.h"

#include <string>

namespace slipway {

enum class FolderOutcome {
    Read,    ///< its row is new, or was rewritten
    Known,   ///< its row already has this epoch
    NotYet,  ///< neither meta.json nor metrics.jsonl: in creation, abandoned, or not a run
};

struct FolderCounts {
    std::int64_t points = 0;
    std::int64_t trials = 0;
};

class FolderReader {
public:
    /// @param epoch rows of this epoch are skipped; new rows get it
    /// @param now milliseconds since the Unix epoch: a stream without an end and without meta.json counts as running
    /// while it was written to in the last minute
    FolderReader(RunStore& store, std::int64_t epoch, std::int64_t now, Issues& issues)
        : m_store(store), m_epoch(epoch), m_now(now), m_issues(issues) {}

    Result<FolderOutcome> run(const std::string& name);
    Result<FolderOutcome> sweep(const std::string& name);
    /// Rereads meta.json into the row, and the rest of the stream where nobody follows it (no launch.json).
    /// True when there was news.
    Result<bool> refresh(const RunId& id);
    [[nodiscard]] const FolderCounts& counts() const { return m_counts; }

private:
    Result<FolderOutcome> readRun(const RunDir& dir);
    /// Facts from meta.json, for figures derived from the stream.
    struct MetaFacts {
        bool hasStatus = false;
        bool lacksEvalLoss = false;
        bool lacksFigures = false;  ///< of a run that ended elsewhere: an importer writes no figures
    };
    Result<void> finishRun(const RunDir& dir, std::int64_t row, const MetaFacts& meta);
    Result<bool> stream(const RunDir& dir, std::int64_t row);
    Result<void> alerts(const RunDir& dir, std::int64_t row);
    Result<void> deriveStatus(const RunId& id, const RunDir& dir);
    Result<void> deriveFigures(RunRecord& record, std::int64_t numDevices, const RunDir& dir);
    void trials(const std::string& text, const SweepId& id, const std::filesystem::path& path);

    RunStore& m_store;
    std::int64_t m_epoch;
    std::int64_t m_now;
    Issues& m_issues;
    FolderCounts m_counts;
    std::int64_t m_malformed = 0;  // lines of the current stream
    std::string m_firstMalformed;
    MetricReader m_reader;
};

}  // namespace slipway
