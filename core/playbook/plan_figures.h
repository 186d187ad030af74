// Figures of the open plan that are no field of its config: sliders of a chapter begin at them.
//   planFigure("parameters", config, cluster)   // 8.03e9
#pragma once

#include "core/spec/cluster_spec.h"
#include "core/spec/run_config.h"

#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// "parameters", "tokens" (of the whole training), "flops" (6 N D), "batch_tokens", "micro_batches", "layers_per_stage", "devices",
/// "nodes", "peak_flops" (of a device in the run's precision), "memory_bytes_per_second", "device_bytes", "link_bytes_per_second" (between
/// nodes; of one node, inside it).
std::vector<std::string> planFigureNames();
/// Empty for other names, and where the cluster does not state it.
std::optional<double> planFigure(const std::string& name, const RunConfig& config, const ClusterSpec& cluster);

}  // namespace slipway
