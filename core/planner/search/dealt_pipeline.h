// The pipelines that a search looks at, with their layers dealt: made once, used by every group with as many ranks and
// micro-batches.
#pragma once

#include "core/planner/memory/memory.h"
#include "core/planner/search/search_space.h"
#include "core/planner/time/step.h"

#include <vector>

namespace slipway {

/// Layers of one pipeline rank, with all its chunks.
struct RankLayers {
    std::int64_t all = 0, mixtures = 0;  ///< mixtures: those with routed experts
    std::int64_t largestChunk = 0;
    std::int64_t rank = 0;  ///< of the pipeline; the later, where this is a bound
    /// The lesser of each.
    void keepLesser(const RankLayers& other);
};

/// A pipeline with its layers dealt, and what bounds need of it.
struct DealtPipeline {
    PipelineChoice choice;
    std::vector<std::int64_t> layersPerStage;  ///< as parallel.layers_per_stage holds them
    std::vector<StageRange> ranges;
    RankLayers first, mixed;  ///< of the first rank, and of the first one with as many mixtures as any
    double leastBefore = 0;   ///< layers of any stage before the last rank's first one, at least
    DealtPipeline() = default;
    DealtPipeline(const ModelSpec& model, std::int64_t pp, const PipelineChoice& choice);
};

/// What every one of some pipelines has at least.
struct LeastPipeline {
    RankLayers first, mixed;
    PipelineKinds kinds{false, true, true, 0};
    void keepLesser(const LeastPipeline& other);
};

/// The pipelines of one number of ranks and micro-batches that a search looks at.
struct LegalPipelines : LeastPipeline {
    std::vector<DealtPipeline> choices;
    /// @param shape of the pipeline
    void add(DealtPipeline pipeline, const PipelineShape& shape);
};

}  // namespace slipway
