#include "core/planner/search/layout_evaluator.h"

#include "core/planner/memory/host_memory.h"
#include "core/planner/memory/stack_memory.h"
#include "core/planner/stack/stack_links.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace slipway {

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
    m_stackMemory.fill({});
    m_leastMemory.reset();
    m_time.reset();
    m_links.clear();
    forgetPipeline();
}

void LayoutEvaluator::setShares(const Sharding& sharding, Offload offload) {
    ParallelLayout& p = m_config.parallel;
    p.zeroStage = sharding.zeroStage;
    p.dpShard = sharding.dpShard > 0 ? std::optional(sharding.dpShard) : std::nullopt;
    p.offload = offload;
}

void LayoutEvaluator::setPipelineForBounds(const PartitionedPipeline& pipeline) {
    const PipelineChoice& choice = pipeline.choice;
    ParallelLayout& p = m_config.parallel;
    p.schedule = choice.schedule;
    p.virtualStages = choice.virtualStages;
    p.layersPerStage = pipeline.layersPerStage;
    m_pipeline.shape = {choice.schedule, p.pp, m_config.numMicroBatches(), choice.virtualStages};
    m_pipeline.sample = nullptr;
    m_pipeline.ranges = pipeline.ranges;
    m_first = pipeline.first;
    m_mixed = pipeline.mixed;
    forgetPipeline();
}

void LayoutEvaluator::setLeastLayers(const LeastPipeline& layers) {
    m_first = layers.first;
    m_mixed = layers.mixed;
    m_least.clear();
}

/// Clears the caches of the previous pipeline.
void LayoutEvaluator::forgetPipeline() {
    m_contentsKnown = m_partKnown = m_boundKnown = m_secondsKnown = false;
    m_stackContentsKnown = {};
    m_stackPeak.reset();
    m_least.clear();
}

bool LayoutEvaluator::setPipeline(const PipelineChoice& choice) {
    return setPipeline(PartitionedPipeline(m_config.model, m_config.parallel.pp, choice));
}

bool LayoutEvaluator::setPipeline(const PartitionedPipeline& pipeline) {
    setPipelineForBounds(pipeline);
    if (isExact()) return true;
    const PipelineShape& shape = m_pipeline.shape;
    auto sample = sampleSchedule(shape.kind, shape.pp, shape.numMicroBatches, shape.virtualStages);
    if (!sample) return false;
    m_sample = std::move(*sample);
    m_pipeline.sample = &*m_sample;
    return true;
}

bool LayoutEvaluator::isExact() const {
    return m_pipeline.sample != nullptr || hasRecursion(m_pipeline.shape);
}

TimeTable& LayoutEvaluator::timeTable() {
    if (!m_time) {
        m_time = makePassTable(m_config, m_cluster);
        m_waitsKnown = false;
    }
    return *m_time;
}

/// waitChance(), which depends on nothing else of a layout.
double LayoutEvaluator::chanceOfWaits() {
    const std::pair key(m_config.parallel.worldSize(), m_config.parallel.pp > 1);
    if (!m_waitChance || m_waitChanceOf != key) m_waitChance = waitChance(m_config, m_cluster);
    m_waitChanceOf = key;
    return *m_waitChance;
}

TimeTable& LayoutEvaluator::tableWithWaits() {
    TimeTable& table = timeTable();
    if (m_cluster.stack && !std::exchange(m_waitsKnown, true)) addWaits(m_config, m_cluster, chanceOfWaits(), table);
    return table;
}

/// An inner rank with the same layers as the previous one warms up with no more passes, so it saves a part of that
/// one's activations (kept.h); only for a known order of passes.
void LayoutEvaluator::findDistinct() {
    const PipelineShape& shape = m_pipeline.shape;
    m_distinct.assign(static_cast<std::size_t>(shape.pp), true);
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
    const bool ordered = hasRecursion(shape);
    for (std::int64_t rank = 1; ordered && rank < shape.pp; ++rank)
        m_distinct[static_cast<std::size_t>(rank)] = !sameAsBefore(rank);
}

void LayoutEvaluator::fillContents() {
    if (std::exchange(m_contentsKnown, true)) return;
    if (!m_memory) m_memory = makeMemoryTable(m_config);
    findDistinct();
    rankContents(m_config, m_pipeline, *m_memory, m_contents, &m_distinct);
    m_shares.resize(m_distinct.size());
    for (std::size_t rank = 0; rank < m_distinct.size(); ++rank)
        m_shares[rank] = m_distinct[rank] ? m_contents[rank].share : m_shares[rank - 1];
}

/// For the current layout.
double LayoutEvaluator::fullestBytes(const MemoryTable& table, const std::vector<RankContents>& contents) const {
    double peak = 0;
    for (std::size_t rank = 0; rank < m_distinct.size(); ++rank)
        if (m_distinct[rank]) peak = std::max(peak, rankBytes(m_config, m_cluster, table, contents[rank]).totalBytes());
    return peak;
}

/// Under a calibrated stack, with gathered inputs saved or gathered again; for the current layout. Saved activations do
/// not depend on the ZeRO stage.
double LayoutEvaluator::stackBytes(bool keepGathers) {
    const std::size_t keeps = keepGathers ? 1 : 0;
    std::optional<MemoryTable>& table = m_stackMemory.at(keeps + (m_config.parallel.zeroStage >= 3 ? 2 : 0));
    if (!table) table = makeMemoryTable(m_config, m_cluster, keepGathers);
    fillContents();
    if (!std::exchange(m_stackContentsKnown.at(keeps), true))
        rankContents(m_config, m_pipeline, *table, m_stackContents.at(keeps), &m_distinct);
    return fullestBytes(*table, m_stackContents.at(keeps));
}

/// Of the layout as set. Whether gathered inputs are kept depends on whether they fit; without its schedule they are left out of the
/// bound.
double LayoutEvaluator::stackPeakBytes() {
    if (isExact() && m_cluster.stack->facts.keepsGathered && chanceOfWaits() <= 0.5)
        if (const double kept = stackBytes(true); kept <= slipway::capacityBytes(m_cluster)) return kept;
    return stackBytes(false);
}

double LayoutEvaluator::peakBytes(const Sharding& sharding, Offload offload) {
    setShares(sharding, offload);
    if (m_cluster.stack) {
        const std::tuple key(sharding.zeroStage, sharding.dpShard, offload);
        if (!m_stackPeak || m_stackPeakOf != key) m_stackPeak = stackPeakBytes();
        m_stackPeakOf = key;
        return *m_stackPeak;
    }
    fillContents();
    return fullestBytes(*m_memory, m_contents);
}

bool LayoutEvaluator::hostFits(const Sharding& sharding, Offload offload, double peakBytes, double nodeBytes) {
    if (std::isnan(nodeBytes)) return true;
    setShares(sharding, offload);
    fillContents();
    HostMemory most;
    for (std::size_t rank = 0; rank < m_distinct.size(); ++rank) {
        if (!m_distinct[rank]) continue;
        const HostMemory memory = hostMemory(m_config, m_contents[rank].share, m_contents[rank].saved.layers);
        if (memory.totalBytes() > most.totalBytes()) most = memory;
    }
    return nodeHostMemory(m_config, m_cluster, peakBytes, most, nodeBytes).fits();
}

double LayoutEvaluator::boundSeconds(const LeastPipeline& pipelines) {
    return stepLowerBound(m_config, timeTable(), pipelines.kinds);
}

double LayoutEvaluator::boundSeconds() {
    if (std::exchange(m_secondsKnown, true)) return m_boundSeconds;
    fillStageSeconds(m_config, m_pipeline, timeTable(), m_bound.seconds);
    return m_boundSeconds = stepLowerBound(m_pipeline, *m_time, m_bound);
}

/// setShardLinks(), cached.
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
    if (!hasPassBound(m_pipeline, tableWithWaits())) return boundSeconds();
    fillContents();
    setShares(sharding, offload);
    if (!std::exchange(m_boundKnown, true)) {
        fillStages(m_config, m_pipeline, *m_time, m_bound);
        passBound(m_config, m_pipeline, *m_time, m_bound);
    }
    setLinks();
    return finishedSeconds(m_config, m_shares, *m_time, m_bound) * kRounding;
}

StepEstimate LayoutEvaluator::estimate(const Sharding& sharding, Offload offload) {
    fillContents();
    setShares(sharding, offload);
    if (!std::exchange(m_partKnown, true)) passPart(m_config, m_pipeline, tableWithWaits(), false, m_part);
    setLinks();
    return finishStep(m_config, m_shares, *m_time, m_part);
}

}  // namespace slipway
