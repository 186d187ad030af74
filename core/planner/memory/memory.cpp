#include "core/planner/memory/memory.h"

#include "core/planner/memory/activations.h"
#include "core/planner/memory/policy.h"
#include "core/planner/time/communication.h"

#include <algorithm>

namespace slipway {

namespace {

double real(std::int64_t value) {
    return static_cast<double>(value);
}

/// Parameters of one layer on one rank: matrices split by tp, experts by ep and etp, the rest whole.
double layerOnRank(const RunConfig& c, std::int64_t layer) {
    const LayerParameters p = countLayer(c.model, layer);
    const double split = p.attention + p.ffn - p.routedExperts - p.replicated;
    return split / real(c.parallel.tp) + p.replicated + p.norm + p.router +
           p.routedExperts / real(c.parallel.ep * c.parallel.etp);
}

double stageParameters(const RunConfig& c, const StageRange& range, bool first, bool last) {
    double sum = 0;
    for (std::int64_t i = range.first; i < range.first + range.count; ++i) sum += layerOnRank(c, i);
    const EndParameters ends = countEnds(c.model);
    if (first) sum += ends.table / real(c.parallel.tp) + ends.positions;
    // A tied matrix that stands on two different stages exists twice.
    const bool ownHead = last && (!c.model.tieEmbeddings || !first);
    if (ownHead) sum += ends.table / real(c.parallel.tp);
    if (last) sum += ends.finalNorm;
    return sum;
}

/// Kept for one micro-batch by one stage: layers, and what the ends keep.
struct StageActivations {
    double layers = 0, logits = 0;
    double sent = 0;  ///< messages of this step: the trainer keeps them until the step ends
    [[nodiscard]] double total() const { return layers + logits + sent; }
};

StageActivations stageActivations(const RunConfig& c, const StageRange& range, bool last) {
    StageActivations kept;
    const std::int64_t numDense =
        c.model.moe ? std::clamp<std::int64_t>(c.model.moe->numDenseLayers - range.first, 0, range.count) : range.count;
    if (numDense > 0) kept.layers += real(numDense) * layerActivationBytes(c, false);
    if (range.count > numDense) kept.layers += real(range.count - numDense) * layerActivationBytes(c, true);
    if (last)
        for (const SavedTensor& tensor : headActivations(c)) kept.logits += tensor.bytes;
    return kept;
}

/// Walks the rank's passes and finds the largest sum that is kept at once.
StageActivations peakKept(const std::vector<ScheduleAction>& actions, const std::vector<StageActivations>& chunks,
                          double messageBytes) {
    StageActivations now, most;
    for (const ScheduleAction& action : actions) {
        const StageActivations& chunk = chunks[static_cast<std::size_t>(action.chunk)];
        if (action.kind == ActionKind::Forward) {
            now.layers += chunk.layers;
            now.logits += chunk.logits;
            if (now.total() > most.total()) most = now;
        } else if (action.kind == ActionKind::BackwardFull || action.kind == ActionKind::BackwardWeight) {
            now.layers -= chunk.layers;
            now.logits -= chunk.logits;
        } else if (action.kind == ActionKind::SendForward || action.kind == ActionKind::SendBackward) {
            now.sent += messageBytes;
        }
    }
    return most;
}

StageActivations peakKept(const PlayedSchedule& played, std::int64_t rank, const std::vector<StageActivations>& chunks,
                          double messageBytes) {
    const auto index = static_cast<std::size_t>(rank);
    const StageActivations whole = peakKept(played.schedule.ranks[index], chunks, messageBytes);
    if (!played.shorter) return whole;
    const StageActivations part = peakKept(played.shorter->ranks[index], chunks, messageBytes);
    return {played.extrapolate(whole.layers, part.layers), played.extrapolate(whole.logits, part.logits),
            played.extrapolate(whole.sent, part.sent)};
}

}  // namespace

std::vector<StageRange> stageRanges(const RunConfig& config) {
    std::vector<StageRange> ranges;
    std::int64_t first = 0;
    for (const std::int64_t count : config.parallel.stageLayers(config.model.numLayers)) {
        ranges.push_back({first, count});
        first += count;
    }
    return ranges;
}

double rankParameters(const RunConfig& config, std::int64_t pipelineRank) {
    const std::vector<StageRange> ranges = stageRanges(config);
    const ParallelLayout& p = config.parallel;
    double sum = 0;
    for (const std::int64_t index : stagesOfRank(p.schedule, p.pp, p.virtualStages, pipelineRank)) {
        const auto stage = static_cast<std::size_t>(index);
        sum += stageParameters(config, ranges[stage], stage == 0, stage + 1 == ranges.size());
    }
    return sum;
}

double capacityPerRank(const RunConfig& config, const ClusterSpec& cluster) {
    if (cluster.device.memoryBytes <= 0) return kUnknown;
    if (cluster.device.kind != DeviceKind::Cpu) return cluster.device.memoryBytes;
    // One memory for all ranks of the node.
    const std::int64_t ranks = (config.parallel.worldSize() + cluster.numNodes - 1) / cluster.numNodes;
    return cluster.device.memoryBytes / real(ranks);
}

std::vector<StageMemory> stageMemory(const RunConfig& config, const ClusterSpec& cluster,
                                     const PlayedSchedule& played) {
    const PipelineSchedule& schedule = played.schedule;
    const std::vector<StageRange> ranges = stageRanges(config);
    const StatePolicy policy = trainerStatePolicy(config.train.precision, config.train.gradDtype);
    const ParallelLayout& p = config.parallel;
    const double shards = real(p.dpShard.value_or(p.dp) * p.cp);
    std::vector<StageMemory> stages;
    for (std::int64_t rank = 0; rank < p.pp; ++rank) {
        StageMemory memory;
        memory.stage = rank;
        memory.firstLayer = ranges[static_cast<std::size_t>(rank)].first;
        double parameters = 0;
        std::vector<StageActivations> chunks;
        bool hasHead = false, hasMoe = false, hasDense = false;
        for (std::int64_t chunk = 0; chunk < schedule.numChunks(); ++chunk) {
            const std::int64_t stage = schedule.stageOf(rank, chunk);
            const StageRange& range = ranges[static_cast<std::size_t>(stage)];
            const bool last = stage + 1 == schedule.numStages;
            memory.numLayers += range.count;
            parameters += stageParameters(config, range, stage == 0, last);
            chunks.push_back(stageActivations(config, range, last));
            hasHead = hasHead || last;
            hasMoe = hasMoe || (range.count > 0 && isMoeLayer(config.model, range.first + range.count - 1));
            hasDense = hasDense || (range.count > 0 && !isMoeLayer(config.model, range.first));
        }
        const StateBytes state = stateBytes(policy, parameters, static_cast<int>(p.zeroStage), shards);
        const StageActivations kept = peakKept(played, rank, chunks, pipelineMessageBytes(config));
        MemoryBreakdown& b = memory.bytes;
        b.weightBytes = state.weights;
        b.gradientBytes = state.gradients;
        b.optimizerBytes = p.offload == Offload::Optimizer ? 0 : state.optimizer;
        // Two moments compete: the loss of the last forward, with logits and their softmax, and the first backward of a
        // layer after the logits are gone.
        const double layerWork =
            std::max(hasDense ? layerWorkspaceBytes(config, false) : 0, hasMoe ? layerWorkspaceBytes(config, true) : 0);
        const double headWork = hasHead ? headWorkspaceBytes(config) : 0;
        b.activationBytes = kept.layers;
        if (kept.logits + headWork > layerWork)
            b.logitsBytes = kept.logits + headWork;
        else
            b.bufferBytes = layerWork;
        // The optimizer's moment: activations are gone; ZeRO copies the own block of weights to gather it.
        const double shardCopy = p.zeroStage == 1 || p.zeroStage == 2 ? state.weights / shards : 0;
        const double step = b.activationBytes + b.logitsBytes + b.bufferBytes;
        if (shardCopy > step) {
            b.activationBytes = b.logitsBytes = 0;
            b.bufferBytes = shardCopy;
        }
        b.bufferBytes += kept.sent + rotaryTableBytes(config) * real(schedule.numChunks()) +
                         real(config.numMicroBatches()) * microBatchInputBytes(config);
        if (p.zeroStage == 3) {
            // Two gathered layers at a time: the one in use and the one being fetched.
            b.bufferBytes += 2 * layerOnRank(config, config.model.numLayers - 1) * policy.weightBytes;
        }
        if (cluster.device.kind == DeviceKind::Gpu) {
            // Context, libraries and communicators, then fragmentation of what the allocator hands out (planner.md 2.4).
            constexpr double kContextBytes = 1.5 * 1024 * 1024 * 1024;
            constexpr double kFragmentation = 0.04;
            b.reserveBytes =
                kContextBytes + kFragmentation * (b.totalBytes() - b.weightBytes - b.gradientBytes - b.optimizerBytes);
        }
        stages.push_back(memory);
    }
    return stages;
}

}  // namespace slipway
