#include "core/planner/stack/stack_costs.h"

#include "core/base/real.h"
#include "core/planner/memory/activations.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

std::int64_t perNode(const ClusterSpec& cluster) {
    return std::max<std::int64_t>(cluster.devicesPerNode, 1);
}

bool overNodes(const RunConfig& config, const ClusterSpec& cluster) {
    return config.parallel.worldSize() > perNode(cluster);
}

/// The latency of a hop that makes a whole ring of n ranks start in `seconds`.
double hopSeconds(double seconds, double n) {
    return n > 1 ? seconds / (n - 1) : 0;
}

/// What its collectives add to the time the host needs for a layer, both passes: they reach rank after rank.
double hostGrowthSeconds(const ParallelLayout& p, const StackProfile& s) {
    return p.tp > 1 ? s.layerHostSeconds * s.pipelineHostGrowth * std::pow(real(p.tp - 1), s.pipelineHostExponent) : 0;
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

}  // namespace

void applyStack(const RunConfig& config, const StackProfile& s, bool keepGathers, MemoryTable& table) {
    const ParallelLayout& p = config.parallel;
    const ModelSpec& m = config.model;
    const double tp = real(p.tp);
    const double tokens = real(config.train.microBatchSize * config.train.seqLen) / real(p.cp) * s.allocatorFactor;
    const double h = real(m.hiddenSize), f = real(m.ffnHiddenSize);
    const bool wrapped = p.zeroStage == 0 && p.dp > 1;
    const bool gathers = p.sequenceParallel && p.tp > 1;
    const double moments =
        momentBytes(config.train, config.optimizer) * (config.optimizer.kind == OptimizerKind::Lion ? 1 : 2);
    const double again =
        config.train.recompute.policy == RecomputePolicy::Full ? recomputedShare(config) : 0;  // of the layers
    // A rank of its own adds each 16-bit gradient to the main one and drops it.
    const double copies = (p.dp > 1 ? s.gradientCopyBytes : 0) + (wrapped ? s.wrapperBytes : 0);
    table.policy = {"stack", 2, 4 + copies, 4 + moments,
                    "calibrated software stack: fp32 main gradients, master copy and moments"};
    const double kept = tokens * ((s.hiddenBytes * h + s.ffnBytes * f + 4 * real(m.numHeads)) / tp +
                                  (gathers && keepGathers ? 2 * s.keptGathers * h : 0));
    table.denseActivationBytes = table.moeActivationBytes = again * 2 * tokens * h / tp + (1 - again) * kept;
    table.denseWorkBytes = table.moeWorkBytes =
        tokens * ((s.workHiddenBytes * h + s.workFfnBytes * f) / tp + (gathers ? s.workGatheredBytes * h : 0)) +
        (again > 0 ? kept : 0);
    table.headActivationBytes =
        tokens * real(m.vocabSize) / tp * (s.logitBytes + (config.numMicroBatches() > 1 ? s.accumulatedLogitBytes : 0));
    table.headWorkBytes = table.headGradientWorkBytes = table.embeddingGradientWorkBytes = 0;
    table.messageBytes = table.inputBytes = table.rotaryBytes = 0;
    table.flightBytes = p.pp > 1 ? s.messageCopies * tokens * h / tp : 0;
    // The allocator gives memory of the communication stream to no other, so it comes on top at every moment.
    // The more micro-batches wait in a pipeline, the more it gathers before anything is freed; from eight stages on no more.
    constexpr double kDeepStages = 8;
    const double streamBytes =
        p.pp > 1 ? s.pipelineStreamGatherBytes * std::min(real(p.pp) / kDeepStages, 1.0) : s.streamGatherBytes;
    table.reserveBytes = s.fixedBytes + (gathers && keepGathers ? tokens * h * streamBytes : 0);
}

void applyStack(const StackProfile& s, TimeConstants& c) {
    c.gemmEfficiency = s.gemmEfficiency;
    c.gemmShapeLoss = s.gemmShapeLoss;
    c.attentionEfficiency = s.attentionEfficiency;
    c.memoryEfficiency = s.memoryEfficiency;
    c.operationSeconds = 0;
    c.hidesOperations = true;
    c.optimizerBytesPerParameter *= s.optimizerTraffic * s.memoryEfficiency;
    c.gradientBytesPerParameter *= s.optimizerTraffic * s.memoryEfficiency;
    c.stepFixedSeconds = s.stepFixedSeconds;
}

void setStackLinks(const RunConfig& config, const ClusterSpec& cluster, TimeTable& table) {
    const StackProfile& s = *cluster.stack;
    const ParallelLayout& p = config.parallel;
    const double tp = real(p.tp), node = real(perNode(cluster));
    table.tpLink = tp <= node ? LinkSpec{s.tpIntraBytesPerSecond,
                                         hopSeconds(s.tpIntraLatencySeconds * std::log2(std::max(tp, 2.0)), tp)}
                              : LinkSpec{s.tpInterBytesPerSecond, hopSeconds(s.tpInterLatencySeconds * tp / node, tp)};
    // The data-parallel ranks of a node share its cards with the rings of the other tensor-parallel ranks.
    const double n = real(p.dp * p.cp);
    const double nodes = std::max(1.0, n * tp / node);
    const double ranksInNode = std::min(n, std::max(1.0, node / tp));
    const double bandwidth = nodes <= 1 ? cluster.intraNode.bytesPerSecond
                                        : s.dpBytesPerSecond * ranksInNode / node * std::pow(nodes, -s.dpCongestion);
    table.dpLink = LinkSpec{bandwidth, hopSeconds(0.5 * s.dpLatencySeconds * std::log2(std::max(n, 1.0)), n)};
}

void applyStack(const RunConfig& config, const ClusterSpec& cluster, TimeTable& table) {
    const StackProfile& s = *cluster.stack;
    const ParallelLayout& p = config.parallel;
    table.transferSeconds = 0;  // messages are announced and waited for: they are in slotSeconds and stallSeconds
    const bool contended = p.pp > 1 && overNodes(config, cluster);
    const double hostSeconds = s.layerHostSeconds + (contended ? hostGrowthSeconds(p, s) : 0);
    waitForHost(hostSeconds, table.dense);
    waitForHost(hostSeconds, table.moe);
    table.slotSeconds = p.pp > 1 ? s.messageSeconds * (overNodes(config, cluster) ? 1 : 0.3) : 0;
}

StallFacts stallFacts(const RunConfig& config, const ClusterSpec& cluster) {
    const ParallelLayout& p = config.parallel;
    StallFacts facts;
    facts.nodes = (p.worldSize() + perNode(cluster) - 1) / perNode(cluster);
    facts.pipeline = p.pp > 1;
    facts.tpNodes = p.tp / perNode(cluster);
    facts.wrapperMicroBatches = p.zeroStage == 0 && p.dp > 1 ? config.numMicroBatches() : 0;
    facts.dataRanks = p.dp * p.cp;
    facts.sharded = p.zeroStage > 0;
    facts.sequences = config.train.microBatchSize;
    facts.hiddenSize = config.model.hiddenSize;
    facts.shortPipelineRanks = p.pp == 2 ? p.tp : 0;
    return facts;
}

namespace {

/// Replicas of which each spans nodes are few up to this many.
constexpr std::int64_t kFewReplicas = 4;
/// Pipelines of two stages that need more than this share of the memory without gathered inputs keep them.
constexpr double kRegatherShare = 0.5;
/// More than the memory by more than a forecast errs.
constexpr double kClearlyMore = 1.04;
/// PyTorch's DistributedDataParallel sends 16-bit gradients in buckets of 25 MiB (bucket_cap_mb).
constexpr double kWrapperBucketBytes = 25.0 * 1024 * 1024, kWrapperElementBytes = 2;
/// Under sequence parallelism: two gathers and two scatters forward, the same backward, and both inputs gathered again for
/// the gradients of the weights (Korthikanti 2022, arXiv 2205.05198, sec. 4.2.2).
constexpr double kLayerCollectives = 10;

/// What the wrapper's buckets cost the host in a step, a further rank of a bucket as much as one of a layer's collective.
double bucketSeconds(const RunConfig& config, const StackProfile& s, const Pipeline& pipeline) {
    const ParallelLayout& p = config.parallel;
    if (p.zeroStage > 0 || p.dp * p.cp <= 1) return 0;
    const double parameters = rankShare(config, pipeline, makeMemoryTable(config), 0).parameters;
    return s.layerHostSeconds * s.pipelineHostGrowth / kLayerCollectives * real(p.dp * p.cp - 1) * parameters *
           kWrapperElementBytes / kWrapperBucketBytes;
}

}  // namespace

bool isCongested(const StallFacts& facts, const StackProfile& s) {
    // Without a pipeline only a wide data-parallel group has others to wait for.
    if (facts.nodes >= s.congestedNodes && (facts.pipeline || facts.dataRanks >= s.stallDataRanks)) return true;
    if (facts.wrapperMicroBatches >= s.stallMicroBatches &&
        (facts.pipeline ? facts.nodes >= s.stallWrapperNodes
                        : facts.nodes >= s.stallShardNodes && facts.dataRanks >= s.stallDataRanks))
        return true;
    if (!facts.pipeline)
        return facts.tpNodes > 1 && facts.sequences >= s.stallLargeSequences && facts.dataRanks > 1 &&
               facts.dataRanks <= kFewReplicas;
    return facts.tpNodes >= s.stallTpNodes ||
           (facts.sharded && facts.nodes >= s.stallShardNodes && facts.dataRanks >= s.stallShardRanks) ||
           (facts.nodes >= s.stallLargeNodes && facts.hiddenSize >= s.stallLargeHidden &&
            facts.sequences >= s.stallLargeSequences);
}

bool waits(const StallFacts& facts, const PeakBytes& peak, const StackProfile& s) {
    return isCongested(facts, s) || peak.kept > s.stallLimitBytes || peak.live > s.stallLiveLimitBytes;
}

bool gathersAgain(const StallFacts& facts, const PeakBytes& peak, const StackProfile& s) {
    return isCongested(facts, s) ||
           (facts.shortPipelineRanks >= s.regatherRanks && peak.live <= kRegatherShare * s.usableBytes);
}

double stalledSeconds(const RunConfig& config, const StackProfile& stack, const Pipeline& pipeline) {
    const auto m = real(pipeline.shape.numMicroBatches), pp = real(pipeline.shape.pp);
    if (pipeline.shape.pp == 1)
        return (stack.stallLayerSeconds + hostGrowthSeconds(config.parallel, stack)) *
                   real(pipeline.ranges.front().count) * m +
               bucketSeconds(config, stack, pipeline);
    // To and from each neighbour for each micro-batch, and the passes that fill the pipeline.
    return stack.stallSeconds * real(pipeline.shape.numChunks()) *
           (2 * std::min(pp - 1, 2.0) * m + std::max(pp - 2, 0.0));
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
    return {fullest(true), fullest(false)};
}

bool keepsGathers(const RunConfig& config, const ClusterSpec& cluster, const PeakBytes& peak) {
    const StackProfile& s = *cluster.stack;
    // Beyond usableKeptBytes a pipeline that fills asks for more than the allocator can give back; ranks of one node without
    // a pipeline keep their inputs even where those clearly do not fit.
    const ParallelLayout& p = config.parallel;
    const bool overflows =
        p.pp > 1 ? peak.kept > s.usableKeptBytes
                 : p.tp <= perNode(cluster) && peak.kept > kClearlyMore * std::max(s.usableBytes, s.gatherLimitBytes);
    return overflows || (!gathersAgain(stallFacts(config, cluster), peak, s) &&
                         peak.kept <= std::min(s.gatherLimitBytes, cluster.device.memoryBytes));
}

bool keepsGathers(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline) {
    return keepsGathers(config, cluster, stackPeakBytes(config, cluster, pipeline));
}

double capacityBytes(const ClusterSpec& cluster, bool gathersKept) {
    const StackProfile& s = *cluster.stack;
    return std::min(cluster.device.memoryBytes,
                    gathersKept ? std::max(s.usableBytes, s.gatherLimitBytes) : s.usableBytes);
}

double reductionFactor(const ParallelLayout& p, const StackProfile& s) {
    return p.zeroStage > 0 ? s.zeroReduceFactor : p.pp > 1 ? s.pipelineExposedShare : s.wrapperExposedShare;
}

void applyStackShards(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline,
                      const PeakBytes& peak, TimeTable& table) {
    const StackProfile& s = *cluster.stack;
    table.reductionFactor = reductionFactor(config.parallel, s);
    table.stallSeconds = waits(stallFacts(config, cluster), peak, s) ? stalledSeconds(config, s, pipeline) : 0;
}

void applyStackShards(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline, TimeTable& table) {
    applyStackShards(config, cluster, pipeline, stackPeakBytes(config, cluster, pipeline), table);
}

}  // namespace slipway
