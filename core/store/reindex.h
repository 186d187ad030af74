// Rebuilding the index from the run folders.
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

/// Called with (folders done, folders in all); returns false to stop ("cancelled"; what was indexed stays).
using ReindexProgress = std::function<bool(std::int64_t, std::int64_t)>;

/// Brings every row of the store to what the folders under its home say. Nothing in the folders is changed.
Result<ReindexReport> reindex(RunStore& store, const Home& home, const ReindexProgress& progress = {});

/// As above for an index that may not even open: a damaged file is moved aside (never deleted) and a new one built.
Result<ReindexReport> rebuildIndex(const Home& home, std::int64_t nowUnixMilliseconds,
                                   const ReindexProgress& progress = {});

}  // namespace slipway
