// What a software stack makes of the links, and its chance to wait for messages.
#pragma once

#include "core/spec/cluster_spec.h"
#include "core/spec/run_config.h"

namespace slipway {

/// Nodes that the run's ranks fill.
double nodesOf(const RunConfig& config, const ClusterSpec& cluster);

/// The share of a group's line rate that the stack reaches, and its start over nodes.
/// @param nodes that the group spans, of which there are `ranks`
LinkSpec stackLink(const SoftwareStack& stack, LinkSpec link, double nodes, double ranks);

/// Chance that a run waits for its pipeline messages: each node makes it wait with the same chance q, 1 - (1 - q)^nodes, in the
/// mean over what q may be (its uncertainty). None without a pipeline over nodes.
double waitChance(const RunConfig& config, const ClusterSpec& cluster);

}  // namespace slipway
