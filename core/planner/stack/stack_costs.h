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

/// Links by the stack's measured bandwidths and latencies.
void setStackLinks(const RunConfig& config, const ClusterSpec& cluster, TimeTable& table);

/// A layer takes its device's time or its host's, whichever is longer (a smooth maximum), and pipelines lose slotSeconds per
/// slot in place of the time of their messages. After setStackLinks(); applyStackShards() goes with it.
void applyStack(const RunConfig& config, const ClusterSpec& cluster, TimeTable& table);

/// What decides whether a layout waits, beside its memory.
struct StallFacts {
    std::int64_t nodes = 1, tpNodes = 0, dataRanks = 1;
    std::int64_t wrapperMicroBatches = 0;  ///< micro-batches under the data-parallel wrapper (ZeRO 0), else 0
    std::int64_t sequences = 1;            ///< of a micro-batch
    std::int64_t hiddenSize = 0;
    std::int64_t shortPipelineRanks = 0;  ///< tensor-parallel ranks of a pipeline of two stages, else 0
    bool pipeline = false, sharded = false;
};
StallFacts stallFacts(const RunConfig& config, const ClusterSpec& cluster);

/// Layouts on which most measured runs waited for the network and gathered inputs again. The kinds of circumstances were
/// found by looking at measured runs, the thresholds are the profile's and fitted (calibrate/stall_fit.h): large clusters,
/// pipelines whose tensor parallelism spans nodes, many micro-batches under the data-parallel wrapper, wide ZeRO groups,
/// pipelines of large models with more than a sequence per micro-batch, large micro-batches of a few replicas that each
/// span nodes.
bool isCongested(const StallFacts& facts, const StackProfile& stack);

/// Bytes of the fullest rank.
struct PeakBytes {
    double kept = 0;  ///< with gathered inputs kept
    double live = 0;  ///< without them: what the allocator cannot give back
};

/// Those, and layouts that hardly fit, with gathered inputs or without: they ran as those of a congested cluster do.
bool waits(const StallFacts& facts, const PeakBytes& peak, const StackProfile& stack);

/// The congested ones, and pipelines of two stages with wide tensor parallelism, which gathered again without waiting
/// unless they needed much memory anyhow.
bool gathersAgain(const StallFacts& facts, const PeakBytes& peak, const StackProfile& stack);

/// What a stalled step loses: a wait per pipeline message of the busiest rank; without a pipeline one per layer and
/// micro-batch, where the collectives reach rank after rank as in pipelines over nodes, and those of the data-parallel
/// wrapper's buckets.
double stalledSeconds(const RunConfig& config, const StackProfile& stack, const Pipeline& pipeline);

/// Forecast bytes up to which a calibrated stack ran: two limits, because a run whose kept inputs do not fit gathers again.
double capacityBytes(const ClusterSpec& cluster, bool gathersKept);

/// Of a layout; two tables and two walks over its ranks.
PeakBytes stackPeakBytes(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline);

/// True when gathered inputs are kept: nothing above holds, and they fit the profile's limit and the device. And when a
/// layout fails for them (usableKeptBytes): its forecast is then what it asks for.
bool keepsGathers(const RunConfig& config, const ClusterSpec& cluster, const PeakBytes& peak);
bool keepsGathers(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline);

/// Exposed seconds over those of one all-reduce of the gradients.
double reductionFactor(const ParallelLayout& layout, const StackProfile& stack);

/// What depends on the ZeRO stage: how much of the reduction is exposed, and the wait for the network.
void applyStackShards(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline,
                      const PeakBytes& peak, TimeTable& table);
void applyStackShards(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline, TimeTable& table);

}  // namespace slipway
