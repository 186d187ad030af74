// Tuning: the potentially fastest layouts on a computer as a sweep under the planner's search, and the verdict of its trials.
//   const TunePlan plan = planTune(request);   run plan.file with SweepRunner ...   answerOf(plan, *runner, *result)
#pragma once

#include "core/planner/search/layout_search.h"
#include "core/sweep/search.h"
#include "core/sweep/sweep_result.h"

#include <optional>
#include <string>
#include <vector>

namespace slipway {

struct TuneRequest {
    RunConfig config;
    ClusterSpec cluster;
    double budgetSeconds = 1200;
    std::int64_t steps = 12;   ///< of a trial
    std::size_t layouts = 64;  ///< number of candidates, fastest by forecast
    SearchLimits limits{};
    ParallelFor run{};
};

struct TunePlan {
    SweepFile file;      ///< the layouts as points, the config's own first
    LayoutSearch found;  ///< with the ruled-out layouts and reasons
};

/// "no_layout" where no layout runs here; "bad_config".
Result<TunePlan> planTune(const TuneRequest& request);

struct TuneTrial {
    std::size_t trial = 0;
    double forecastSeconds = kUnknown;  ///< before any trial
    double fittedSeconds = kUnknown;    ///< after the trials, including its own
    double measuredSeconds = kUnknown;
    double chance = kUnknown;  ///< of being faster than the best by the search's gain; for untried ones
};

struct TuneAnswer {
    std::optional<std::size_t> best;  ///< empty: no measurement
    double chance = kUnknown;         ///< that any untried layout is faster by the gain
    double fittedEfficiency = kUnknown;
    std::vector<TuneTrial> trials;  ///< all, by measurement and then by belief
};

/// @param decision of the runner; its beliefs are the fitted forecasts
TuneAnswer answerOf(const SweepResult& result, const SearchDecision& decision);

/// The efficiency of the computer's software against the forecast: the median of forecast over measured; NaN without a trial.
double fitEfficiency(const std::vector<TuneTrial>& trials);

/// The config in the layout of this trial, with its own name, steps and checkpoints.
RunConfig withLayoutOf(const RunConfig& config, const RunConfig& trial);

}  // namespace slipway
