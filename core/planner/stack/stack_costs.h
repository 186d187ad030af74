// What a software stack changes in the planner's tables: bytes it keeps, time its host takes to launch a layer, links, waits.
#pragma once

#include "core/planner/time/step.h"

namespace slipway {

/// Bytes by the stack's facts and its six constants of memory.
/// @param keepGathers gathered inputs are kept; false: they are gathered again in the backward pass
void applyStack(const RunConfig& config, const SoftwareStack& stack, bool keepGathers, MemoryTable& table);

/// Efficiencies of products, attention and elementwise work. The host's time is not per operation but per layer, below.
void applyStack(const SoftwareStack& stack, TimeConstants& constants);

/// The share of a group's line rate that the stack reaches, and its start over nodes.
/// @param nodes that the group spans, of which there are `ranks`
LinkSpec stackLink(const SoftwareStack& stack, LinkSpec link, double nodes, double ranks);

/// A layer takes its device's time or its host's, whichever is longer (a smooth maximum); a slot of a pipeline takes a
/// message, announced and waited for; and a run may wait (waitSeconds).
void applyStack(const RunConfig& config, const ClusterSpec& cluster, TimeTable& table);

/// Chance that a run waits for its pipeline messages: each node makes it wait with the same chance q, 1 - (1 - q)^nodes, in the
/// mean over what q may be (its uncertainty). None without a pipeline over nodes.
double waitChance(const RunConfig& config, const ClusterSpec& cluster);

/// What a run that waits loses in a step: a wait per message of the busiest rank, to and from each neighbour for each
/// micro-batch, and the passes that fill the pipeline.
double waitSeconds(const SoftwareStack& stack, const PipelineShape& shape);

/// Bytes of the fullest rank.
struct PeakBytes {
    double kept = 0;  ///< with gathered inputs kept
    double live = 0;  ///< without them
};
/// Of a layout; two tables and two walks over its ranks where the stack keeps gathered inputs.
PeakBytes stackPeakBytes(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline);

/// True when gathered inputs are kept: by a stack that does, in a run that more likely does not wait, where they fit.
/// A host that waits frees its inputs before it fetches more.
bool keepsGathers(const RunConfig& config, const ClusterSpec& cluster, const PeakBytes& peak);
bool keepsGathers(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline);

/// Forecast bytes up to which a run of the stack does not fail.
double capacityBytes(const ClusterSpec& cluster);

}  // namespace slipway
