#include "core/planner/memory/memory.h"

#include "core/base/real.h"
#include "core/planner/count/parameters.h"
#include "core/planner/memory/activations.h"
#include "core/planner/memory/update_work.h"
#include "core/planner/stack/stack_costs.h"
#include "core/planner/time/communication.h"
#include "core/planner/time/repeated_passes.h"

#include <algorithm>

namespace slipway {

namespace {

/// Parameters of one layer on one rank: matrices split by tp, experts by ep and etp, the rest whole.
double layerOnRank(const RunConfig& c, std::int64_t layer) {
    const LayerParameters p = countLayer(c.model, layer);
    const double split = p.attention + p.ffn - p.routedExperts - p.replicated;
    return split / real(c.parallel.tp) + repeatedKvParameters(c.model, c.parallel.tp) + p.replicated + p.norm +
           p.router + p.routedExperts / real(c.parallel.ep * c.parallel.etp);
}

double layerMatrices(const RunConfig& c, std::int64_t layer) {
    const LayerParameters p = countLayer(c.model, layer);
    const double repeated = repeatedKvParameters(c.model, c.parallel.tp);
    const double repeatedBiases = c.model.hasQkvBias() ? repeated / (real(c.model.hiddenSize) + 1) : 0;
    return layerOnRank(c, layer) - p.norm - p.vectors / real(c.parallel.tp) - repeatedBiases;
}

void addParameters(const RunConfig& c, MemoryTable& table) {
    const double tp = real(c.parallel.tp);
    const std::int64_t firstMoe = c.model.moe ? c.model.moe->numDenseLayers : c.model.numLayers;
    if (firstMoe > 0) {
        table.denseParameters = layerOnRank(c, 0);
        table.denseMatrices = layerMatrices(c, 0);
    }
    if (firstMoe < c.model.numLayers) {
        table.moeParameters = layerOnRank(c, firstMoe);
        table.moeMatrices = layerMatrices(c, firstMoe);
        table.moeExperts = countLayer(c.model, firstMoe).routedExperts / real(c.parallel.ep * c.parallel.etp);
    }
    const EndParameters ends = countEnds(c.model);
    table.tableParameters = ends.table / tp;
    table.positionParameters = ends.positions;
    table.finalNormParameters = ends.finalNorm;
}

double stageParameters(const RunConfig& c, const MemoryTable& table, const StageRange& range, bool first, bool last) {
    const std::int64_t numDense = denseLayers(c.model, range);
    double sum = real(numDense) * table.denseParameters + real(range.count - numDense) * table.moeParameters;
    if (first) sum += table.tableParameters + table.positionParameters;
    // A tied matrix that stands on two different stages exists twice.
    const bool ownHead = last && (!c.model.tieEmbeddings || !first);
    if (ownHead) sum += table.tableParameters;
    if (last) sum += table.finalNormParameters;
    return sum;
}

/// What ZeRO-2 and ZeRO-3 hold for a moment beside the shards (trainer/optim/unit_shards.h).
struct UnitBytes {
    double weights = 0;    ///< gathered while a layer computes its input gradient
    double fetched = 0;    ///< of these, what stands while it adds its weight gradients
    double gradients = 0;  ///< of one layer
    double reducing = 0;   ///< of the layer above, and the block it is reduced into
    double atLoss = 0;     ///< while the loss is computed
    double atHead = 0;     ///< while the head's weight gradient is added
    double atHeadReducing = 0;
    double atEmbedding =
        0;  ///< while the embedding's gradient is added: its table's, beside the reduction of the lowest layer
};

UnitBytes unitBytes(const RunConfig& c, const MemoryTable& table, const RankContents& held, const ShardRanks& ranks) {
    UnitBytes unit;
    const ParallelLayout& p = c.parallel;
    const double shards = ranks.dense;
    if (p.zeroStage < 2 || shards <= 1) return unit;
    // Experts without copies stay where they are.
    const double whole = ranks.experts <= 1 ? held.layerExperts : 0;
    const double layerGradients = (held.layerParameters - whole) * table.policy.gradientBytes;
    const double layerWeights = (held.layerParameters - whole) * table.policy.weightBytes;
    unit.gradients = layerGradients;
    if (held.mostLayers > 1 && p.overlapGradReduce) unit.reducing = layerGradients * (1 + 1 / shards);
    if (held.share.last) {
        unit.atHead = table.tableParameters * table.policy.gradientBytes;
        unit.atHeadReducing = 2 * unit.atHead / shards;  // the own block, and the sum of it under way
    }
    if (held.share.first)
        unit.atEmbedding = table.tableParameters * table.policy.gradientBytes +
                           (held.mostLayers > 0 && p.overlapGradReduce ? layerGradients * (1 + 1 / shards) : 0);
    if (p.zeroStage < 3) return unit;
    // The layer in use and the one being fetched; or all, if they stay.
    unit.weights = real(std::min<std::int64_t>(held.mostLayers, 2)) * layerWeights;
    if (!p.reshardAfterForward) {
        const bool embeddingGoes = held.share.first && !(held.share.last && c.model.tieEmbeddings);
        unit.weights = (held.share.parameters - (ranks.experts <= 1 ? held.share.experts : 0) -
                        (embeddingGoes ? table.tableParameters : 0)) *
                       table.policy.weightBytes;
        unit.atLoss = unit.weights;
        unit.atHead += unit.weights - table.tableParameters * table.policy.weightBytes;
    }
    unit.fetched = unit.weights - layerWeights;
    return unit;
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

std::int64_t denseLayers(const ModelSpec& model, const StageRange& range) {
    if (!model.moe) return range.count;
    return std::clamp<std::int64_t>(model.moe->numDenseLayers - range.first, 0, range.count);
}

double rankParameters(const RunConfig& config, std::int64_t pipelineRank) {
    return rankShare(config, pipelineRank).parameters;
}

RankShare rankShare(const RunConfig& config, std::int64_t rank) {
    MemoryTable table;
    addParameters(config, table);
    const ParallelLayout& p = config.parallel;
    const Pipeline pipeline{{p.schedule, p.pp, 1, p.pp > 1 ? p.virtualStages : 1}, stageRanges(config)};
    return rankShare(config, pipeline, table, rank);
}

RankShare rankShare(const RunConfig& config, const Pipeline& pipeline, const MemoryTable& table, std::int64_t rank) {
    const std::int64_t numStages = pipeline.shape.numStages();
    RankShare share;
    for (std::int64_t chunk = 0; chunk < pipeline.shape.numChunks(); ++chunk) {
        const std::int64_t stage = pipeline.shape.stageOf(rank, chunk);
        const StageRange& range = pipeline.ranges[static_cast<std::size_t>(stage)];
        const bool first = stage == 0, last = stage + 1 == numStages;
        if (chunk == 0) share.firstLayer = range.first;
        share.numLayers += range.count;
        share.parameters += stageParameters(config, table, range, first, last);
        const std::int64_t numDense = denseLayers(config.model, range);
        share.matrices += real(numDense) * table.denseMatrices + real(range.count - numDense) * table.moeMatrices;
        share.experts += real(range.count - numDense) * table.moeExperts;
        share.first |= first;
        share.last |= last;
    }
    // Both ends on one rank (a V, DualPipe): a tied matrix stands there once.
    if (config.model.tieEmbeddings && numStages > 1 && share.first && share.last)
        share.parameters -= table.tableParameters;
    return share;
}

ShardRanks shardRanks(const ParallelLayout& p) {
    return {real(p.dpShard.value_or(p.dp) * p.cp), real(p.degree(Axis::Edp))};
}

double capacityPerRank(const RunConfig& config, const ClusterSpec& cluster) {
    if (cluster.device.memoryBytes <= 0) return kUnknown;
    if (cluster.stack) return capacityBytes(cluster);
    if (cluster.device.kind != DeviceKind::Cpu) return cluster.device.memoryBytes;
    // One memory for all ranks of the node.
    const std::int64_t ranks = (config.parallel.worldSize() + cluster.numNodes - 1) / cluster.numNodes;
    return cluster.device.memoryBytes / real(ranks);
}

Pipeline makePipeline(const RunConfig& config, const PlayedSchedule& played) {
    const PipelineSchedule& s = played.schedule;
    return {{s.kind, static_cast<std::int64_t>(s.ranks.size()), played.numMicroBatches, s.virtualStages},
            stageRanges(config),
            &played};
}

MemoryTable makeMemoryTable(const RunConfig& config, RowLoops loops) {
    MemoryTable table;
    table.policy = trainerStatePolicy(config.train, config.optimizer);
    addParameters(config, table);
    table.denseActivationBytes = layerActivationBytes(config, false);
    table.denseWorkBytes = layerWorkspaceBytes(config, false, loops);
    table.denseWeightPassBytes = layerWeightPassBytes(config, false, loops);
    table.denseWaitingBytes = layerWaitingBytes(config, false);
    if (config.model.moe) {
        table.moeActivationBytes = layerActivationBytes(config, true);
        table.moeWorkBytes = layerWorkspaceBytes(config, true, loops);
        table.moeWeightPassBytes = layerWeightPassBytes(config, true, loops);
        table.moeWaitingBytes = layerWaitingBytes(config, true);
    }
    for (const SavedTensor& tensor : headActivations(config)) table.headActivationBytes += tensor.bytes;
    table.headWorkBytes = headWorkspaceBytes(config, loops);
    table.headGradientWorkBytes = headGradientWorkBytes(config);
    table.embeddingGradientWorkBytes = embeddingGradientWorkBytes(config);
    table.messageBytes = pipelineMessageBytes(config);
    table.inputBytes = microBatchInputBytes(config);
    table.rotaryBytes = rotaryTableBytes(config);
    return table;
}

MemoryTable makeMemoryTable(const RunConfig& config, const ClusterSpec& cluster, bool keepGathers) {
    MemoryTable table = makeMemoryTable(config, cluster.stack ? RowLoops::Operations : RowLoops::Trainer);
    if (cluster.stack) applyStack(config, *cluster.stack, keepGathers, table);
    return table;
}

Pipeline makePipeline(const RunConfig& config) {
    const ParallelLayout& p = config.parallel;
    return {{p.schedule, p.pp, config.numMicroBatches(), p.pp > 1 ? p.virtualStages : 1}, stageRanges(config)};
}

void rankContents(const RunConfig& config, const Pipeline& pipeline, const MemoryTable& table,
                  std::vector<RankContents>& contents, const std::vector<bool>* only) {
    const PipelineShape& shape = pipeline.shape;
    const bool recursion = hasRecursion(shape);
    const double residual = residualBytes(config);
    contents.assign(static_cast<std::size_t>(shape.pp), {});
    std::vector<KeptBytes> chunks(static_cast<std::size_t>(shape.numChunks()));
    for (std::int64_t rank = 0; rank < shape.pp; ++rank) {
        if (only != nullptr && !(*only)[static_cast<std::size_t>(rank)]) continue;
        RankContents& held = contents[static_cast<std::size_t>(rank)];
        held.share = rankShare(config, pipeline, table, rank);
        for (std::int64_t chunk = 0; chunk < shape.numChunks(); ++chunk) {
            const std::int64_t stage = pipeline.shape.stageOf(rank, chunk);
            const StageRange& range = pipeline.ranges[static_cast<std::size_t>(stage)];
            const bool last = stage + 1 == shape.numStages();
            const std::int64_t numDense = denseLayers(config.model, range);
            chunks[static_cast<std::size_t>(chunk)] = {
                real(numDense) * table.denseActivationBytes + real(range.count - numDense) * table.moeActivationBytes +
                    table.flightBytes,
                last ? table.headActivationBytes : 0,
                real(numDense) * table.denseWaitingBytes + real(range.count - numDense) * table.moeWaitingBytes +
                    ((stage == 0 ? 1 : 0) + (last ? 1 : 0)) * residual};
            if (stage == 0) held.firstChunkBytes = chunks[static_cast<std::size_t>(chunk)].layers;
            const auto atLeast = [](double& most, double value) { most = std::max(most, value); };
            held.mostLayers = std::max(held.mostLayers, range.count);
            if (numDense > 0) {
                atLeast(held.layerWorkBytes, table.denseWorkBytes);
                atLeast(held.layerParameters, table.denseParameters);
                atLeast(held.layerActivationBytes, table.denseActivationBytes);
                atLeast(held.weightPassBytes, table.denseWeightPassBytes);
            }
            if (numDense < range.count) {
                atLeast(held.layerWorkBytes, table.moeWorkBytes);
                atLeast(held.layerParameters, table.moeParameters);
                atLeast(held.layerExperts, table.moeExperts);
                atLeast(held.layerActivationBytes, table.moeActivationBytes);
                atLeast(held.weightPassBytes, table.moeWeightPassBytes);
            }
            if (last) held.headWorkBytes = table.headWorkBytes;
            if (last) held.logitsOnceBytes = table.headActivationBytes;
        }
        if (recursion) {
            held.kept = peakKept(shape, rank, chunks);
        } else if (pipeline.played != nullptr) {
            held.kept = peakKept(*pipeline.played, rank, chunks);
        } else {
            held.isBound = true;
            // At some time the rank holds the largest of its chunks; as logits it counts least beside the workspaces.
            for (const KeptBytes& chunk : chunks) held.kept.logits = std::max(held.kept.logits, chunk.total());
        }
    }
}

StepMoments rankMoments(const RunConfig& config, const ClusterSpec& cluster, const MemoryTable& table,
                        const RankContents& contents) {
    const ParallelLayout& p = config.parallel;
    const ShardRanks ranks = shardRanks(p);
    const int stage = static_cast<int>(p.zeroStage);
    StateBytes state = stateBytes(table.policy, contents.share.parameters - contents.share.experts, stage, ranks.dense);
    const double denseWeights = state.weights;
    if (contents.share.experts > 0) {
        const StateBytes ofExperts = stateBytes(table.policy, contents.share.experts, stage, ranks.experts);
        state.weights += ofExperts.weights;
        state.gradients += ofExperts.gradients;
        state.optimizer += ofExperts.optimizer;
    }
    KeptBytes kept = contents.kept;
    // Offloaded, a block's activations leave while the next block computes, and come back while the one after it runs backward: two
    // blocks of one micro-batch stand on the device, one at the loss, however many are in flight (trainer/model/activation_offload.h;
    // vDNN, Rhu et al. 2016, arXiv 1602.08124, sec. 3.1).
    double layersAtHead = kept.layers;
    if (offloadsActivations(p.offload)) {
        const double layer = contents.isBound ? 0 : contents.layerActivationBytes;
        layersAtHead = std::min(kept.layers, layer);
        kept.layers = std::min(kept.layers, 2 * layer);
        kept.logits = contents.isBound ? contents.logitsOnceBytes : std::max(kept.logits, contents.logitsOnceBytes);
    }
    StepMoments m;
    MemoryBreakdown& rest = m.rest;
    rest.weightBytes = state.weights;
    rest.gradientBytes = state.gradients;
    rest.optimizerBytes = offloadsOptimizer(p.offload) ? 0 : state.optimizer;
    if (config.optimizer.kind == OptimizerKind::Muon && rest.optimizerBytes > 0)  // no second moment
        rest.optimizerBytes -=
            momentBytes(config.train, config.optimizer) *
            ((contents.share.matrices - contents.share.experts) / (p.zeroStage >= 1 ? ranks.dense : 1) +
             contents.share.experts / (p.zeroStage >= 1 ? ranks.experts : 1));
    const auto holding = [&](double activations, double logits, double buffers) {
        MemoryBreakdown b = rest;
        b.activationBytes = activations;
        b.logitsBytes = logits;
        b.bufferBytes = buffers;
        return b;
    };
    const auto keepFuller = [](MemoryBreakdown& fullest, const MemoryBreakdown& other) {
        if (other.totalBytes() > fullest.totalBytes()) fullest = other;
    };
    const UnitBytes unit = unitBytes(config, table, contents, ranks);
    // The loss of the last forward, with logits and their softmax.
    m.forward = contents.share.last ? holding(layersAtHead, kept.logits + contents.headWorkBytes + unit.atLoss, 0)
                                    : holding(kept.layers, 0, unit.weights);
    // The first backward of a layer, after the logits are gone; of a split pass the gradient of the logits waits for its weight pass
    // while the layers' input passes run.
    double layerWork = contents.layerWorkBytes + unit.weights;
    if (unit.gradients > 0) {
        // Either pass of a layer; the second from the top has the reduction of the first beside it, whose activations are gone.
        layerWork = std::max(layerWork, contents.weightPassBytes + unit.gradients + unit.fetched) +
                    std::max(0.0, unit.reducing - contents.layerActivationBytes);
    }
    const bool split = p.pp > 1 && (p.schedule == ScheduleKind::ZbH1 || p.schedule == ScheduleKind::ZbV ||
                                    p.schedule == ScheduleKind::DualPipe || p.schedule == ScheduleKind::DualPipeV);
    m.backward = holding(kept.layers, split ? kept.logits : 0, layerWork);
    if (contents.share.last) {
        // The bundled trainer reduces the head's gradient beside it, before the logits go; a stack's loss needs more than that.
        const bool reduces = table.embeddingGradientWorkBytes > 0 && unit.atHead > 0;
        const double atHead = reduces ? contents.headWorkBytes + unit.atHead + unit.atHeadReducing : unit.atHead;
        keepFuller(m.backward, holding(layersAtHead, kept.logits + table.headGradientWorkBytes + atHead, 0));
    }
    if (contents.share.first && table.embeddingGradientWorkBytes > 0) {
        // The micro-batch's other tensors are gone.
        const double layers = contents.isBound ? 0 : std::max(0.0, kept.layers - contents.firstChunkBytes);
        const double logits = contents.isBound ? 0 : std::max(0.0, kept.logits - contents.logitsOnceBytes);
        keepFuller(m.backward, holding(layers, logits, table.embeddingGradientWorkBytes + unit.atEmbedding));
    }
    // The optimizer's moment: activations are gone; ZeRO copies the own block of weights to gather it.
    const auto copied = [&](double weights, double over) { return over > 1 ? weights / over : 0; };
    const double shardCopy =
        p.zeroStage == 1 || p.zeroStage == 2
            ? copied(denseWeights, ranks.dense) + copied(state.weights - denseWeights, ranks.experts)
            : 0;
    const double stepCopies =
        contents.share.parameters / (p.zeroStage >= 1 ? ranks.dense : 1) * table.stepBytesPerParameter;
    const double updateWork = cluster.stack ? stepCopies : updateWorkBytes(config, contents, ranks);
    m.update = holding(0, 0, std::max(shardCopy, updateWork));
    // A graph has a pool of its own for the passes of a micro-batch, beside that of the first and the last, and the tokens it reads.
    const double passes = std::max(m.forward.totalBytes(), m.backward.totalBytes()) - rest.totalBytes();
    const double graph = repeatsFromGraph(config) ? passes + table.inputBytes : 0;
    // The bundled trainer keeps the layers' matrices in float8, as they are and turned, through a step of several micro-batches
    // (trainer/parallel/linear_products.h).
    const double float8 = config.train.precision == Precision::Fp8 && table.policy.name == "trainer" &&
                                  p.zeroStage < 3 && config.numMicroBatches() > 1
                              ? 2 * (contents.share.matrices - contents.share.experts)
                              : 0;
    const double rotary = table.rotaryBytes * real(p.pp > 1 ? chunksPerRank(p.schedule, p.virtualStages) : 1);
    // A message that was sent belongs to the backend, which has a copy until it has gone: one at a time in steady state.
    const bool ownHead = contents.share.last && !(contents.share.first && config.model.tieEmbeddings);
    const double root = ((contents.share.first ? 1 : 0) + (ownHead ? 1 : 0)) * table.rootBytes;
    const double whole = contents.share.parameters * table.wholeBytesPerParameter;
    const double ofStep = root + whole + float8 + graph + (p.pp > 1 ? table.messageBytes : 0) + rotary +
                          real(config.numMicroBatches()) * table.inputBytes;
    for (MemoryBreakdown* b : {&m.rest, &m.forward, &m.backward, &m.update}) {
        b->bufferBytes += b == &m.rest ? rotary : ofStep;
        if (table.reserveBytes)
            b->reserveBytes = *table.reserveBytes + (table.allocatorFactor - 1) *
                                                        (b->activationBytes + b->logitsBytes + b->bufferBytes - whole);
        else if (cluster.device.kind == DeviceKind::Gpu)
            b->reserveBytes = kContextBytes + kFragmentation * (b->activationBytes + b->logitsBytes + b->bufferBytes);
    }
    return m;
}

MemoryBreakdown rankBytes(const RunConfig& config, const ClusterSpec& cluster, const MemoryTable& table,
                          const RankContents& contents) {
    return rankMoments(config, cluster, table, contents).fullest();
}

namespace {

std::vector<StageMemory> stageMemory(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline,
                                     bool keepGathers) {
    const MemoryTable table = makeMemoryTable(config, cluster, keepGathers);
    std::vector<RankContents> contents;
    rankContents(config, pipeline, table, contents);
    std::vector<StageMemory> stages;
    for (const RankContents& held : contents) {
        const StepMoments moments = rankMoments(config, cluster, table, held);
        stages.push_back({static_cast<std::int64_t>(stages.size()), held.share.firstLayer, held.share.numLayers,
                          moments.fullest(), moments});
    }
    return stages;
}

}  // namespace

std::vector<StageMemory> stageMemory(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline) {
    return stageMemory(config, cluster, pipeline, cluster.stack && keepsGathers(config, cluster, pipeline));
}

std::vector<StageMemory> stageMemory(const RunConfig& config, const ClusterSpec& cluster,
                                     const PlayedSchedule& played) {
    return stageMemory(config, cluster, makePipeline(config, played));
}

}  // namespace slipway
