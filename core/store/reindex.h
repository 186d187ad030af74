// Keeps the index in line with the folders: rebuilds it, and adopts folders added by others.
//   auto store = RunStore::open(home, OpenMode::ReadWrite);
//   adoptFolders(*store, now);      // at the start, then every second or two: costs what is new
// One program rebuilds at a time; the others get "index_rebuilding" and may try again. A killed rebuild is finished by
// the next program that opens the index. The folders are never changed, except run folders abandoned an hour ago while
// being made under a temporary name.
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
    std::filesystem::path damagedCopy;  ///< copy of an unreadable index made by rebuildIndex; empty: none
};

/// Called with (completed folders, total folders); returns false to stop ("cancelled"; the next program to open the index finishes).
using ReindexProgress = std::function<bool(std::int64_t, std::int64_t)>;

/// Updates every row of the index from the folders; one program at a time ("index_rebuilding"). A damaged file is moved
/// aside (never deleted) and a new one built; programs that have it open switch to the new one by themselves.
/// @param nowUnixMilliseconds distinguishes a stream being written from an abandoned one; 0: all are abandoned
Result<ReindexReport> rebuildIndex(const Home& home, std::int64_t nowUnixMilliseconds,
                                   const ReindexProgress& progress = {});

struct AdoptReport {
    std::int64_t runs = 0;         ///< new to the index
    std::int64_t sweeps = 0;       ///< new to the index
    std::int64_t changed = 0;      ///< runs with a meta.json from another computer or by hand, or a continued stream
    bool finishedRebuild = false;  ///< an interrupted rebuild, or a new index, was completed
};

/// Adopts folders unknown to the index, and changes of unfinished runs; completes an interrupted rebuild.
/// "index_rebuilding", "store_busy" (see RunStore::setPatience; nothing is lost, the next call continues).
Result<AdoptReport> adoptFolders(RunStore& store, std::int64_t nowUnixMilliseconds,
                                 const ReindexProgress& progress = {});

/// Creates the missing row of one run from its folder. "run_missing" when there is no such folder either.
Result<void> adoptRun(RunStore& store, const RunId& id, std::int64_t nowUnixMilliseconds);

}  // namespace slipway
