// Software stacks that come with Slipway, fitted to published runs (resources/stacks; packaging/resources/fit_stacks.sh fits them again).
//   auto done = useShippedStack("megatron-core", config, cluster);   // then makePlan(config, cluster)
#pragma once

#include "core/planner/stack/calibration.h"
#include "core/spec/cluster_spec.h"
#include "core/spec/run_config.h"

#include <string>
#include <vector>

namespace slipway {

const Calibration& shippedCalibration();

/// "typical", the known software, and "textbook", which is not software: the hardware's limit.
std::vector<std::string> shippedStackNames();

/// One shipped stack for all runs, for any software and without knowledge of their sources: as in the forecast of a
/// plan. "usage" for an unknown name.
Result<Calibration> calibrationOf(const std::string& name);

/// Message for an unknown name: the nearest one, and all of them.
Message unknownStackText(const std::string& name);

/// The bundled trainer's stack for this CPU, before any run on it: the shipped constants, and the spread between processors where this one
/// is not among those it was fitted on.
SoftwareStack bundledTrainerStack(const DeviceSpec& cpu);

/// Puts a shipped stack into the cluster, at its speed on the cluster's device in the config's number format. "usage"
/// for an unknown name, and for other software than the bundled trainer on CPUs or the trainer on other devices.
Result<void> useShippedStack(const std::string& name, const RunConfig& config, ClusterSpec& cluster);

}  // namespace slipway
