// Memory of every pipeline rank at its peak.
#pragma once

#include "core/planner/memory/activations.h"
#include "core/planner/memory/policy.h"
#include "core/planner/memory/saved_activations.h"
#include "core/planner/schedule/schedule_sample.h"
#include "core/planner/values/forecast.h"

#include <optional>
#include <vector>

namespace slipway {

/// Bytes of one rank of each pipeline stage (ranks that differ only in tp, cp, dp have the same).
/// @param sample of the config; its passes determine the number of micro-batches saved at once
std::vector<StageMemory> stageMemory(const RunConfig& config, const ClusterSpec& cluster, const ScheduleSample& sample);
struct Pipeline;
std::vector<StageMemory> stageMemory(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline);

/// Model layers of each stage: first index and number, in model order.
struct StageRange {
    std::int64_t first = 0, count = 0;
};
std::vector<StageRange> stageRanges(const RunConfig& config);
/// Dense layers of a stage; mixture-of-experts models may begin with a few.
std::int64_t denseLayers(const ModelSpec& model, const StageRange& range);

/// The stages of a config and their schedule.
struct Pipeline {
    PipelineShape shape;
    std::vector<StageRange> ranges;
    const ScheduleSample* sample = nullptr;  ///< needed for kinds without a recursion
};
/// Of a config whose schedule has a recursion (hasRecursion); nothing is simulated.
Pipeline makePipeline(const RunConfig& config);
/// @param sample of the config; saved by address
Pipeline makePipeline(const RunConfig& config, const ScheduleSample& sample);

/// Components of memory, for one rank and micro-batch: everything independent of the partition of layers into stages,
/// of schedule, ZeRO stage and offload. Made once, used for all of those.
struct MemoryTable {
    StatePolicy policy;
    double denseParameters = 0, moeParameters = 0;  ///< of one layer on one rank
    double denseMatrices = 0, moeMatrices = 0;      ///< of these, in matrices
    double moeExperts = 0;                          ///< of these, in routed experts
    double tableParameters = 0, positionParameters = 0, finalNormParameters = 0;
    double denseActivationBytes = 0, moeActivationBytes = 0, headActivationBytes = 0;
    double denseWorkBytes = 0, moeWorkBytes = 0, headWorkBytes = 0;
    /// While the weight gradients of head and embedding are added, beyond saved activations; 0 if in a stack's other figures.
    double headGradientWorkBytes = 0, embeddingGradientWorkBytes = 0;
    double denseWeightPassBytes = 0, moeWeightPassBytes = 0;
    double denseWaitingBytes = 0,
           moeWaitingBytes = 0;  ///< between a split backward pass's halves, beyond the activations
    double messageBytes = 0, inputBytes = 0, rotaryBytes = 0;
    double flightBytes = 0;  ///< of each micro-batch in flight in a pipeline, beyond its layers
    // Of a software stack.
    double wholeBytesPerParameter = 0;   ///< of a rank's parameters, not sharded
    double stepBytesPerParameter = 0;    ///< of the rank's shard while the optimizer runs
    double rootBytes = 0;                ///< of embedding and of head, each on its stage
    double allocatorFactor = 1;          ///< reserved over requested, for all but model state
    std::optional<double> reserveBytes;  ///< beyond tensors
};
/// Memory of the bundled trainer, or of software with the same tensors that runs operation by operation.
MemoryTable makeMemoryTable(const RunConfig& config, RowLoops loops = RowLoops::Trainer);
/// Memory of the cluster's calibrated stack, or without one of the bundled trainer.
/// @param keepGathers false: inputs are gathered again in the backward pass (stack_memory.h)
MemoryTable makeMemoryTable(const RunConfig& config, const ClusterSpec& cluster, bool keepGathers);

/// One pipeline rank's part of the model, with all its chunks.
struct RankShare {
    std::int64_t firstLayer = 0, numLayers = 0;
    double parameters = 0;  ///< elements on one rank
    double matrices = 0;    ///< of these, in matrices between hidden layers
    double experts = 0;     ///< of these, in routed experts, whose copies are on the ranks of edp only
    bool first = false;     ///< holds the embedding
    bool last = false;      ///< holds the head
    bool operator==(const RankShare&) const = default;
};
RankShare rankShare(const RunConfig& config, const Pipeline& pipeline, const MemoryTable& table, std::int64_t rank);
/// The same from the config alone.
RankShare rankShare(const RunConfig& config, std::int64_t rank);

/// Contents of one pipeline rank, before ZeRO and offload.
struct RankContents {
    RankShare share;
    SavedBytes saved;
    double layerWorkBytes = 0, headWorkBytes = 0;
    double logitsOnceBytes = 0;   ///< of one micro-batch: remainder of `saved` where layers are offloaded
    double firstChunkBytes = 0;   ///< of one micro-batch, saved by the chunk that begins with the embedding
    bool isBound = false;         ///< `saved` is a lower bound, as below
    std::int64_t mostLayers = 0;  ///< of one chunk
    /// Of the largest layer.
    double layerParameters = 0, layerExperts = 0, layerActivationBytes = 0, weightPassBytes = 0;
};
/// Layers of one chunk of a pipeline rank, and the ends of the model in it.
struct RankChunk {
    std::int64_t dense = 0, moe = 0;
    bool first = false, last = false;
};
/// Adds a chunk to a rank's contents, except to what the rank saves.
/// @return saved by the chunk for one micro-batch
SavedBytes addChunk(const RunConfig& config, const MemoryTable& table, const RankChunk& chunk, RankContents& contents);

/// One entry per pipeline rank, in `contents` (its storage is reused). A kind without a recursion whose schedule was
/// not built (pipeline.sample) gets a lower bound: one micro-batch of the rank's largest chunk. @param only per rank,
/// false leaves its entry empty; null fills all
void rankContents(const RunConfig& config, const Pipeline& pipeline, const MemoryTable& table,
                  std::vector<RankContents>& contents, const std::vector<bool>* only = nullptr);
/// The rank's bytes under the config's ZeRO stage and offload, at the moments of a step, including the fullest.
StepMoments rankMoments(const RunConfig& config, const ClusterSpec& cluster, const MemoryTable& table,
                        const RankContents& contents);
MemoryBreakdown rankBytes(const RunConfig& config, const ClusterSpec& cluster, const MemoryTable& table,
                          const RankContents& contents);

/// Ranks that share the states of a parameter outside experts, and those that share an expert's (edp, the ranks with
/// copies of it, with any HSDP: trainer/optim/main_gradients.h; Megatron-LM's distributed optimizer does the same).
struct ShardRanks {
    double dense = 1, experts = 1;
};
ShardRanks shardRanks(const ParallelLayout& layout);

/// Memory that a GPU reserves beyond tensors: context, libraries and communicators, and the share of the allocator's
/// memory for passes lost to fragmentation (textbook values: ranges seen in public logs).
constexpr double kContextBytes = 1.5 * 1024 * 1024 * 1024;
constexpr double kFragmentation = 0.04;

/// Bytes one rank may use: the device's memory, or the CPU's share of a rank. NaN when unknown.
double capacityPerRank(const RunConfig& config, const ClusterSpec& cluster);

}  // namespace slipway
