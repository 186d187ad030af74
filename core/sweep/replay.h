// Search methods on measured tables: what each would have found after how many trials, had the table been the computer.
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
    std::size_t leastLayouts = 20;  ///< cells with fewer measured layouts are left out
    std::function<void(std::size_t count, const std::function<void(std::size_t)>& body)>
        run{};  ///< on whoever's threads
};

struct ReplayCurve {
    SearchMethod method = SearchMethod::Grid;
    /// After 1, 2, ... trials: best found over best of the cell - 1, at most 1 (which nothing found counts as), mean of cells and seeds.
    std::vector<double> regret;
    double trialsWithin3Percent = 0;  ///< mean; those that never come there count as all trials
    double chosenTrials = 0;          ///< mean trials when the method ends by itself, or all
    double regretAtEnd = 0;           ///< mean, there
};

struct Replay {
    std::size_t cells = 0, layouts = 0, failed = 0;
    std::vector<ReplayCurve> curves;
};

/// All methods but list, which a table has no order for. Out of memory is a trial without a figure. asha sees a rung's step time with
/// noise of 20 % at the lowest and 6 % at the next rung; its trials are counted in whole runs.
Replay replayMethods(const std::vector<MeasuredRun>& runs, const ReplayRequest& request);

}  // namespace slipway
