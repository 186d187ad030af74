// Search methods on measured tables: the result of each after a number of trials, with the table in place of the computer.
//   const auto curves = replayMethods(measuredTable->runs, {.seeds = 5});
#pragma once

#include "core/planner/evidence/measured_run.h"
#include "core/sweep/search_rules.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace slipway {

struct ReplayRequest {
    std::int64_t seeds = 5;
    std::int64_t trials = 40;
    std::size_t leastLayouts = 20;  ///< cells with fewer measured layouts are skipped
    std::function<void(std::size_t count, const std::function<void(std::size_t)>& body)>
        run{};  ///< on the caller's threads
};

struct ReplayCurve {
    SearchMethod method = SearchMethod::Grid;
    /// After 1, 2, ... trials: best found over best of the cell - 1, at most 1 (also for nothing found), mean over cells and seeds.
    std::vector<double> regret;
    double trialsWithin3Percent = 0;  ///< mean; searches that never get there count as all trials
    double chosenTrials = 0;          ///< mean trials when the method ends by itself, or all
    double regretAtEnd = 0;           ///< mean, at that point
};

struct Replay {
    std::size_t cells = 0, layouts = 0, failed = 0;
    std::vector<ReplayCurve> curves;
};

/// All methods except list, for which a table has no order. Out of memory is a trial without a figure. asha sees a
/// rung's step time with noise of 20 % at the lowest and 6 % at the next rung; its trials are counted in full runs.
Replay replayMethods(const std::vector<MeasuredRun>& runs, const ReplayRequest& request);

}  // namespace slipway
