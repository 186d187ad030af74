// Keeping the index a picture of the folders: rebuilding it, and adopting what others put beside it.
//   auto store = RunStore::open(home, OpenMode::ReadWrite);
//   adoptFolders(*store, now);      // at the start, then every second or two: costs what is new
// One program rebuilds at a time; the others get "index_rebuilding" and may try again. A rebuild that was killed is
// finished by whoever opens the index next. The folders are never changed, but for run folders that were being made an
// hour ago under a name of their own and were given up.
#pragma once

#include "core/store/run_store.h"

#include <functional>

namespace slipway {

struct ReindexReport {
    std::int64_t runs = 0;
    std::int64_t sweeps = 0;
    std::int64_t trials = 0;
    std::int64_t points = 0;
    std::int64_t removed = 0;           ///< rows whose folder is gone
    Issues issues;                      ///< folders that could not be read, malformed lines; `field` is the path
    std::filesystem::path damagedCopy;  ///< where rebuildIndex put an unreadable index; empty: none
};

/// Called with (folders done, folders in all); returns false to stop ("cancelled"; whoever opens the index next finishes).
using ReindexProgress = std::function<bool(std::int64_t, std::int64_t)>;

/// Brings every row of the index to what the folders hold now; one program at a time ("index_rebuilding"). A damaged file
/// is moved aside (never deleted) and a new one built; programs that have it open go over to the new one by themselves.
/// @param nowUnixMilliseconds distinguishes a stream being written from an abandoned one; 0: all were left
Result<ReindexReport> rebuildIndex(const Home& home, std::int64_t nowUnixMilliseconds,
                                   const ReindexProgress& progress = {});

struct AdoptReport {
    std::int64_t runs = 0;         ///< new to the index
    std::int64_t sweeps = 0;       ///< new to the index
    std::int64_t changed = 0;      ///< runs whose meta.json another computer or a hand wrote, or whose stream continued
    bool finishedRebuild = false;  ///< an interrupted rebuild, or a new index, was completed
};

/// Brings in folders that the index does not know, and what changed of runs that are not over; completes an interrupted
/// rebuild. "index_rebuilding", "store_busy" (see RunStore::setPatience; nothing is lost, the next call continues).
Result<AdoptReport> adoptFolders(RunStore& store, std::int64_t nowUnixMilliseconds,
                                 const ReindexProgress& progress = {});

/// Makes the row of one run from its folder where there is none. "run_missing" when there is no such folder either.
Result<void> adoptRun(RunStore& store, const RunId& id, std::int64_t nowUnixMilliseconds);

}  // namespace slipway
