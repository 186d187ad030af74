#include "core/planner/stack/stack_costs.h"

#include "core/base/real.h"
#include "core/planner/memory/activations.h"
#include "core/planner/stack/calibrated_range.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

std::int64_t perNode(const ClusterSpec& cluster) {
    return std::max<std::int64_t>(cluster.devicesPerNode, 1);
}

double nodesOf(const RunConfig& config, const ClusterSpec& cluster) {
    return real((config.parallel.worldSize() + perNode(cluster) - 1) / perNode(cluster));
}

double tokensPerRank(const RunConfig& c) {
    return real(c.train.microBatchSize * c.train.seqLen) / real(c.parallel.cp);
}

/// Longer of device and host: (d^6 + h^6)^(1/6), because the two take turns in being ahead within a layer.
void waitForHost(double hostSeconds, PassCosts& layer) {
    const double device = layer.compute.total() + layer.tpForwardSeconds + layer.tpBackwardSeconds;
    if (!(device > 0) || hostSeconds <= 0) return;
    const double longer = std::max(device, hostSeconds), shorter = std::min(device, hostSeconds);
    const double both = longer * std::pow(1 + std::pow(shorter / longer, 6), 1.0 / 6);
    const double wait = (both - device) / 3;
    layer.compute += {wait, wait, wait};
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

/// Values and attention's output are as wide as values are, not padded to the queries' width as in the bundled trainer.
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
    // Layers that recompute drop their copies with their tensors.
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
    // The allocator gives memory of the communication stream to no other, so it comes on top at every moment. Pipelines of
    // fewer than eight stages run fewer gathers ahead.
    constexpr double kDeepStages = 8, kPipelineShare = 0.6;
    const double ahead = p.pp > 1 ? kPipelineShare * std::min(real(p.pp) / kDeepStages, 1.0) : 1;
    table.allocatorFactor = s.allocatorFactor.value;
    table.reserveBytes = s.fixedBytes.value + (gathers ? tokens * h * s.streamBytes.value * ahead : 0);
}

void applyStack(const SoftwareStack& s, TimeConstants& c) {
    c.gemmEfficiency = s.gemmEfficiency.value;
    c.attentionEfficiency = s.attentionEfficiency.value;
    c.memoryEfficiency = s.memoryEfficiency.value;
    c.operationSeconds = 0;
    c.hidesOperations = true;
}

LinkSpec stackLink(const SoftwareStack& s, LinkSpec link, double nodes, double ranks) {
    if (nodes <= 1) {
        link.bytesPerSecond *= s.intraShare.value;
        return link;
    }
    link.bytesPerSecond *= s.interShare.value * std::pow(nodes / 2, -s.congestion.value);
    link.latencySeconds = s.interLatencySeconds.value * nodes / std::max(1.0, ranks - 1);
    return link;
}

void applyStack(const RunConfig& config, const ClusterSpec& cluster, TimeTable& table) {
    const SoftwareStack& s = *cluster.stack;
    const ParallelLayout& p = config.parallel;
    const bool overNodes = nodesOf(config, cluster) > 1;
    // Under sequence parallelism: two gathers and two scatters forward, the same backward, and both inputs gathered again for
    // the gradients of the weights (Korthikanti 2022, arXiv 2205.05198, sec. 4.2.2).
    constexpr double kLayerCollectives = 10;
    const double collectives = p.pp > 1 && overNodes ? kLayerCollectives * s.rankSeconds.value * real(p.tp - 1) : 0;
    // Recomputation launches the forward pass once more, a third of a layer's operations.
    const double again = config.train.recompute.policy == RecomputePolicy::Full ? recomputedShare(config) / 3 : 0;
    const double hostSeconds = (s.layerSeconds.value + collectives) * (1 + again);
    waitForHost(hostSeconds, table.dense);
    waitForHost(hostSeconds, table.moe);
    constexpr double kInsideNode = 0.3;
    table.transferSeconds = 0;  // messages are announced and waited for in their slots
    table.slotSeconds = p.pp > 1 ? s.messageSeconds.value * (overNodes ? 1 : kInsideNode) : 0;
    // Of one chunk; a step knows how many its schedule has (time/step.cpp).
    const PipelineShape shape{ScheduleKind::OneFOneB, p.pp, config.numMicroBatches(), 1};
    table.waitChance = waitChance(config, cluster);
    table.waitSeconds = table.waitChance > 0 ? waitSeconds(s, shape) : 0;
    table.stepSpread = stepSpread(s, config, cluster);
    if (extrapolation(s, config, cluster)) table.label = "extrapolated";
}

double waitChance(const RunConfig& config, const ClusterSpec& cluster) {
    const double nodes = nodesOf(config, cluster);
    if (config.parallel.pp == 1 || nodes <= 1 || !cluster.stack) return 0;
    const StackConstant& perNode = cluster.stack->waitChance;
    if (!(perNode.uncertainty > 0)) return 1 - std::pow(1 - perNode.value, nodes);
    // The logarithm of the chance is normal: in eighths of a standard deviation, up to three of them.
    constexpr double kMost = 0.5;
    double sum = 0, weights = 0;
    for (int eighths = -24; eighths <= 24; ++eighths) {
        const double z = eighths / 8.0, weight = std::exp(-z * z / 2);
        const double q = std::min(kMost, perNode.value * std::exp(z * perNode.uncertainty));
        sum += weight * (1 - std::pow(1 - q, nodes));
        weights += weight;
    }
    return sum / weights;
}

double waitSeconds(const SoftwareStack& stack, const PipelineShape& shape) {
    const auto m = real(shape.numMicroBatches), pp = real(shape.pp);
    return stack.waitSeconds.value * real(shape.numChunks()) * (2 * std::min(pp - 1, 2.0) * m + std::max(pp - 2, 0.0));
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

bool keepsGathers(const RunConfig& config, const ClusterSpec& cluster, const PeakBytes& peak) {
    return cluster.stack->facts.keepsGathered && waitChance(config, cluster) <= 0.5 &&
           peak.kept <= capacityBytes(cluster);
}

bool keepsGathers(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline) {
    if (!cluster.stack->facts.keepsGathered) return false;
    return keepsGathers(config, cluster, stackPeakBytes(config, cluster, pipeline));
}

double capacityBytes(const ClusterSpec& cluster) {
    return cluster.device.memoryBytes * cluster.stack->usableShare.value;
}

}  // namespace slipway
