#include "core/planner/memory/memory.h"

#include "core/base/real.h"
#include "core/planner/count/parameters.h"
#include "core/planner/memory/activations.h"
#include "core/planner/memory/memory_account.h"
#include "core/planner/memory/saved_counts.h"
#include "core/planner/memory/stack_memory.h"
#include "core/planner/stack/known_software.h"

#include <algorithm>

namespace slipway {

namespace {

/// Parameters of one layer on one rank: matrices split by tp, experts by ep and etp, the rest unsplit.
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

double chunkParameters(const RunConfig& c, const MemoryTable& table, const RankChunk& chunk) {
    double sum = real(chunk.dense) * table.denseParameters + real(chunk.moe) * table.moeParameters;
    if (chunk.first) sum += table.tableParameters + table.positionParameters;
    // A tied matrix on two different stages exists twice.
    const bool ownHead = chunk.last && (!c.model.tieEmbeddings || !chunk.first);
    if (ownHead) sum += table.tableParameters;
    if (chunk.last) sum += table.finalNormParameters;
    return sum;
}

void addShare(const RunConfig& config, const MemoryTable& table, const RankChunk& chunk, RankShare& share) {
    share.numLayers += chunk.dense + chunk.moe;
    share.parameters += chunkParameters(config, table, chunk);
    share.matrices += real(chunk.dense) * table.denseMatrices + real(chunk.moe) * table.moeMatrices;
    share.experts += real(chunk.moe) * table.moeExperts;
    share.first |= chunk.first;
    share.last |= chunk.last;
}

/// Corrections for all chunks of a rank together.
void finishShare(const RunConfig& config, const Pipeline& pipeline, const MemoryTable& table, std::int64_t rank,
                 RankShare& share) {
    share.firstLayer = pipeline.ranges[static_cast<std::size_t>(pipeline.shape.stageOf(rank, 0))].first;
    // Both ends on one rank (a V, DualPipe): a tied matrix is there once.
    if (config.model.tieEmbeddings && pipeline.shape.numStages() > 1 && share.first && share.last)
        share.parameters -= table.tableParameters;
}

RankChunk chunkOf(const RunConfig& config, const Pipeline& pipeline, std::int64_t stage) {
    const StageRange& range = pipeline.ranges[static_cast<std::size_t>(stage)];
    const std::int64_t numDense = denseLayers(config.model, range);
    return {numDense, range.count - numDense, stage == 0, stage + 1 == pipeline.shape.numStages()};
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

RankShare rankShare(const RunConfig& config, std::int64_t rank) {
    MemoryTable table;
    addParameters(config, table);
    const ParallelLayout& p = config.parallel;
    const Pipeline pipeline{{p.schedule, p.pp, 1, p.pp > 1 ? p.virtualStages : 1}, stageRanges(config)};
    return rankShare(config, pipeline, table, rank);
}

RankShare rankShare(const RunConfig& config, const Pipeline& pipeline, const MemoryTable& table, std::int64_t rank) {
    RankShare share;
    for (std::int64_t chunk = 0; chunk < pipeline.shape.numChunks(); ++chunk)
        addShare(config, table, chunkOf(config, pipeline, pipeline.shape.stageOf(rank, chunk)), share);
    finishShare(config, pipeline, table, rank, share);
    return share;
}

ShardRanks shardRanks(const ParallelLayout& p) {
    return {real(p.dpShard.value_or(p.dp) * p.cp), real(p.degree(Axis::Edp))};
}

double capacityPerRank(const RunConfig& config, const ClusterSpec& cluster) {
    if (cluster.device.memoryBytes <= 0) return kUnknown;
    if (isOtherSoftware(cluster)) return capacityBytes(cluster);
    if (cluster.device.kind != DeviceKind::Cpu) return cluster.device.memoryBytes;
    // The ranks of a node share one memory.
    const std::int64_t ranks = (config.parallel.worldSize() + cluster.numNodes - 1) / cluster.numNodes;
    return cluster.device.memoryBytes / real(ranks);
}

Pipeline makePipeline(const RunConfig& config, const ScheduleSample& sample) {
    const PipelineSchedule& s = sample.schedule;
    return {{s.kind, static_cast<std::int64_t>(s.ranks.size()), sample.numMicroBatches, s.virtualStages},
            stageRanges(config),
            &sample};
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
    table.messageBytes = residualBytes(config);
    table.inputBytes = microBatchInputBytes(config);
    table.rotaryBytes = rotaryTableBytes(config);
    return table;
}

MemoryTable makeMemoryTable(const RunConfig& config, const ClusterSpec& cluster, bool keepGathers) {
    MemoryTable table = makeMemoryTable(config, isOtherSoftware(cluster) ? RowLoops::Operations : RowLoops::Trainer);
    if (isOtherSoftware(cluster)) applyStack(config, *cluster.stack, keepGathers, table);
    return table;
}

Pipeline makePipeline(const RunConfig& config) {
    const ParallelLayout& p = config.parallel;
    return {{p.schedule, p.pp, config.numMicroBatches(), p.pp > 1 ? p.virtualStages : 1}, stageRanges(config)};
}

namespace {

/// Saved activations of a chunk for one micro-batch.
/// @param shown names the stage in formulas of several stages; -1: a single one
template <class Number>
SavedOf<Number> chunkSaved(const RunConfig& config, const MemoryTable& table, const RankChunk& chunk,
                           std::int64_t shown = -1) {
    const double dense = real(chunk.dense), moe = real(chunk.moe);
    const double ends = (chunk.first ? 1 : 0) + (chunk.last ? 1 : 0);
    SavedOf<Number> saved;
    const auto add = [&](Number& sum, std::string_view countName, double count, std::string_view name, double each) {
        if (count > 0 && each > 0)
            sum += quantity<Number>(countName, count, {}, shown) * quantity<Number>(name, each, "B");
    };
    add(saved.layers, "rank_layers", dense, "layer_activation_bytes", table.denseActivationBytes);
    add(saved.layers, "rank_moe_layers", moe, "moe_layer_activation_bytes", table.moeActivationBytes);
    if (table.flightBytes > 0) saved.layers += quantity<Number>("flight_bytes", table.flightBytes, "B");
    if (chunk.last) saved.logits = quantity<Number>("saved_logits_bytes", table.headActivationBytes, "B");
    add(saved.waiting, "rank_layers", dense, "layer_waiting_bytes", table.denseWaitingBytes);
    add(saved.waiting, "rank_moe_layers", moe, "moe_layer_waiting_bytes", table.moeWaitingBytes);
    add(saved.waiting, "rank_ends", ends, "hidden_state_bytes", residualBytes(config));
    return saved;
}

/// The same for all chunks of a rank at its fullest moment, as terms.
SavedOf<Term> savedTerms(const RunConfig& config, const Pipeline& pipeline, const MemoryTable& table,
                         std::int64_t rank) {
    const PipelineShape& shape = pipeline.shape;
    std::vector<SavedBytes> chunks;
    for (std::int64_t chunk = 0; chunk < shape.numChunks(); ++chunk)
        chunks.push_back(
            chunkSaved<double>(config, table, chunkOf(config, pipeline, shape.stageOf(rank, chunk))).bytes());
    const std::vector<SavedCount> counts = savedCounts(shape, pipeline.sample, rank, chunks);
    SavedOf<Term> saved;
    for (std::int64_t chunk = 0; chunk < shape.numChunks(); ++chunk) {
        const std::int64_t stage = shape.stageOf(rank, chunk), shown = shape.numChunks() > 1 ? stage : -1;
        const SavedCount& count = counts[static_cast<std::size_t>(chunk)];
        const SavedOf<Term> once = chunkSaved<Term>(config, table, chunkOf(config, pipeline, stage), shown);
        const Term held = quantity<Term>("saved_micro_batches", count.held, {}, shown);
        saved.layers += once.layers * held;
        if (count.waiting > 0)
            saved.layers += quantity<Term>("micro_batches_waiting", count.waiting, {}, shown) * once.waiting;
        if (stage + 1 == shape.numStages()) saved.logits += once.logits * held;
    }
    return saved;
}

}  // namespace

SavedBytes addChunk(const RunConfig& config, const MemoryTable& table, const RankChunk& chunk, RankContents& held) {
    const SavedBytes once = chunkSaved<double>(config, table, chunk).bytes();
    const auto atLeast = [](double& most, double value) { most = std::max(most, value); };
    addShare(config, table, chunk, held.share);
    held.mostLayers = std::max(held.mostLayers, chunk.dense + chunk.moe);
    if (chunk.dense > 0) {
        atLeast(held.layerWorkBytes, table.denseWorkBytes);
        atLeast(held.layerParameters, table.denseParameters);
        atLeast(held.layerActivationBytes, table.denseActivationBytes);
        atLeast(held.weightPassBytes, table.denseWeightPassBytes);
    }
    if (chunk.moe > 0) {
        atLeast(held.layerWorkBytes, table.moeWorkBytes);
        atLeast(held.layerParameters, table.moeParameters);
        atLeast(held.layerExperts, table.moeExperts);
        atLeast(held.layerActivationBytes, table.moeActivationBytes);
        atLeast(held.weightPassBytes, table.moeWeightPassBytes);
    }
    if (chunk.first) held.firstChunkBytes = once.layers;
    if (chunk.last) held.headWorkBytes = table.headWorkBytes;
    if (chunk.last) held.logitsOnceBytes = table.headActivationBytes;
    return once;
}

void rankContents(const RunConfig& config, const Pipeline& pipeline, const MemoryTable& table,
                  std::vector<RankContents>& contents, const std::vector<bool>* only) {
    const PipelineShape& shape = pipeline.shape;
    const bool recursion = hasRecursion(shape);
    contents.assign(static_cast<std::size_t>(shape.pp), {});
    std::vector<SavedBytes> chunks(static_cast<std::size_t>(shape.numChunks()));
    for (std::int64_t rank = 0; rank < shape.pp; ++rank) {
        if (only != nullptr && !(*only)[static_cast<std::size_t>(rank)]) continue;
        RankContents& held = contents[static_cast<std::size_t>(rank)];
        for (std::int64_t chunk = 0; chunk < shape.numChunks(); ++chunk)
            chunks[static_cast<std::size_t>(chunk)] =
                addChunk(config, table, chunkOf(config, pipeline, shape.stageOf(rank, chunk)), held);
        finishShare(config, pipeline, table, rank, held.share);
        if (recursion) {
            held.saved = peakSaved(shape, rank, chunks);
        } else if (pipeline.sample != nullptr) {
            held.saved = peakSaved(*pipeline.sample, rank, chunks);
        } else {
            held.isBound = true;
            // At some time the rank holds its largest chunk; counted as logits it adds least to the workspaces.
            for (const SavedBytes& chunk : chunks) held.saved.logits = std::max(held.saved.logits, chunk.total());
        }
    }
}

StepMoments rankMoments(const RunConfig& config, const ClusterSpec& cluster, const MemoryTable& table,
                        const RankContents& contents) {
    const auto m = momentsOf<double>(config, cluster, table, contents, {contents.saved.layers, contents.saved.logits});
    const auto bytes = [](const BytesOf<double>& b) {
        return MemoryBreakdown{b.weightBytes, b.gradientBytes, b.optimizerBytes, b.activationBytes,
                               b.logitsBytes, b.bufferBytes,   b.reserveBytes};
    };
    return {bytes(m.rest), bytes(m.forward), bytes(m.backward), bytes(m.update)};
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
    return stageMemory(config, cluster, pipeline, isOtherSoftware(cluster) && keepsGathers(config, cluster, pipeline));
}

std::vector<StageMemory> stageMemory(const RunConfig& config, const ClusterSpec& cluster,
                                     const ScheduleSample& sample) {
    return stageMemory(config, cluster, makePipeline(config, sample));
}

namespace {

/// Calls use(pipeline) with the pipeline of a config, with its schedule simulated.
template <class Use>
auto withPipeline(const RunConfig& config, Use use) {
    const ParallelLayout& p = config.parallel;
    const auto sample = sampleSchedule(p.schedule, p.pp, config.numMicroBatches(), p.virtualStages);
    return use(sample ? makePipeline(config, *sample) : makePipeline(config));
}

}  // namespace

MomentsOf<Term> memoryTerms(const RunConfig& config, const ClusterSpec& cluster, std::int64_t rank) {
    return withPipeline(config, [&](const Pipeline& pipeline) {
        const MemoryTable table =
            makeMemoryTable(config, cluster, isOtherSoftware(cluster) && keepsGathers(config, cluster, pipeline));
        std::vector<RankContents> contents;
        rankContents(config, pipeline, table, contents);
        return momentsOf<Term>(config, cluster, table, contents[static_cast<std::size_t>(rank)],
                               savedTerms(config, pipeline, table, rank));
    });
}

Term savedLayersTerm(const RunConfig& config, std::int64_t rank) {
    return withPipeline(config, [&](const Pipeline& pipeline) {
        return savedTerms(config, pipeline, makeMemoryTable(config), rank).layers;
    });
}

}  // namespace slipway
