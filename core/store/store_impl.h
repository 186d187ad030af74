// Shared parts of RunStore's sources. Private to this room.
#pragma once

#include "core/process/folder_watch.h"
#include "core/store/database.h"
#include "core/store/run_store.h"
#include "core/store/run_table.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace slipway {

/// A long-lived store's memory of the folders, so that a search costs only the new ones.
struct SeenFolders {
    std::int64_t epoch = -1;                          ///< of the names below
    std::unordered_set<std::string> runs, sweeps;     ///< in the index
    std::vector<std::string> pending, pendingSweeps;  ///< folders that were not runs, or not sweeps, yet
    std::int64_t runsStamp = 0, sweepsStamp = 0;
    std::int64_t nextFinalRow = 0;                        ///< next row of the slow walk over ended runs
    std::unique_ptr<FolderWatch> runsWatch, sweepsWatch;  ///< since before the last listing; null: none was begun
};

struct RunStore::Impl {
    Home home;
    store::Database db;
    SeenFolders seen;
    store::RunTable table;

    /// The row number of a run; "run_missing".
    Result<std::int64_t> rowOf(const RunId& id);
    /// Reads the run, lets `edit` change it, writes meta.json and then the row. The file comes first: after a crash in
    /// between, the index is behind the files, never ahead of them.
    Result<void> change(const RunId& id, const std::function<Result<void>(RunRecord&)>& edit);
    Result<void> changeAll(const std::vector<RunId>& ids, const std::function<Result<void>(RunRecord&)>& edit);
    Result<RunRecord> record(const RunId& id);
    /// Points of one metric, ascending; `attempt` 0 means the valid steps.
    Result<MetricSeries> series(const RunId& id, const std::string& metric, std::int64_t from, std::int64_t to,
                                std::int64_t attempt);
};

namespace store {

/// createRun prepares a folder under runs/ with this prefix and the run's id; ids never begin with a dot.
inline constexpr const char* kStagePrefix = ".new-";

/// The columns of `runs r` that recordFrom reads, in its order, and their number.
const std::string& recordColumns();
int numRecordColumns();
RunRecord recordFrom(Query& row, const Home& home);

/// Records a change of the list of runs or sweeps; see RunStore::listVersion.
void noteListChange(Database& db);

/// Records in the row the time of meta.json, inside the transaction that wrote it.
void stampMeta(Database& db, std::int64_t row, const RunRecord& record);
/// Updates the record from meta.json where it was written (by another computer or by hand) after the row; else leaves it unchanged.
void overlayNewerMeta(Database& db, RunRecord& record);

/// Inserts the run (its id must be new) or replaces the row's values; returns the row number.
std::int64_t writeRow(Database& db, const RunRecord& record);
/// Writes the columns derived from config, cluster and forecast, and the documents themselves.
void writeDocuments(Database& db, std::int64_t row, const StoredConfig& stored, const std::string& clusterJson,
                    const std::string& forecastJson);

/// Key of the points of one attempt and metric of a row of runs; with the numbers of the tables.
struct CurveKey {
    std::int64_t run = 0;
    std::int64_t metric = 0;
    std::int64_t attempt = 0;
};
struct Points;
/// The number of a metric's name; empty when unknown.
std::optional<std::int64_t> knownMetric(Database& db, const std::string& name);
std::string unitOf(const std::string& metric);
/// Attempts in order, each with its last valid step: a later one supersedes the steps above its resume_step.
std::map<std::int64_t, std::int64_t> attemptsInForce(Database& db, std::int64_t run);
/// Passes on the stored points with from <= step <= to, chunk by chunk. "store_corrupt".
Result<void> eachChunk(Database& db, const CurveKey& key, std::int64_t from, std::int64_t to,
                       const std::function<void(Points&&)>& take);
/// Adds them to `out`.
Result<void> readPoints(Database& db, const CurveKey& key, std::int64_t from, std::int64_t to, Points& out);
Error damagedPoints(const Database& db);
/// The levels of one full chunk, and of all chunks that begin at or above a step.
Result<void> writeLevels(Database& db, const CurveKey& key, std::span<const std::int64_t> steps,
                         std::span<const double> values);
void dropLevels(Database& db, const CurveKey& key, std::int64_t fromStep);

/// Points of one metric of a row of runs, ascending; `attempt` 0 means the valid steps. "store_corrupt".
Result<MetricSeries> seriesOf(Database& db, std::int64_t row, const std::string& metric, std::int64_t from,
                              std::int64_t to, std::int64_t attempt);
/// Fills in the held-out loss from the points, if any, for a run whose figures were written before that figure existed;
/// known figures stay.
void fillFinalEvalLoss(Database& db, std::int64_t row);

std::string joinTags(const std::vector<std::string>& tags);
std::vector<std::string> splitTags(const std::string& column);
/// Sorted, without repeats, blanks trimmed and line breaks turned into blanks.
std::vector<std::string> cleanTags(std::vector<std::string> tags);

/// Write rows of a sweep or trial without touching files; also used by reindex.
void writeSweepRow(Database& db, const SweepRecord& sweep);
void writeTrialRow(Database& db, const TrialRecord& trial);

/// Read position of a stream, and the attempt of its last header.
struct StreamCursor {
    std::uint64_t offset = 0;
    std::int64_t attempt = 1;
    std::int64_t malformedLines = 0;
    bool insideLine = false;   ///< see MetricBatch::insideLine
    std::int64_t rewinds = 0;  ///< see StreamPosition::rewinds
};
StreamCursor cursorOf(Database& db, std::int64_t row, const std::string& file);
/// Applies a batch that begins at the cursor, inside the caller's transaction. Returns the newest valid step.
Result<std::int64_t> applyBatch(Database& db, std::int64_t row, const MetricBatch& batch, const std::string& file,
                                const StreamCursor& cursor);

}  // namespace store
}  // namespace slipway
