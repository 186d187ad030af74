// The pipelines that a search looks at, with their layers dealt: made once, used by every group with as many ranks and
// micro-batches.
#pragma once

#include "core/planner/memory/memory.h"
#include "core/planner/search/search_space.h"

#include <vector>

namespace slipway {

/// A pipeline with its layers dealt, and what bounds need of it.
struct DealtPipeline {
    PipelineChoice choice;
    std::vector<std::int64_t> layersPerStage;  ///< as parallel.layers_per_stage holds them
    std::vector<StageRange> ranges;
    std::int64_t firstLayers = 0, firstChunkLayers = 0;  ///< of the first rank: all, and of its largest chunk
    DealtPipeline() = default;
    DealtPipeline(const ModelSpec& model, std::int64_t pp, const PipelineChoice& choice);
};

/// The pipelines of one number of ranks and micro-batches that a search looks at.
struct LegalPipelines {
    std::vector<DealtPipeline> choices;
    std::int64_t firstLayers = 0, firstChunkLayers = 0;  ///< the least of all
    bool ordered = true;                                 ///< all have a recursion (hasRecursion)
    /// @param shape of the pipeline
    void add(DealtPipeline pipeline, const PipelineShape& shape);
};

}  // namespace slipway
