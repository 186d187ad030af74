#include "core/planner/search/dealt_pipeline.h"

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

}  // namespace slipway
