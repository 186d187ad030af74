// Software stacks that come with Slipway, fitted to published runs (resources/stacks; packaging/resources/fit_stacks.sh fits them again).
//   auto done = useShippedStack("megatron-core", config, cluster);   // then makePlan(config, cluster)
#pragma once

#include "core/planner/stack/calibration.h"

#include <string>
#include <vector>

namespace slipway {

const Calibration& shippedCalibration();

/// "typical", the software that Slipway knows by name, and "textbook", which is none: the limit that the hardware sets.
std::vector<std::string> shippedStackNames();

/// One shipped stack for all runs, whatever software they are of and without what is known of their sources: as a plan is forecast
/// with it. "usage" for an unknown name.
Result<Calibration> calibrationOf(const std::string& name);

/// No stack has this name: the nearest one, and all of them.
Message unknownStackText(const std::string& name);

/// Puts a shipped stack into the cluster, as fast as it is on the cluster's device in the config's number format. "usage" for an
/// unknown name, and on CPUs, where the bundled trainer runs.
Result<void> useShippedStack(const std::string& name, const RunConfig& config, ClusterSpec& cluster);

}  // namespace slipway
