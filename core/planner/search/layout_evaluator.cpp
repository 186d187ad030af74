#include "core/planner/search/layout_evaluator.h"

#include "core/planner/stack/stack_costs.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace slipway {

namespace {

double real(std::int64_t value) {
    return static_cast<double>(value);
}

/// Less by what additions in another order may round.
constexpr double kRounding = 1 - 1e-9;

}  // namespace

LayoutEvaluator::LayoutEvaluator(const RunConfig& config, const ClusterSpec& cluster)
    : m_config(config), m_cluster(cluster) {
    m_config.parallel.layersPerStage.clear();
    m_config.parallel.dpShard.reset();
}

void LayoutEvaluator::setLayers(const Degrees& degrees, std::int64_t microBatchSize, const LayerOptions& options) {
    ParallelLayout& p = m_config.parallel;
    p.tp = degrees.tp;
    p.pp = degrees.pp;
    p.cp = degrees.cp;
    p.dp = degrees.dp;
    p.ep = degrees.ep;
    p.etp = degrees.etp;
    p.sequenceParallel = options.sequenceParallel;
    p.asyncTp = options.asyncTp;
    p.cpKind = options.cpKind;
    p.schedule = ScheduleKind::OneFOneB;
    p.virtualStages = 1;
    p.layersPerStage.clear();
    setShares({}, Offload::None);
    m_config.train.microBatchSize = microBatchSize;
    m_config.train.recompute.policy = options.recompute;
    m_capacityBytes = capacityPerRank(m_config, m_cluster);
    m_memory.reset();
    m_time.reset();
    m_links.clear();
    m_contentsKnown = m_firstKnown = m_partKnown = m_boundKnown = m_stagesKnown = false;
}

void LayoutEvaluator::setShares(const Sharding& sharding, Offload offload) {
    ParallelLayout& p = m_config.parallel;
    p.zeroStage = sharding.zeroStage;
    p.dpShard = sharding.dpShard > 0 ? std::optional(sharding.dpShard) : std::nullopt;
    p.offload = offload;
}

void LayoutEvaluator::setPipelineForBounds(const PipelineChoice& choice) {
    ParallelLayout& p = m_config.parallel;
    p.schedule = choice.schedule;
    p.virtualStages = choice.virtualStages;
    m_contentsKnown = m_firstKnown = m_partKnown = m_boundKnown = m_stagesKnown = false;
    m_pipeline.shape = {choice.schedule, p.pp, m_config.numMicroBatches(), choice.virtualStages};
    m_pipeline.played = nullptr;
    const auto [dealt, isNew] = m_dealt.try_emplace({p.pp, choice.virtualStages, choice.split});
    if (isNew) {
        const auto layers =
            SearchSpace::layersPerStage(m_config.model.numLayers, p.pp, choice.virtualStages, choice.split);
        p.layersPerStage = layers ? *layers : std::vector<std::int64_t>{};
        dealt->second = {p.layersPerStage, stageRanges(m_config)};
    }
    p.layersPerStage = dealt->second.layersPerStage;
    m_pipeline.ranges = dealt->second.ranges;
}

bool LayoutEvaluator::setPipeline(const PipelineChoice& choice) {
    setPipelineForBounds(choice);
    if (isExact()) return true;
    const PipelineShape& shape = m_pipeline.shape;
    auto played = makePlayedSchedule(shape.kind, shape.pp, shape.numMicroBatches, shape.virtualStages);
    if (!played) return false;
    m_played = std::move(*played);
    m_pipeline.played = &*m_played;
    return true;
}

bool LayoutEvaluator::isExact() const {
    return m_pipeline.played != nullptr || hasRecursion(m_pipeline.shape);
}

TimeTable& LayoutEvaluator::timeTable() {
    if (!m_time) m_time = makeTimeTable(m_config, m_cluster);
    return *m_time;
}

void LayoutEvaluator::fillContents(bool firstRankAlone) {
    if (m_contentsKnown || (firstRankAlone && m_firstKnown)) return;
    if (!m_memory) m_memory = makeMemoryTable(m_config);
    if (firstRankAlone) {
        m_firstAlone.assign(static_cast<std::size_t>(m_pipeline.shape.pp), false);
        m_firstAlone.front() = true;
        rankContents(m_config, m_pipeline, *m_memory, m_contents, &m_firstAlone);
        m_firstShare.assign(1, m_contents.front().share);
        m_firstKnown = true;
        return;
    }
    m_contentsKnown = m_firstKnown = true;
    const PipelineShape& shape = m_pipeline.shape;
    const auto numRanks = static_cast<std::size_t>(shape.pp);
    // A rank between the ends that has the same layers as the one before it warms up with no more passes, so it keeps a
    // part of what that one keeps (kept.h); only where the order of passes is known.
    m_distinct.assign(numRanks, true);
    const bool ordered = hasRecursion(shape);
    const auto sameAsBefore = [&](std::int64_t rank) {
        for (std::int64_t chunk = 0; chunk < shape.numChunks(); ++chunk) {
            const std::int64_t stage = shape.stageOf(rank, chunk), before = shape.stageOf(rank - 1, chunk);
            if (stage == 0 || before == 0 || stage + 1 == shape.numStages() || before + 1 == shape.numStages())
                return false;
            const StageRange &a = m_pipeline.ranges[static_cast<std::size_t>(stage)],
                             &b = m_pipeline.ranges[static_cast<std::size_t>(before)];
            if (a.count != b.count || denseLayers(m_config.model, a) != denseLayers(m_config.model, b)) return false;
        }
        return true;
    };
    for (std::int64_t rank = 1; ordered && rank < shape.pp; ++rank)
        m_distinct[static_cast<std::size_t>(rank)] = !sameAsBefore(rank);
    rankContents(m_config, m_pipeline, *m_memory, m_contents, &m_distinct);
    m_shares.resize(numRanks);
    for (std::size_t rank = 0; rank < numRanks; ++rank)
        m_shares[rank] = m_distinct[rank] ? m_contents[rank].share : m_shares[rank - 1];
    m_firstShare.assign(1, m_shares.front());
}

double LayoutEvaluator::peakBytes(const Sharding& sharding, Offload offload) {
    setShares(sharding, offload);
    if (m_cluster.stack) {
        // What a calibrated stack holds depends on the ZeRO stage, and on whether gathered inputs fit; without its
        // schedule they are left out of the bound.
        const bool keeps = isExact() && keepsGathers(m_config, m_cluster, m_pipeline);
        m_memory = makeMemoryTable(m_config, m_cluster, keeps);
        m_capacityBytes = slipway::capacityBytes(m_cluster, keeps);
        m_contentsKnown = m_firstKnown = false;
    }
    fillContents(false);
    double peak = 0;
    for (std::size_t rank = 0; rank < m_distinct.size(); ++rank)
        if (m_distinct[rank])
            peak = std::max(peak, rankBytes(m_config, m_cluster, *m_memory, m_contents[rank]).totalBytes());
    return peak;
}

double LayoutEvaluator::boundBytes(const Sharding& sharding, Offload offload) {
    if (m_cluster.stack) return peakBytes(sharding, offload);
    setShares(sharding, offload);
    fillContents(true);
    return rankBytes(m_config, m_cluster, *m_memory, m_contents.front()).totalBytes();
}

double LayoutEvaluator::boundBytes(const LegalPipelines& pipelines) {
    const ModelSpec& m = m_config.model;
    const ParallelLayout& p = m_config.parallel;
    // Outside of ZeRO a stack's wrapper would be counted, which sharded layouts do not have.
    setShares({m_cluster.stack && p.dp * p.cp > 1 ? 1 : 0, 0}, Offload::None);
    const MemoryTable table = makeMemoryTable(m_config, m_cluster, false);
    setShares({}, Offload::None);
    const bool hasMoe = m.moe && m.moe->numDenseLayers < m.numLayers;
    const bool hasDense = !m.moe || m.moe->numDenseLayers > 0;
    const auto lesser = [&](double dense, double moe) {
        return !hasMoe ? dense : !hasDense ? moe : std::min(dense, moe);
    };
    // The first rank: its layers, the embedding, and where backward passes are whole at some time min(pp, m) micro-batches
    // of every chunk (all forwards come first; 1F1B warms up with pp - 1 and runs one more; interleaved with more than pp of
    // each chunk).
    const std::int64_t layers = pipelines.firstLayers;
    // Dense layers come first, so of these so many are mixtures at least; of the others the lesser, without experts,
    // which may be shared by more ranks.
    const double mixtures = hasMoe ? real(std::max<std::int64_t>(0, layers - m.moe->numDenseLayers)) : 0;
    const double others = real(layers) - mixtures, moeWithoutExperts = table.moeParameters - table.moeExperts;
    RankContents contents;
    contents.share.first = true;
    contents.share.last = p.pp == 1;
    contents.share.numLayers = layers;
    contents.share.parameters = mixtures * table.moeParameters +
                                others * lesser(table.denseParameters, moeWithoutExperts) + table.tableParameters;
    contents.share.experts = mixtures * table.moeExperts;
    contents.share.matrices = contents.share.parameters;  // an optimizer may hold less for them
    const double flights = pipelines.ordered ? real(std::min(p.pp, m_config.numMicroBatches())) : 0;
    contents.kept.layers = flights * (mixtures * table.moeActivationBytes + others * lesser(table.denseActivationBytes, table.moeActivationBytes));
    contents.kept.logits = p.pp == 1 ? table.headActivationBytes : 0;
    contents.headWorkBytes = p.pp == 1 ? table.headWorkBytes : 0;
    contents.mostLayers = std::min<std::int64_t>(layers, 1);
    if (layers > 0) {
        contents.layerWorkBytes = lesser(table.denseWorkBytes, table.moeWorkBytes);
        contents.layerParameters = lesser(table.denseParameters, moeWithoutExperts);
        contents.layerActivationBytes = lesser(table.denseActivationBytes, table.moeActivationBytes);
        contents.weightPassBytes = lesser(table.denseWeightPassBytes, table.moeWeightPassBytes);
    }
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t zero = 0; zero <= (p.dp * p.cp > 1 ? 3 : 0); ++zero)
        for (const auto& offload : enumNames(Offload{})) {
            setShares({zero, 0}, offload.value);
            least = std::min(least, rankBytes(m_config, m_cluster, table, contents).totalBytes());
        }
    return least * kRounding;
}

double LayoutEvaluator::boundCapacityBytes() {
    return m_cluster.stack ? slipway::capacityBytes(m_cluster, true) : m_capacityBytes;
}

double LayoutEvaluator::boundSeconds(bool pairs) {
    return stepLowerBound(m_config, timeTable(), pairs);
}

double LayoutEvaluator::boundSeconds() {
    if (std::exchange(m_stagesKnown, true)) return m_boundSeconds;
    dealStages(m_config, m_pipeline, timeTable(), m_bound);
    return m_boundSeconds = stepLowerBound(m_pipeline, *m_time, m_bound);
}

/// setShardLinks(), from what is known.
void LayoutEvaluator::setLinks() {
    const std::int64_t shard = m_config.parallel.zeroStage > 0 ? m_config.parallel.dpShard.value_or(0) : 0;
    auto known = std::find_if(m_links.begin(), m_links.end(), [&](const auto& entry) { return entry.first == shard; });
    if (known == m_links.end()) {
        setShardLinks(m_config, m_cluster, timeTable());
        m_links.push_back({shard, {m_time->shardLink, m_time->replicaLink}});
        return;
    }
    std::tie(timeTable().shardLink, m_time->replicaLink) = known->second;
}

double LayoutEvaluator::boundSeconds(const Sharding& sharding, Offload offload) {
    if (!hasPassBound(m_pipeline, timeTable())) return boundSeconds();
    boundSeconds();
    fillContents(true);
    setShares(sharding, offload);
    if (!std::exchange(m_boundKnown, true)) {
        passBound(m_pipeline, *m_time, m_bound);
        m_dpSeconds = {};
    }
    // Gradients and weights cost the same wherever the optimizer's states are.
    const std::size_t away = offloadsActivations(offload) ? 1 : 0;
    std::optional<double>& known = m_dpSeconds.at(away);
    if (m_dpOf.zeroStage != sharding.zeroStage || m_dpOf.dpShard != sharding.dpShard) {
        m_dpSeconds = {};
        m_dpOf = sharding;
    }
    if (!known || m_cluster.stack) {
        setLinks();
        if (m_cluster.stack) applyStackShards(m_config, m_cluster, m_pipeline, *m_time);
        known = dpLowerBound(m_config, m_firstShare, *m_time, m_bound);
    }
    return stepLowerBound(m_config, m_firstShare, *m_time, m_bound, *known);
}

StepEstimate LayoutEvaluator::estimate(const Sharding& sharding, Offload offload) {
    fillContents(false);
    setShares(sharding, offload);
    if (!std::exchange(m_partKnown, true)) passPart(m_config, m_pipeline, timeTable(), false, m_part);
    setLinks();
    if (m_cluster.stack) applyStackShards(m_config, m_cluster, m_pipeline, *m_time);
    return finishStep(m_config, m_shares, *m_time, m_part);
}

}  // namespace slipway
