// Trials of sweeps that never became a run: skipped by the planner, or impossible. Lists of runs count them beside what ran.
//   SkippedTrials skipped;   auto count = skipped.of(store, query, stop);
#pragma once

#include "core/store/run_store.h"

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

namespace slipway {

/// Those of one sweep.
Result<std::int64_t> skippedIn(RunStore& store, const SweepId& sweep);

/// Remembers the sweeps until the list of the store changes, and those that ended beyond it: a further question costs one
/// listing, and none where nothing was skipped.
class SkippedTrials {
public:
    /// Those of the sweeps that the runs of the query belong to. Errors of RunStore::listing.
    Result<std::int64_t> of(RunStore& store, RunQuery query, const std::stop_token& stop = {});

private:
    struct Sweep {
        std::optional<std::int64_t> endedUnixMilliseconds;
        std::int64_t skipped = 0;
    };
    std::int64_t m_version = -1;  // of the list
    std::map<std::string, Sweep> m_sweeps;
    bool m_any = false;
};

}  // namespace slipway
