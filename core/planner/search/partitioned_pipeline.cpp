#include "core/planner/search/partitioned_pipeline.h"

#include "core/base/real.h"

#include <algorithm>
#include <utility>

namespace slipway {

PartitionedPipeline::PartitionedPipeline(const ModelSpec& model, std::int64_t pp, const PipelineChoice& chosen)
    : choice(chosen) {
    RunConfig config;
    config.model.numLayers = model.numLayers;
    ParallelLayout& p = config.parallel;
    p.pp = pp;
    p.schedule = choice.schedule;
    p.virtualStages = choice.virtualStages;
    const auto perStage = SearchSpace::layersPerStage(model.numLayers, pp, choice.virtualStages, choice.split);
    if (perStage) p.layersPerStage = *perStage;
    layersPerStage = p.layersPerStage;
    ranges = stageRanges(config);
    const PipelineShape shape{choice.schedule, pp, 1, choice.virtualStages};
    const auto layersOf = [&](std::int64_t rank) {
        RankLayers own;
        own.rank = rank;
        for (std::int64_t chunk = 0; chunk < shape.numChunks(); ++chunk) {
            const StageRange& range = ranges[static_cast<std::size_t>(shape.stageOf(rank, chunk))];
            own.all += range.count;
            own.mixtures += range.count - denseLayers(model, range);
            own.largestChunk = std::max(own.largestChunk, range.count);
        }
        return own;
    };
    leastBefore = real(model.numLayers);
    for (std::int64_t stage = 0; stage + 1 < pp; ++stage)
        leastBefore = std::min(leastBefore, real(ranges[static_cast<std::size_t>(stage)].count));
    first = mixed = layersOf(0);
    for (std::int64_t rank = 1; rank < pp; ++rank)
        if (const RankLayers layers = layersOf(rank); layers.mixtures > mixed.mixtures) mixed = layers;
}

void RankLayers::keepLesser(const RankLayers& other) {
    all = std::min(all, other.all);
    mixtures = std::min(mixtures, other.mixtures);
    largestChunk = std::min(largestChunk, other.largestChunk);
    rank = std::max(rank, other.rank);
}

void LeastPipeline::keepLesser(const LeastPipeline& other) {
    first.keepLesser(other.first);
    mixed.keepLesser(other.mixed);
    kinds.pairs = kinds.pairs || other.kinds.pairs;
    kinds.isOrdered = kinds.isOrdered && other.kinds.isOrdered;
    kinds.isOneChunk = kinds.isOneChunk && other.kinds.isOneChunk;
    kinds.leastBefore = std::min(kinds.leastBefore, other.kinds.leastBefore);
}

void LegalPipelines::add(PartitionedPipeline pipeline, const PipelineShape& shape) {
    const bool pairs = shape.kind == ScheduleKind::DualPipe || shape.kind == ScheduleKind::DualPipeV;
    const LeastPipeline own{
        pipeline.first, pipeline.mixed, {pairs, hasRecursion(shape), shape.numChunks() == 1, pipeline.leastBefore}};
    if (choices.empty())
        LeastPipeline::operator=(own);
    else
        keepLesser(own);
    const bool isSplit = !choices.empty() && choices.back().choice.schedule == pipeline.choice.schedule &&
                         choices.back().choice.virtualStages == pipeline.choice.virtualStages;
    if (isSplit)
        families.back().keepLesser(own);
    else
        families.push_back({own, choices.size(), choices.size()});
    ++families.back().end;
    choices.push_back(std::move(pipeline));
}

}  // namespace slipway
