// What can be said of a group of layouts before its pipelines are looked at.
#include "core/planner/search/share_bounds.h"

#include "core/base/real.h"
#include "core/planner/search/layout_evaluator.h"
#include "core/planner/stack/stack_costs.h"
#include "core/planner/time/share_seconds.h"

#include <algorithm>
#include <limits>

namespace slipway {

namespace {

/// Less by what additions in another order may round.
constexpr double kRounding = 1 - 1e-9;

/// Layers of the first rank: mixtures of experts at least so many, and of the others no kind is known.
struct LeastLayers {
    double mixtures = 0, others = 0;
    bool hasMoe = false, hasDense = true;

    LeastLayers(const ModelSpec& m, std::int64_t layers)
        : hasMoe(m.moe && m.moe->numDenseLayers < m.numLayers), hasDense(!m.moe || m.moe->numDenseLayers > 0) {
        // Dense layers come first.
        if (hasMoe) mixtures = real(std::max<std::int64_t>(0, layers - m.moe->numDenseLayers));
        others = real(layers) - mixtures;
    }
    [[nodiscard]] double lesser(double dense, double moe) const {
        return !hasMoe ? dense : !hasDense ? moe : std::min(dense, moe);
    }
};

void keepLesser(double& least, double value) {
    least = std::min(least, value > 0 ? value : 0.0);  // what is unknown says nothing
}

}  // namespace

double ShareBounds::seconds(double passSeconds, std::int64_t zeroStage, Offload offload) const {
    const StageBound& s = stages.at(static_cast<std::size_t>(zeroStage));
    // A rank's backward passes of one micro-batch take at most 1 / m of all passes x, the computing at most x. Longer passes hide
    // more; the sum is convex in x, so it is least where x is, or where one of the two is just hidden.
    const auto with = [&](double x) {
        return x + std::max(0.0, s.gradients - s.hidingPasses * x / numMicroBatches) +
               std::max(0.0, s.weights - kGatherWindow * x);
    };
    const double passes = std::max(0.0, passSeconds / slowdown - fixedSeconds);
    double least = with(passes);
    for (const double x : {s.gradients * numMicroBatches / s.hidingPasses, s.weights / kGatherWindow})
        if (x > passes) least = std::min(least, with(x));
    const double beside = least - passes + s.inOpen + s.optimizer.at(offloadsOptimizer(offload) ? 1 : 0);
    return passSeconds + beside * slowdown * kRounding;
}

/// What the first rank has at least: its layers and the embedding.
RankShare LayoutEvaluator::leastShare(std::int64_t firstLayers, const MemoryTable& table) const {
    const LeastLayers layers(m_config.model, firstLayers);
    RankShare share;
    share.first = true;
    share.last = m_config.parallel.pp == 1;
    share.numLayers = firstLayers;
    // Layers of an unknown kind count without experts, which may be shared by more ranks.
    share.parameters = layers.mixtures * table.moeParameters +
                       layers.others * layers.lesser(table.denseParameters, table.moeParameters - table.moeExperts) +
                       table.tableParameters;
    share.experts = layers.mixtures * table.moeExperts;
    return share;
}

/// @param chunkLayers of its largest chunk
/// @param flights micro-batches that it keeps at some time of every chunk
RankContents LayoutEvaluator::leastContents(std::int64_t firstLayers, std::int64_t chunkLayers, double flights) const {
    const MemoryTable& table = *m_leastMemory;
    const bool last = m_config.parallel.pp == 1;
    const LeastLayers layers(m_config.model, firstLayers);
    RankContents contents;
    contents.share = leastShare(firstLayers, table);
    contents.share.matrices = contents.share.parameters;  // an optimizer may hold less for them
    const double activations = layers.lesser(table.denseActivationBytes, table.moeActivationBytes);
    contents.kept.layers = flights * (layers.mixtures * table.moeActivationBytes + layers.others * activations);
    contents.kept.logits = contents.logitsOnceBytes = last ? table.headActivationBytes : 0;
    contents.firstChunkBytes = contents.kept.layers;  // at least nothing is kept beside it
    contents.headWorkBytes = last ? table.headWorkBytes : 0;
    contents.mostLayers = chunkLayers;
    if (chunkLayers > 0) {
        contents.layerWorkBytes = layers.lesser(table.denseWorkBytes, table.moeWorkBytes);
        contents.layerParameters = layers.lesser(table.denseParameters, table.moeParameters - table.moeExperts);
        contents.layerActivationBytes = activations;
        contents.weightPassBytes = layers.lesser(table.denseWeightPassBytes, table.moeWeightPassBytes);
    }
    return contents;
}

ShareBytes LayoutEvaluator::boundBytes(const LegalPipelines& pipelines) {
    const ParallelLayout& p = m_config.parallel;
    // Outside of ZeRO a stack's wrapper would be counted, which sharded layouts do not have.
    setShares({m_cluster.stack && p.dp * p.cp > 1 ? 1 : 0, 0}, Offload::None);
    m_leastMemory = makeMemoryTable(m_config, m_cluster, false);
    setShares({}, Offload::None);
    if (!m_cluster.stack) m_memory = m_leastMemory;
    // Where backward passes are whole the first rank keeps at some time min(pp, m) micro-batches of every chunk (all forwards
    // come first; 1F1B warms up with pp - 1 and runs one more; interleaved with more than pp of each chunk).
    const double flights = pipelines.ordered ? real(std::min(p.pp, m_config.numMicroBatches())) : 0;
    const RankContents contents = leastContents(pipelines.firstLayers, pipelines.firstChunkLayers, flights);
    ShareBytes bytes{};
    for (std::int64_t zero = 0; zero <= (p.dp * p.cp > 1 ? 3 : 0); ++zero)
        for (const auto& offload : enumNames(Offload{})) {
            setShares({zero, 0}, offload.value);
            bytes.at(shareClass(zero, offload.value)) =
                rankBytes(m_config, m_cluster, *m_leastMemory, contents).totalBytes() * kRounding;
        }
    return bytes;
}

double LayoutEvaluator::leastBytes(const Sharding& sharding, Offload offload) {
    if (!m_least) {
        const PipelineShape& shape = m_pipeline.shape;
        const std::int64_t m = shape.numMicroBatches;
        const std::int64_t flights = !hasRecursion(shape)               ? 0
                                     : shape.kind == ScheduleKind::Afab ? m
                                                                        : std::min(shape.pp, m);
        m_least = leastContents(m_firstLayers, m_firstChunkLayers, real(flights));
    }
    setShares(sharding, offload);
    return rankBytes(m_config, m_cluster, *m_leastMemory, *m_least).totalBytes() * kRounding;
}

ShareBounds LayoutEvaluator::boundShares(const LegalPipelines& pipelines, const std::vector<Sharding>& shardings,
                                         bool pairs) {
    ShareBounds bounds;
    TimeTable& table = timeTable();
    bounds.numMicroBatches = real(m_config.numMicroBatches());
    bounds.fixedSeconds = table.speed.constants.stepFixedSeconds;
    bounds.slowdown = table.slowdown;
    constexpr double kNone = std::numeric_limits<double>::infinity();
    bounds.stages.fill({kNone, 1, kNone, kNone, {kNone, kNone}});
    if (!m_memory) m_memory = makeMemoryTable(m_config);  // parameters; a stack's are the same
    const RankShare share = leastShare(pipelines.firstLayers, *m_memory);
    for (const Sharding& sharding : shardings) {
        setShares(sharding, Offload::None);
        setLinks();
        if (m_cluster.stack) table.reductionFactor = reductionFactor(m_config.parallel, *m_cluster.stack);
        StepTraffic traffic = dpTraffic(m_config, share);
        traffic.tied = {};  // both ends may stand on one rank
        ShareSeconds own = shareSeconds(m_config, traffic, table);
        if (pairs) own.gradients = own.weights = 0;  // passes that overlap end sooner than their sum
        StageBound& stage = bounds.stages.at(static_cast<std::size_t>(sharding.zeroStage));
        keepLesser(stage.gradients, own.gradients);
        stage.hidingPasses = std::max(stage.hidingPasses, own.hidingPasses);
        keepLesser(stage.weights, own.weights);
        keepLesser(stage.inOpen,
                   own.inOpen + table.slotSeconds * real(m_config.numMicroBatches() + m_config.parallel.pp - 1));
        keepLesser(stage.optimizer[0], optimizerSeconds(m_config, table.speed, share));
        setShares(sharding, Offload::Optimizer);
        keepLesser(stage.optimizer[1], optimizerSeconds(m_config, table.speed, share));
    }
    setShares({}, Offload::None);
    return bounds;
}

double LayoutEvaluator::boundHostWait() {
    return hostWaitLowerBound(m_config, timeTable()) * m_time->slowdown;
}

double LayoutEvaluator::boundCapacityBytes() {
    return m_cluster.stack ? slipway::capacityBytes(m_cluster, true) : m_capacityBytes;
}

}  // namespace slipway
