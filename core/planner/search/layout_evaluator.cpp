#include "core/planner/search/layout_evaluator.h"

#include "core/planner/stack/stack_costs.h"

#include <algorithm>
#include <utility>

namespace slipway {

DealtPipeline::DealtPipeline(const ModelSpec& model, std::int64_t pp, const PipelineChoice& chosen) : choice(chosen) {
    RunConfig config;
    config.model.numLayers = model.numLayers;
    ParallelLayout& p = config.parallel;
    p.pp = pp;
    p.schedule = choice.schedule;
    p.virtualStages = choice.virtualStages;
    const auto layers = SearchSpace::layersPerStage(model.numLayers, pp, choice.virtualStages, choice.split);
    if (layers) p.layersPerStage = *layers;
    layersPerStage = p.layersPerStage;
    ranges = stageRanges(config);
    const PipelineShape shape{choice.schedule, pp, 1, choice.virtualStages};
    for (std::int64_t chunk = 0; chunk < shape.numChunks(); ++chunk) {
        const std::int64_t own = ranges[static_cast<std::size_t>(shape.stageOf(0, chunk))].count;
        firstLayers += own;
        firstChunkLayers = std::max(firstChunkLayers, own);
    }
}

void LegalPipelines::add(DealtPipeline pipeline, const PipelineShape& shape) {
    const auto least = [&](std::int64_t& all, std::int64_t one) { all = choices.empty() ? one : std::min(all, one); };
    least(firstLayers, pipeline.firstLayers);
    least(firstChunkLayers, pipeline.firstChunkLayers);
    ordered = ordered && hasRecursion(shape);
    choices.push_back(std::move(pipeline));
}

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
    m_leastMemory.reset();
    m_least.reset();
    m_time.reset();
    m_links.clear();
    m_contentsKnown = m_firstKnown = m_partKnown = m_boundKnown = m_secondsKnown = false;
}

void LayoutEvaluator::setShares(const Sharding& sharding, Offload offload) {
    ParallelLayout& p = m_config.parallel;
    p.zeroStage = sharding.zeroStage;
    p.dpShard = sharding.dpShard > 0 ? std::optional(sharding.dpShard) : std::nullopt;
    p.offload = offload;
}

void LayoutEvaluator::setPipelineForBounds(const DealtPipeline& pipeline) {
    const PipelineChoice& choice = pipeline.choice;
    ParallelLayout& p = m_config.parallel;
    p.schedule = choice.schedule;
    p.virtualStages = choice.virtualStages;
    p.layersPerStage = pipeline.layersPerStage;
    m_contentsKnown = m_firstKnown = m_partKnown = m_boundKnown = m_secondsKnown = false;
    m_pipeline.shape = {choice.schedule, p.pp, m_config.numMicroBatches(), choice.virtualStages};
    m_pipeline.played = nullptr;
    m_pipeline.ranges = pipeline.ranges;
    m_firstLayers = pipeline.firstLayers;
    m_firstChunkLayers = pipeline.firstChunkLayers;
    m_least.reset();
}

bool LayoutEvaluator::setPipeline(const PipelineChoice& choice) {
    return setPipeline(DealtPipeline(m_config.model, m_config.parallel.pp, choice));
}

bool LayoutEvaluator::setPipeline(const DealtPipeline& pipeline) {
    setPipelineForBounds(pipeline);
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

double LayoutEvaluator::boundSeconds(bool pairs) {
    return stepLowerBound(m_config, timeTable(), pairs);
}

double LayoutEvaluator::boundSeconds() {
    if (std::exchange(m_secondsKnown, true)) return m_boundSeconds;
    dealSeconds(m_config, m_pipeline, timeTable(), m_bound.seconds);
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
        dealStages(m_config, m_pipeline, *m_time, m_bound);
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
