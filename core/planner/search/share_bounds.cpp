// Bounds on a group of layouts before its pipelines are evaluated.
#include "core/planner/search/share_bounds.h"

#include "core/base/real.h"
#include "core/planner/search/layout_evaluator.h"

#include <algorithm>
#include <limits>

namespace slipway {

namespace {

void keepLesser(double& least, double value) {
    least = std::min(least, value > 0 ? value : 0.0);  // unknown values are no evidence
}

}  // namespace

double ShareBounds::seconds(double passSeconds, std::int64_t zeroStage, Offload offload) const {
    const StageBound& s = stages.at(static_cast<std::size_t>(zeroStage));
    // A rank's backward passes of one micro-batch take at most 1 / m of all passes x, the computing at most x. Longer passes hide more;
    // the sum is convex in x, so its minimum is at the least x, or where one of the two is just hidden.
    const auto with = [&](double x) { return x + s.share.exposed(x / numMicroBatches, x); };
    const double passes = std::max(0.0, passSeconds - fixedSeconds);
    double least = with(passes);
    for (const double x : {s.share.gradients * numMicroBatches / s.share.hidingPasses, s.share.weights / kGatherWindow})
        if (x > passes) least = std::min(least, with(x));
    const double beside = least - passes + s.optimizer.at(offloadsOptimizer(offload) ? 1 : 0);
    return passSeconds + beside * kRounding;
}

/// @param flights micro-batches that it keeps at some time of every chunk
RankContents LayoutEvaluator::leastContents(const RankLayers& own, bool first, double flights) {
    const RankChunk least{own.all - own.mixtures, own.mixtures, first, m_config.parallel.pp == 1};
    RankContents contents;
    const SavedBytes once = addChunk(m_config, leastMemory(), least, contents);
    contents.saved = {flights * once.layers, once.logits};
    if (first) contents.firstChunkBytes = contents.saved.layers;  // lower bound: nothing else is saved
    contents.mostLayers = own.largestChunk;
    return contents;
}

/// What any ZeRO stage and offload has at least. A layer that is no mixture for certain has the lesser of each kind's,
/// without experts, which may be sharded over more ranks.
const MemoryTable& LayoutEvaluator::leastMemory() {
    if (m_leastMemory) return *m_leastMemory;
    setShares({}, Offload::None);  // without ZeRO-3, in which a stack may keep the root's weights gathered
    m_leastMemory = makeMemoryTable(m_config, m_cluster, false);
    if (!m_cluster.stack) m_memory = m_leastMemory;
    const std::optional<MoeSpec>& moe = m_config.model.moe;
    if (!moe || moe->numDenseLayers >= m_config.model.numLayers) return *m_leastMemory;
    MemoryTable& table = *m_leastMemory;
    const auto lessen = [&](double& dense, double mixture) {
        dense = moe->numDenseLayers > 0 ? std::min(dense, mixture) : mixture;
    };
    lessen(table.denseParameters, table.moeParameters - table.moeExperts);
    lessen(table.denseMatrices, table.moeMatrices - table.moeExperts);
    lessen(table.denseActivationBytes, table.moeActivationBytes);
    lessen(table.denseWorkBytes, table.moeWorkBytes);
    lessen(table.denseWeightPassBytes, table.moeWeightPassBytes);
    return table;
}

ShareBytes LayoutEvaluator::boundBytes(const LeastPipeline& pipelines, const ShareClasses& classes, bool stateAlone) {
    // Where backward passes are whole the first rank keeps at some time min(pp, m) micro-batches of every chunk (all forwards
    // come first; 1F1B warms up with pp - 1 and runs one more; interleaved with more than pp of each chunk), each rank one less.
    const std::int64_t flights = pipelines.kinds.isOrdered ? m_config.numMicroBatches() : 0;
    const std::vector<RankContents> ranks = leastRanks(pipelines.first, pipelines.mixed, flights, false);
    ShareBytes bytes{};
    for (std::int64_t zero = 0; zero <= (m_config.parallel.dp * m_config.parallel.cp > 1 ? 3 : 0); ++zero)
        for (const auto& offload : enumNames(Offload{})) {
            double& most = bytes.at(shareClass(zero, offload.value));
            if (!classes.test(shareClass(zero, offload.value))) continue;
            setShares({zero, 0}, offload.value);
            for (const RankContents& contents : ranks) {
                const StepMoments moments = rankMoments(m_config, m_cluster, *m_leastMemory, contents);
                most = std::max(most, (stateAlone ? moments.rest : moments.fullest()).totalBytes() * kRounding);
            }
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

ShareBounds LayoutEvaluator::boundShares(const LeastPipeline& pipelines, const std::vector<Sharding>& shardings,
                                         const ShareClasses& classes) {
    ShareBounds bounds;
    TimeTable& table = timeTable();
    bounds.numMicroBatches = real(m_config.numMicroBatches());
    bounds.fixedSeconds = table.speed.constants.stepFixedSeconds;
    constexpr double kNone = std::numeric_limits<double>::infinity();
    bounds.stages.fill({{kNone, 0, 1, kNone, kNone}, {kNone, kNone}});
    // Any rank will do; the one with the most parameters waits longest for them.
    RankShare share = leastContents(pipelines.first, true, 0).share;
    if (pipelines.mixed.rank > 0)
        if (const RankShare mixed = leastContents(pipelines.mixed, false, 0).share; mixed.parameters > share.parameters)
            share = mixed;
    for (const Sharding& sharding : shardings) {
        const auto isOpen = [&](const auto& offload) {
            return classes.test(shareClass(sharding.zeroStage, offload.value));
        };
        const auto offloads = enumNames(Offload{});
        if (std::none_of(offloads.begin(), offloads.end(), isOpen)) continue;
        setShares(sharding, Offload::None);
        setLinks();
        StepTraffic traffic = dpTraffic(m_config, share);
        traffic.tied = {};  // both ends may be on one rank
        ShareSeconds own = shareSeconds<double>(m_config, traffic, table);
        if (pipelines.kinds.pairs) own.gradients = own.weights = 0;  // overlapping passes end sooner than their sum
        StageBound& stage = bounds.stages.at(static_cast<std::size_t>(sharding.zeroStage));
        keepLesser(stage.share.gradients, own.gradients);
        stage.share.hidingPasses = std::max(stage.share.hidingPasses, own.hidingPasses);
        keepLesser(stage.share.weights, own.weights);
        keepLesser(stage.share.inOpen,
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

}  // namespace slipway
