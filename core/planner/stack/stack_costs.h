// What a calibrated software stack changes in the planner's tables: how many bytes it keeps, how long its host takes to
// launch a layer, what its collectives cost, and where its network stalled.
#pragma once

#include "core/planner/time/step.h"

namespace slipway {

/// Bytes of a stack that runs operation by operation: per token and layer hiddenBytes h / t + ffnBytes f / t, and under
/// sequence parallelism the gathered inputs of its two column-parallel products (2 bytes h each, keptGathers of them).
/// @param keepGathers false: they are gathered again in the backward pass and cost no memory
void applyStack(const RunConfig& config, const StackProfile& stack, bool keepGathers, MemoryTable& table);

/// Efficiencies of products, attention and elementwise work. The host is not per operation here but per layer, below.
void applyStack(const StackProfile& stack, TimeConstants& constants);

/// Links by the stack's measured bandwidths and latencies; a layer takes its device's time or its host's, whichever is
/// longer (a smooth maximum), and pipelines lose slotSeconds per slot.
void applyStack(const RunConfig& config, const ClusterSpec& cluster, TimeTable& table);

/// Layouts on which most measured runs waited for the network and gathered inputs again (rules chosen by eye, not
/// fitted): very large clusters, pipelines whose tensor parallelism spans four nodes, many micro-batches under the
/// data-parallel wrapper (ZeRO 0) in pipelines or on half of such a cluster, and wide ZeRO groups of pipelines there.
bool isCongested(const RunConfig& config, const ClusterSpec& cluster);

/// Pipelines of two stages with wide tensor parallelism ran with inputs gathered again, but without the wait.
bool gathersAgain(const RunConfig& config, const ClusterSpec& cluster);

/// Wait per slot of a congested run; with one neighbour or none a rank waits for fewer messages, with tensor parallelism
/// over nodes for more.
double stallSeconds(const RunConfig& config, const ClusterSpec& cluster);

/// Up to this many bytes gathered inputs are kept: all there is with one sequence at a time; with more, the middle
/// between that and what the stack can use.
double gatherLimitBytes(const RunConfig& config, const ClusterSpec& cluster);

/// True when the layout stays below gatherLimitBytes with its gathered inputs kept.
bool fitsWithGathers(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline);

}  // namespace slipway
