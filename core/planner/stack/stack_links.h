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

/// Ranks of a CPU node for each of its cores, at least 1: they take turns, in messages as in passes. 1 on accelerators.
double ranksPerCore(const RunConfig& config, const ClusterSpec& cluster);

/// The bundled trainer's share of a link between ranks on CPUs; ranks that share a core move messages in turns.
LinkSpec cpuLink(const SoftwareStack& stack, LinkSpec link, double nodes, double ranksPerCore);

/// How long an operation between ranks on CPUs waits for each further rank. The link is measured between ranks at their best; in a step
/// the threads that move a message wait for a core that computes, up to a slice of the scheduler, and the ranks for the slowest.
double cpuWakeSeconds(const SoftwareStack& stack, double ranksPerCore);

/// Chance that a run waits for its pipeline messages: each node makes it wait with the same chance q, 1 - (1 -
/// q)^nodes, averaged over the uncertainty of q. 0 without a pipeline across nodes.
double waitChance(const RunConfig& config, const ClusterSpec& cluster);

}  // namespace slipway
