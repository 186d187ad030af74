// RunStore: the SQLite index of a home folder. The run folders are the source of truth: every change by people or
// sweeps (name, tags, notes, archive, trash, status, membership) is written to meta.json, sweep.json or trials.jsonl
// before it is stored, so rebuildIndex() (reindex.h) can rebuild the index without loss.
//   auto store = RunStore::open(home, OpenMode::ReadWrite);
//   store->createRun({.id = id, .config = config, .name = "tp2", .cluster = cluster, .forecastJson = text}, now);
//   RunQuery query{.filter = "tp:2 mfu>40", .sort = {{"mfu", true}}};   auto rows = store->list(query);
// Each thread opens its own. Errors of all calls: "store_busy", "store_corrupt", "disk_full", "store_failed", and for
// ids "run_missing", "sweep_missing", "bad_id".
#pragma once

#include "core/metrics/metric_reader.h"
#include "core/store/run_change.h"
#include "core/store/run_listing.h"
#include "core/store/run_record.h"
#include "core/store/sweep_record.h"

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace slipway {

class AppendFile;

enum class OpenMode { ReadWrite, ReadOnly };

struct AppendOutcome {
    bool applied = false;       ///< false: another reader was first (or bytes are missing); continue from `offset`
    std::uint64_t offset = 0;   ///< stored now
    std::int64_t lastStep = 0;  ///< newest valid step now
};

/// Stored position in a stream of a run.
struct StreamPosition {
    std::uint64_t offset = 0;
    bool insideLine = false;    ///< see MetricBatch::insideLine
    std::int64_t lastStep = 0;  ///< newest valid step of the run
    std::int64_t rewinds = 0;   ///< while unchanged, earlier points stay valid and new ones follow them

    bool operator==(const StreamPosition&) const = default;
};

/// Bytes of the pages that hold metric points, and the coarser levels of their curves.
struct PointSizes {
    std::int64_t points = 0;
    std::int64_t levels = 0;
};

class RunStore {
public:
    static constexpr const char* kMetrics = "metrics.jsonl";
    static constexpr int kPatienceMilliseconds = 10000;  ///< of a newly opened store, see setPatience

    /// Opens (ReadWrite: creates, migrates) home.index(). "schema_newer" names both versions and leaves the file unchanged;
    /// "store_corrupt" for a damaged or foreign file, which is never changed or removed; "store_missing" (ReadOnly).
    static Result<RunStore> open(const Home& home, OpenMode mode);
    RunStore(RunStore&&) noexcept;
    RunStore& operator=(RunStore&&) noexcept;
    ~RunStore();

    [[nodiscard]] const Home& home() const;
    /// SQLite's own check of the complete file, and of its tables against the schema; "store_corrupt" with the findings.
    Result<void> check();
    /// Maximum wait of calls while another program writes ("store_busy"); 10 s after opening. Reading never waits.
    void setPatience(int milliseconds);
    /// Changes whenever list() may return a different answer, by any program; new points alone do not count.
    Result<std::int64_t> listVersion();
    /// False during a rebuild, or after an interrupted one: rows are missing or old.
    Result<bool> isComplete();

    // --- runs ---------------------------------------------------------------------------------------------------
    /// Creates the run's folder with config.json, plan.json {"cluster": {...}, "forecast": {...}}, meta.json and, where
    /// given, its documents and metrics.jsonl, all at once (it is prepared under another name), and inserts the run: a
    /// program killed in between leaves either nothing or a complete run. An existing folder keeps its files and gets
    /// meta.json. "run_exists".
    Result<void> createRun(const NewRun& run, std::int64_t nowUnixMilliseconds);
    /// Writes the stream of a run that createRun creates next (NewRun::isStreamStaged) and adoptRun (reindex.h) then
    /// reads, both without locking the index for long. When `write` fails nothing remains.
    Result<void> stageStream(const RunId& id, const std::function<Result<void>(AppendFile&)>& write);
    Result<void> updateRun(const RunId& id, const RunChange& change);
    /// Rereads config.json into the row, for a run whose program has written it since.
    Result<void> rereadConfig(const RunId& id);
    /// Records the observed state of a run on another computer: changes only the row, never meta.json.
    Result<void> observeRun(const RunId& id, RunStatus status, const std::string& host,
                            std::optional<std::int64_t> lastSignUnixMilliseconds);
    /// Runs `work`, whose changes of many runs are then stored at once: their files reach the disk together, then their
    /// rows, so that the index is never ahead of the folders. If the work fails, the files stay and the rows do not.
    Result<void> together(const std::function<Result<void>()>& work);
    Result<RunRecord> run(const RunId& id);
    /// The run whose id is `text`, or begins with it, or the newest with this name; "run_missing", "run_ambiguous".
    Result<RunRecord> findRun(const std::string& text);
    /// The matching runs, in order, with counts, figure and groups; offset, limit and columns are ignored. A long-lived
    /// store caches its reads, so that the next answer takes milliseconds (README.md). "cancelled" when stopped.
    Result<RunListing> listing(const RunQuery& query, const std::stop_token& stop = {});
    /// The matching runs by their value of RunQuery::groupBy, the largest group first, with these figures of each. Errors as listing().
    Result<std::vector<RunGroup>> groups(const RunQuery& query, const std::vector<std::string>& figures = {},
                                         const std::stop_token& stop = {});
    /// Preloads fields for a listing; "cancelled", "unknown_field".
    Result<void> prepare(const std::vector<std::string>& fields, const std::stop_token& stop);
    /// A row for each of a listing's keys; for a run deleted meanwhile it has neither id nor cells.
    Result<std::vector<RunRow>> rows(std::span<const std::int64_t> keys, const std::vector<std::string>& columns);
    Result<std::vector<RunRow>> list(const RunQuery& query);
    Result<std::vector<RunId>> ids(const RunQuery& query);  ///< all matches, in order; offset and limit are ignored
    Result<RunCounts> count(const RunQuery& query);

    Result<void> rename(const RunId& id, const std::string& name);
    Result<void> setNotes(const RunId& id, const std::string& notes);
    Result<void> changeTags(const std::vector<RunId>& ids, const std::vector<std::string>& add,
                            const std::vector<std::string>& remove);
    Result<void> setArchived(const std::vector<RunId>& ids, bool archived);
    Result<void> setLocked(const std::vector<RunId>& ids, bool locked);
    /// Moves to the trash. If any is running or locked, none is moved ("run_running", "run_locked").
    Result<void> trash(const std::vector<RunId>& ids, std::int64_t nowUnixMilliseconds);
    Result<void> restore(const std::vector<RunId>& ids);
    /// Deletes run folders that have been in the trash since before the given time, and their rows; returns their ids.
    Result<std::vector<RunId>> emptyTrash(std::int64_t olderThanUnixMilliseconds);

    // --- metrics ------------------------------------------------------------------------------------------------
    /// Stores a batch and its end offset in one transaction, if the stored offset is still batch.fromOffset.
    Result<AppendOutcome> append(const RunId& id, const MetricBatch& batch, const std::string& file = kMetrics);
    Result<std::uint64_t> offset(const RunId& id, const std::string& file = kMetrics);
    Result<StreamPosition> position(const RunId& id, const std::string& file = kMetrics);
    /// Number of malformed lines in all streams of the run.
    Result<std::int64_t> malformedLines(const RunId& id);
    Result<std::vector<std::string>> metricNames(const RunId& id);
    /// All valid points: steps superseded by a later attempt are omitted. The trainer's "tokens" and "time_unix_ms" are
    /// also series. Empty when the run has no such metric.
    Result<MetricSeries> series(const RunId& id, const std::string& metric);
    Result<MetricSeries> attemptSeries(const RunId& id, const std::string& metric,
                                       std::int64_t attempt);  ///< superseded steps included
    Result<std::vector<MetricSeries>> allSeries(const RunId& id);
    /// summarisePieces() of the valid points, in memory independent of their number; empty without recorded points.
    Result<std::optional<RunFigures>> measure(const RunId& id, const DeriveBasis& basis);
    /// The curve between two steps in at most maxPoints buckets, read from a level of the store (README.md) where that
    /// is fine enough. Buckets of a level are merged, never split, so their borders differ from thin().
    Result<ThinSeries> window(const RunId& id, const std::string& metric, std::int64_t stepFrom, std::int64_t stepTo,
                              std::size_t maxPoints);
    /// Writes the levels of curves stored before levels existed, `maxChunks` blocks in one transaction; false when none
    /// remain. Until then window() reads points.
    Result<bool> fillLevels(std::size_t maxChunks);
    /// Reads every page of the index: for measurements.
    Result<PointSizes> pointSizes();
    Result<std::vector<EventRecord>> events(const RunId& id);
    Result<std::vector<AttemptRecord>> attempts(const RunId& id);

    // --- sweeps -------------------------------------------------------------------------------------------------
    Result<void> upsertSweep(const SweepRecord& sweep);
    Result<void> upsertTrial(const TrialRecord& trial);
    Result<SweepRecord> sweep(const SweepId& id);
    Result<std::vector<SweepRecord>> sweeps();                                       ///< newest first
    Result<std::vector<SweepRecord>> sweepsByIdentity(const std::string& identity);  ///< newest first
    Result<std::vector<TrialRecord>> trials(const SweepId& id);                      ///< by index

private:
    friend class FolderReader;
    friend class IndexKeeper;
    struct Impl;
    explicit RunStore(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace slipway
