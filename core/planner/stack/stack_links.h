// A software stack's use of the links, and its chance to wait for messages.
#pragma once

#include "core/spec/cluster_spec.h"
#include "core/spec/run_config.h"

namespace slipway {

/// Number of nodes filled by the run's ranks.
double nodesOf(const RunConfig& config, const ClusterSpec& cluster);

/// The stack's share of a group's line rate, and its start-up time across nodes.
/// @param nodes nodes spanned by the group of `ranks`
LinkSpec stackLink(const SoftwareStack& stack, LinkSpec link, double nodes, double ranks);

/// Chance that a run waits for its pipeline messages: each node makes it wait with the same chance q, 1 - (1 -
/// q)^nodes, averaged over the uncertainty of q. 0 without a pipeline across nodes.
double waitChance(const RunConfig& config, const ClusterSpec& cluster);

}  // namespace slipway
