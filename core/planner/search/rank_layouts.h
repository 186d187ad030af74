// The fastest layouts of a config, as values for code that suggests layouts: advice, sweeps, the window.
//   for (const LayoutChoice& choice : rankLayouts(config, cluster, 5)) ...
#pragma once

#include "core/planner/values/forecast.h"

#include <cstddef>
#include <vector>

namespace slipway {

/// The fastest legal layouts that fit, best first, over all devices of the cluster (on a CPU, and where no layout uses all of them: over
/// the config's number of ranks); layouts impossible for the config's model, batch or the trainer are omitted. Deterministic.
std::vector<LayoutChoice> rankLayouts(const RunConfig& config, const ClusterSpec& cluster, std::size_t limit);

}  // namespace slipway
