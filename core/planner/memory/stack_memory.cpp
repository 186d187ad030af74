#include "core/planner/memory/stack_memory.h"

#include "core/base/real.h"
#include "core/planner/memory/activations.h"
#include "core/planner/stack/stack_links.h"

#include <algorithm>

namespace slipway {

namespace {

double tokensPerRank(const RunConfig& c) {
    return real(c.train.microBatchSize * c.train.seqLen) / real(c.parallel.cp);
}

/// What one layer keeps under selective recomputation in the style of torchtitan (torchtitan/parallelisms/parallelize_llama.py):
/// the input, the products of queries, values, gate and down projection, attention's output with its statistics.
double everyOtherProductBytes(const RunConfig& c) {
    const double kv = real(c.model.kvHeads() * c.model.headSize()), q = real(c.model.numHeads * c.model.headSize());
    return tokensPerRank(c) / real(c.parallel.tp) *
           (2 * (2 * real(c.model.hiddenSize) + 2 * q + kv + real(c.model.ffnHiddenSize)) + 4 * real(c.model.numHeads));
}

void storeUnfusedAttention(const RunConfig& c, MemoryTable& table) {
    const ParallelLayout& p = c.parallel;
    const auto bytes = [&](ActivationForm form) {
        return korthikantiLayerBytes(real(c.train.seqLen) / real(p.cp), real(c.train.microBatchSize),
                                     real(c.model.hiddenSize), real(c.model.numHeads), real(p.tp), p.sequenceParallel,
                                     form);
    };
    const double whole = bytes(ActivationForm::Full);
    double kept = whole;
    if (c.train.recompute.policy == RecomputePolicy::Selective) kept = bytes(ActivationForm::Selective);
    if (c.train.recompute.policy == RecomputePolicy::Full) kept = residualBytes(c);
    table.denseActivationBytes = table.moeActivationBytes = kept;
    table.denseWorkBytes = table.moeWorkBytes = c.train.recompute.policy == RecomputePolicy::None ? 0 : whole;
}

void storeEveryOtherProduct(const RunConfig& c, MemoryTable& table) {
    if (c.train.recompute.policy != RecomputePolicy::Selective) return;
    RunConfig all = c;
    all.train.recompute.policy = RecomputePolicy::None;
    table.denseActivationBytes = everyOtherProductBytes(c);
    table.denseWorkBytes += layerActivationBytes(all, false) - table.denseActivationBytes;
}

/// Values and attention's output have the width of values, not padded to the queries' width as in the bundled trainer.
void narrowValues(const RunConfig& c, MemoryTable& table) {
    if (!c.model.mla || c.train.recompute.policy != RecomputePolicy::None) return;
    const MlaSpec& mla = *c.model.mla;
    const double padding = 2 * 2 * tokensPerRank(c) * real(c.model.numHeads) / real(c.parallel.tp) *
                           real(mla.qkNopeHeadDim + mla.qkRopeHeadDim - mla.vHeadDim);
    table.denseActivationBytes -= padding;
    table.moeActivationBytes -= padding;
}

}  // namespace

void applyStack(const RunConfig& config, const SoftwareStack& s, bool keepGathers, MemoryTable& table) {
    const ParallelLayout& p = config.parallel;
    const double tokens = tokensPerRank(config), tp = real(p.tp), h = real(config.model.hiddenSize);
    if (const StatePolicy* policy = findStatePolicy(s.facts.states)) table.policy = *policy;
    if (p.dp > 1) table.policy.gradientBytes += s.facts.gradientCopyBytes;
    if (s.facts.layers == LayerStorage::UnfusedAttention) storeUnfusedAttention(config, table);
    if (s.facts.layers == LayerStorage::EveryOtherProduct) storeEveryOtherProduct(config, table);
    narrowValues(config, table);
    // Recomputing layers drop their copies with their tensors.
    const double kept = config.train.recompute.policy == RecomputePolicy::Full ? 1 - recomputedShare(config) : 1;
    const bool gathers = s.facts.keepsGathered && keepGathers && p.sequenceParallel && p.tp > 1;
    const double copies = kept * tokens * h * (s.extraHiddenBytes.value / tp + (gathers ? 2 * s.keptGathers.value : 0));
    table.denseActivationBytes += copies;
    table.moeActivationBytes += copies;
    table.headActivationBytes = tokens * real(config.model.vocabSize) / tp * s.facts.logitBytes;
    table.headWorkBytes = table.headGradientWorkBytes = table.embeddingGradientWorkBytes = 0;
    table.messageBytes = table.inputBytes = table.rotaryBytes = 0;
    table.flightBytes = p.pp > 1 ? s.facts.messageCopies * residualBytes(config) : 0;
    table.wholeBytesPerParameter = p.pp > 1 ? s.facts.wholeGradientBytes : 0;
    table.stepBytesPerParameter = s.facts.stepBytes;
    table.rootBytes = s.facts.rootStays && p.zeroStage >= 3 && p.reshardAfterForward && shardRanks(p).dense > 1
                          ? table.tableParameters * table.policy.weightBytes
                          : 0;
    // The allocator never reuses memory of the communication stream for others, so it adds to every moment. Pipelines
    // of fewer than eight stages prefetch fewer gathers.
    constexpr double kDeepStages = 8, kPipelineShare = 0.6;
    const double ahead = p.pp > 1 ? kPipelineShare * std::min(real(p.pp) / kDeepStages, 1.0) : 1;
    table.allocatorFactor = s.allocatorFactor.value;
    table.reserveBytes = s.fixedBytes.value + (gathers ? tokens * h * s.streamBytes.value * ahead : 0);
}

PeakBytes stackPeakBytes(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline) {
    const auto fullest = [&](bool keepGathers) {
        const MemoryTable table = makeMemoryTable(config, cluster, keepGathers);
        std::vector<RankContents> contents;
        rankContents(config, pipeline, table, contents);
        double peak = 0;
        for (const RankContents& held : contents)
            peak = std::max(peak, rankBytes(config, cluster, table, held).totalBytes());
        return peak;
    };
    const double live = fullest(false);
    return {cluster.stack->facts.keepsGathered ? fullest(true) : live, live};
}

bool keepsGathers(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline) {
    return cluster.stack->facts.keepsGathered && waitChance(config, cluster) <= 0.5 &&
           stackPeakBytes(config, cluster, pipeline).kept <= capacityBytes(cluster);
}

double capacityBytes(const ClusterSpec& cluster) {
    return cluster.device.memoryBytes * cluster.stack->usableShare.value;
}

}  // namespace slipway
