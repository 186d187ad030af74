// Fills a store with runs that look real: configs over layouts, forecasts, curves. For tests of lists and pages.
//   auto ids = seedRuns(store, 40);
#pragma once

#include "core/store/run_store.h"

#include <optional>
#include <vector>

namespace slipway::test {

struct SeedOptions {
    int numRuns = 10;
    int numSteps = 40;                        ///< points per curve; 0: no metrics
    bool withFailures = true;                 ///< every fifth run failed at its third step with a NaN loss
    std::optional<ClusterSpec> cluster = {};  ///< that the runs were planned for
    std::int64_t nowUnixMilliseconds = 1763730900000;
};

/// Creates completed (and failed) runs; the newest has the highest number. Deterministic.
std::vector<RunId> seedRuns(RunStore& store, const SeedOptions& options);

}  // namespace slipway::test
