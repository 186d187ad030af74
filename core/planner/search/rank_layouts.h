// The fastest layouts of a config, as values for what proposes some: advice, sweeps, the window.
//   for (const LayoutChoice& choice : rankLayouts(config, cluster, 5)) ...
#pragma once

#include "core/planner/values/forecast.h"

#include <cstddef>
#include <vector>

namespace slipway {

/// The fastest legal layouts that fit, best first, over all devices of the cluster (of a CPU, and where no layout uses all of them: over
/// as many ranks as the config has); layouts the config's model, batch or the trainer cannot have are left out. Deterministic.
std::vector<LayoutChoice> rankLayouts(const RunConfig& config, const ClusterSpec& cluster, std::size_t limit);

}  // namespace slipway
