// Bounds on a group of layouts before its pipelines are evaluated.
#include "core/planner/search/share_bounds.h"

#include "core/base/real.h"
#include "core/planner/memory/stack_memory.h"
#include "core/planner/search/layout_evaluator.h"
#include "core/planner/time/share_seconds.h"

#include <algorithm>
#include <limits>

namespace slipway {

namespace {

/// Margin for rounding of additions in a different order.
constexpr double kRounding = 1 - 1e-9;

/// Layers of one rank: at least this many mixtures of experts; the kinds of the others are unknown.
struct LeastLayers {
    double mixtures = 0, others = 0;
    bool hasMoe = false, hasDense = true;

    LeastLayers(const ModelSpec& m, const RankLayers& layers)
        : mixtures(real(layers.mixtures)),
          others(real(layers.all - layers.mixtures)),
          hasMoe(m.moe && m.moe->numDenseLayers < m.numLayers),
          hasDense(!m.moe || m.moe->numDenseLayers > 0) {}
    [[nodiscard]] double lesser(double dense, double moe) const {
        return !hasMoe ? dense : !hasDense ? moe : std::min(dense, moe);
    }
};

void keepLesser(double& least, double value) {
    least = std::min(least, value > 0 ? value : 0.0);  // unknown values are no evidence
}

}  // namespace

double ShareBounds::seconds(double passSeconds, std::int64_t zeroStage, Offload offload) const {
    const StageBound& s = stages.at(static_cast<std::size_t>(zeroStage));
    // A rank's backward passes of one micro-batch take at most 1 / m of all passes x, the computing at most x. Longer passes hide more;
    // the sum is convex in x, so its minimum is at the least x, or where one of the two is just hidden.
    const auto with = [&](double x) {
        return x + std::max(0.0, s.gradients - s.hidingPasses * x / numMicroBatches) +
               std::max(0.0, s.weights - kGatherWindow * x);
    };
    const double passes = std::max(0.0, passSeconds - fixedSeconds);
    double least = with(passes);
    for (const double x : {s.gradients * numMicroBatches / s.hidingPasses, s.weights / kGatherWindow})
        if (x > passes) least = std::min(least, with(x));
    const double beside = least - passes + s.inOpen + s.optimizer.at(offloadsOptimizer(offload) ? 1 : 0);
    return passSeconds + beside * kRounding;
}

/// Lower bound on the share of a rank with these layers; the first one has the embedding.
RankShare LayoutEvaluator::leastShare(const RankLayers& own, bool first, const MemoryTable& table) const {
    const LeastLayers layers(m_config.model, own);
    RankShare share;
    share.first = first;
    share.last = m_config.parallel.pp == 1;
    share.numLayers = own.all;
    // Layers of unknown kind count without experts, which may be sharded over more ranks.
    share.parameters = layers.mixtures * table.moeParameters +
                       layers.others * layers.lesser(table.denseParameters, table.moeParameters - table.moeExperts) +
                       (first ? table.tableParameters : 0);
    share.experts = layers.mixtures * table.moeExperts;
    return share;
}

/// @param flights micro-batches that it keeps at some time of every chunk
RankContents LayoutEvaluator::leastContents(const RankLayers& own, bool first, double flights) {
    const MemoryTable& table = leastMemory();
    const bool last = m_config.parallel.pp == 1;
    const LeastLayers layers(m_config.model, own);
    RankContents contents;
    contents.share = leastShare(own, first, table);
    contents.share.matrices = layers.mixtures * table.moeMatrices +
                              layers.others * layers.lesser(table.denseMatrices, table.moeMatrices - table.moeExperts);
    const double activations = layers.lesser(table.denseActivationBytes, table.moeActivationBytes);
    contents.saved.layers = flights * (layers.mixtures * table.moeActivationBytes + layers.others * activations);
    contents.saved.logits = contents.logitsOnceBytes = last ? table.headActivationBytes : 0;
    contents.firstChunkBytes = first ? contents.saved.layers : 0;  // lower bound: nothing else is saved
    contents.headWorkBytes = last ? table.headWorkBytes : 0;
    contents.mostLayers = own.largestChunk;
    if (own.largestChunk > 0) {
        // The largest layer is a mixture if present, unless a dense layer saves more.
        const bool mixture = layers.mixtures > 0 && table.moeActivationBytes >= table.denseActivationBytes;
        const auto largest = [&](double dense, double moe) { return mixture ? moe : layers.lesser(dense, moe); };
        const double experts = mixture ? table.moeExperts : 0;
        contents.layerExperts = experts;
        contents.layerParameters = largest(table.denseParameters, table.moeParameters - table.moeExperts) + experts;
        contents.layerWorkBytes = largest(table.denseWorkBytes, table.moeWorkBytes);
        contents.layerActivationBytes = largest(table.denseActivationBytes, table.moeActivationBytes);
        contents.weightPassBytes = largest(table.denseWeightPassBytes, table.moeWeightPassBytes);
    }
    return contents;
}

/// What any ZeRO stage and offload has at least.
const MemoryTable& LayoutEvaluator::leastMemory() {
    if (m_leastMemory) return *m_leastMemory;
    setShares({}, Offload::None);  // without ZeRO-3, in which a stack may keep the root's weights gathered
    m_leastMemory = makeMemoryTable(m_config, m_cluster, false);
    if (!m_cluster.stack) m_memory = m_leastMemory;
    return *m_leastMemory;
}

ShareBytes LayoutEvaluator::boundBytes(const LeastPipeline& pipelines, const ShareClasses& classes) {
    const ParallelLayout& p = m_config.parallel;
    // Where backward passes are whole the first rank keeps at some time min(pp, m) micro-batches of every chunk (all forwards
    // come first; 1F1B warms up with pp - 1 and runs one more; interleaved with more than pp of each chunk), each rank one less.
    const std::int64_t flights = pipelines.kinds.isOrdered ? m_config.numMicroBatches() : 0;
    const std::vector<RankContents> ranks = leastRanks(pipelines.first, pipelines.mixed, flights, false);
    ShareBytes bytes{};
    for (std::int64_t zero = 0; zero <= (p.dp * p.cp > 1 ? 3 : 0); ++zero)
        for (const auto& offload : enumNames(Offload{})) {
            if (!classes.test(shareClass(zero, offload.value))) continue;
            setShares({zero, 0}, offload.value);
            bytes.at(shareClass(zero, offload.value)) = fullestLeastBytes(ranks);
        }
    return bytes;
}

/// The first rank, and the one with the most mixtures if the first has only the model's leading dense layers.
/// @param allAtOnce forward passes of all micro-batches come first
std::vector<RankContents> LayoutEvaluator::leastRanks(const RankLayers& first, const RankLayers& mixed,
                                                      std::int64_t numMicroBatches, bool allAtOnce) {
    const auto flights = [&](std::int64_t rank) {
        return real(allAtOnce ? numMicroBatches : std::min(m_config.parallel.pp - rank, numMicroBatches));
    };
    std::vector<RankContents> ranks{leastContents(first, true, flights(0))};
    if (mixed.rank > 0) ranks.push_back(leastContents(mixed, false, flights(mixed.rank)));
    return ranks;
}

double LayoutEvaluator::fullestLeastBytes(const std::vector<RankContents>& ranks) const {
    double most = 0;
    for (const RankContents& contents : ranks)
        most = std::max(most, rankBytes(m_config, m_cluster, *m_leastMemory, contents).totalBytes());
    return most * kRounding;
}

double LayoutEvaluator::leastBytes(const Sharding& sharding, Offload offload) {
    if (m_least.empty()) {
        const PipelineShape& shape = m_pipeline.shape;
        const std::int64_t flights = hasRecursion(shape) ? shape.numMicroBatches : 0;
        m_least = leastRanks(m_first, m_mixed, flights, shape.kind == ScheduleKind::Afab);
    }
    setShares(sharding, offload);
    return fullestLeastBytes(m_least);
}

ShareBounds LayoutEvaluator::boundShares(const LeastPipeline& pipelines, const std::vector<Sharding>& shardings) {
    ShareBounds bounds;
    TimeTable& table = timeTable();
    bounds.numMicroBatches = real(m_config.numMicroBatches());
    bounds.fixedSeconds = table.speed.constants.stepFixedSeconds;
    constexpr double kNone = std::numeric_limits<double>::infinity();
    bounds.stages.fill({kNone, 1, kNone, kNone, {kNone, kNone}});
    if (!m_memory) m_memory = makeMemoryTable(m_config);  // parameters; a stack's are the same
    const RankShare share = leastShare(pipelines.first, true, *m_memory);
    for (const Sharding& sharding : shardings) {
        setShares(sharding, Offload::None);
        setLinks();
        StepTraffic traffic = dpTraffic(m_config, share);
        traffic.tied = {};  // both ends may be on one rank
        ShareSeconds own = shareSeconds<double>(m_config, traffic, table);
        if (pipelines.kinds.pairs) own.gradients = own.weights = 0;  // overlapping passes end sooner than their sum
        StageBound& stage = bounds.stages.at(static_cast<std::size_t>(sharding.zeroStage));
        keepLesser(stage.gradients, own.gradients);
        stage.hidingPasses = std::max(stage.hidingPasses, own.hidingPasses);
        keepLesser(stage.weights, own.weights);
        keepLesser(stage.inOpen,
                   own.inOpen + table.slotSeconds * real(m_config.numMicroBatches() + m_config.parallel.pp - 1));
        keepLesser(stage.optimizer[0], optimizerSeconds<double>(m_config, table.speed, share));
        setShares(sharding, Offload::Optimizer);
        keepLesser(stage.optimizer[1], optimizerSeconds<double>(m_config, table.speed, share));
    }
    setShares({}, Offload::None);
    return bounds;
}

double LayoutEvaluator::boundHostWait() {
    return hostWaitLowerBound(m_config, timeTable());
}

double LayoutEvaluator::boundCapacityBytes() {
    return m_cluster.stack ? slipway::capacityBytes(m_cluster) : m_capacityBytes;
}

}  // namespace slipway
