// `slipway bench search-methods`: the methods of a sweep's search, replayed on a table of measured runs.
#pragma once

#include "app/cli/command.h"
#include "core/sweep/replay.h"

#include <string>

namespace slipway {

/// Prints regret by method and number of trials.
/// @param data file of measured runs (CSV)
/// @return the exit code; `too_few_points` where no cell of model and cluster has enough layouts
Result<int> benchSearchMethods(CliContext& context, const std::string& data, ReplayRequest request);

}  // namespace slipway
