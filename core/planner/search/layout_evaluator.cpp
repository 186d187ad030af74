#include "core/planner/search/layout_evaluator.h"

#include "core/planner/stack/stack_costs.h"

#include <algorithm>
#include <utility>

namespace slipway {

LayoutEvaluator::LayoutEvaluator(const RunConfig& config, const ClusterSpec& cluster)
    : m_config(config), m_cluster(cluster) {
    m_config.parallel.layersPerStage.clear();
    m_config.parallel.dpShard.reset();
}

void LayoutEvaluator::setDegrees(const Degrees& degrees, std::int64_t microBatchSize, bool sequenceParallel) {
    ParallelLayout& p = m_config.parallel;
    p.tp = degrees.tp;
    p.pp = degrees.pp;
    p.cp = degrees.cp;
    p.dp = degrees.dp;
    p.ep = degrees.ep;
    p.sequenceParallel = sequenceParallel;
    p.schedule = ScheduleKind::OneFOneB;
    p.virtualStages = 1;
    p.zeroStage = 0;
    p.offload = Offload::None;
    m_config.train.microBatchSize = microBatchSize;
    m_capacityBytes = capacityPerRank(m_config, m_cluster);
}

void LayoutEvaluator::setRecompute(RecomputePolicy policy) {
    m_config.train.recompute.policy = policy;
    m_config.parallel.schedule = ScheduleKind::OneFOneB;
    m_config.parallel.virtualStages = 1;
    m_config.parallel.zeroStage = 0;
    m_config.parallel.offload = Offload::None;
    m_memory = makeMemoryTable(m_config);
    m_time.reset();
}

void LayoutEvaluator::setPipelineForBounds(const PipelineChoice& choice) {
    ParallelLayout& p = m_config.parallel;
    p.schedule = choice.schedule;
    p.virtualStages = choice.virtualStages;
    m_contentsKnown = m_partKnown = m_stagesKnown = false;
    m_pipeline.shape = {choice.schedule, p.pp, m_config.numMicroBatches(), choice.virtualStages};
    m_pipeline.played = nullptr;
    auto& ranges = m_ranges[{p.pp, choice.virtualStages}];
    if (ranges.empty()) ranges = stageRanges(m_config);
    m_pipeline.ranges = ranges;
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

void LayoutEvaluator::fillContents() {
    if (std::exchange(m_contentsKnown, true)) return;
    rankContents(m_config, m_pipeline, m_memory, m_contents);
    m_shares.clear();
    for (const RankContents& contents : m_contents) m_shares.push_back(contents.share);
}

double LayoutEvaluator::peakBytes(std::int64_t zeroStage, Offload offload) {
    m_config.parallel.zeroStage = zeroStage;
    m_config.parallel.offload = offload;
    if (m_cluster.stack) {
        // What a calibrated stack holds depends on the ZeRO stage, and on whether gathered inputs fit; without its
        // schedule they are left out of the bound.
        const bool keeps = isExact() && keepsGathers(m_config, m_cluster, m_pipeline);
        m_memory = makeMemoryTable(m_config, m_cluster, keeps);
        m_capacityBytes = slipway::capacityBytes(m_cluster, keeps);
        m_contentsKnown = false;
    }
    fillContents();
    double peak = 0;
    for (const RankContents& contents : m_contents)
        peak = std::max(peak, rankBytes(m_config, m_cluster, m_memory, contents).totalBytes());
    return peak;
}

double LayoutEvaluator::boundSeconds() {
    if (!m_time) m_time = makeTimeTable(m_config, m_cluster);
    if (!std::exchange(m_stagesKnown, true)) dealStages(m_config, m_pipeline, *m_time, m_part);
    return stepLowerBound(m_pipeline, *m_time, m_part);
}

StepEstimate LayoutEvaluator::estimate(std::int64_t zeroStage, Offload offload) {
    fillContents();
    if (!m_time) m_time = makeTimeTable(m_config, m_cluster);
    m_config.parallel.zeroStage = zeroStage;
    m_config.parallel.offload = offload;
    if (!std::exchange(m_partKnown, true)) passPart(m_config, m_pipeline, *m_time, false, m_part);
    m_stagesKnown = true;
    if (m_cluster.stack) applyStackShards(m_config, m_cluster, m_pipeline, *m_time);
    return finishStep(m_config, m_shares, *m_time, m_part);
}

}  // namespace slipway
