// The store's records of runs, and the queries for lists of them.
#pragma once

#include "core/base/ids.h"
#include "core/metrics/summarise.h"
#include "core/spec/run_dir.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace slipway {

/// Times are milliseconds since the Unix epoch; absent means not yet.
struct RunRecord {
    RunId id;
    std::string name;
    RunStatus status = RunStatus::Planned;
    std::int64_t attempts = 0;  ///< started so far
    std::int64_t createdUnixMilliseconds = 0;
    std::optional<std::int64_t> startedUnixMilliseconds;  ///< of the newest attempt
    std::optional<std::int64_t> endedUnixMilliseconds;
    std::filesystem::path folder;  ///< home/runs/<id>
    std::string configHash;
    std::vector<std::string> tags;  ///< sorted, unique
    std::string notes;
    bool archived = false;
    bool locked = false;                                  ///< cannot be moved to the trash
    std::optional<std::int64_t> deletedUnixMilliseconds;  ///< in the trash since then
    SweepId sweep;                                        ///< empty: none
    std::optional<std::int64_t> trial;                    ///< index in the sweep
    std::optional<int> exitCode;
    std::string reason;                                    ///< one sentence with the reason of its end
    std::string host;                                      ///< of a run on another computer; else empty
    std::optional<std::int64_t> lastSignUnixMilliseconds;  ///< its newest heartbeat there, by that computer's clock
    std::int64_t numSteps = 0;
    std::int64_t lastStep = 0;  ///< newest valid step
    RunFigures forecast;
    RunFigures measured;
    std::string configJson;    ///< config.json with all defaults (RunStore::run only; empty in lists)
    std::string forecastJson;  ///< the complete forecast document (RunStore::run only)
    std::string clusterJson;   ///< the hardware of plan.json (RunStore::run only)

    bool operator==(const RunRecord&) const = default;
};

/// One cell of a list: absent, whole number, number (may be NaN), or text.
using CellValue = std::variant<std::monostate, std::int64_t, double, std::string>;

/// A run in a list with the values of RunQuery::columns, in their order.
struct RunRow {
    RunRecord record;
    std::vector<CellValue> cells;
};

struct SortKey {
    std::string field;
    bool descending = false;
};

enum class RunScope { Active, Archived, Trash, All };

/// A selection of runs and their order. A filter that names `archived` or `deleted` widens the scope to All.
struct RunQuery {
    std::string filter;
    std::vector<SortKey> sort;  ///< first key first; empty: newest first. Unknown and non-finite values sort last
    std::int64_t offset = 0;
    std::int64_t limit = 200;
    RunScope scope = RunScope::Active;
    std::vector<std::string> columns;      ///< fields to return as cells
    std::string figure;                    ///< field of numbers to summarise; empty: none
    std::string groupBy;                   ///< field whose values make groups; empty: none
    std::int64_t nowUnixMilliseconds = 0;  ///< for ages such as created>2d
};

struct RunCounts {
    std::int64_t total = 0;
    std::int64_t planned = 0, queued = 0, running = 0, completed = 0, failed = 0, cancelled = 0, lost = 0;
};

/// One header of a run's stream.
struct AttemptRecord {
    std::int64_t attempt = 1;
    std::int64_t resumeStep = 0;
    std::int64_t worldSize = 0;
    std::int64_t startedUnixMilliseconds = 0;
    std::string endStatus;  ///< empty: no end line
    std::optional<int> exitCode;
    std::optional<std::int64_t> endStep;
    std::optional<std::int64_t> endedUnixMilliseconds;
};

struct EventRecord {
    std::int64_t attempt = 1;
    std::int64_t step = 0;
    std::string name;
    std::string detail;
    std::int64_t timeUnixMilliseconds = 0;
};

}  // namespace slipway
