// The candidate pipelines of a search, with their layers partitioned: made once, used by every group with the same
// number of ranks and micro-batches.
#pragma once

#include "core/planner/memory/memory.h"
#include "core/planner/search/search_space.h"
#include "core/planner/time/step.h"

#include <cstddef>
#include <vector>

namespace slipway {

/// Layers of one pipeline rank, with all its chunks.
struct RankLayers {
    std::int64_t all = 0, mixtures = 0;  ///< mixtures: layers with routed experts
    std::int64_t largestChunk = 0;
    std::int64_t rank = 0;  ///< of the pipeline; the later one, for a bound
    /// Keeps the minimum of each.
    void keepLesser(const RankLayers& other);
};

/// A pipeline with its layers partitioned, and the inputs of bounds on it.
struct PartitionedPipeline {
    PipelineChoice choice;
    std::vector<std::int64_t> layersPerStage;  ///< as in parallel.layers_per_stage
    std::vector<StageRange> ranges;
    RankLayers first, mixed;  ///< of the first rank, and of the first one with the most mixtures
    double leastBefore = 0;   ///< lower bound on layers of any stage before the last rank's first one
    PartitionedPipeline() = default;
    PartitionedPipeline(const ModelSpec& model, std::int64_t pp, const PipelineChoice& choice);
};

/// Lower bounds over a set of pipelines.
struct LeastPipeline {
    RankLayers first, mixed;
    PipelineKinds kinds{false, true, true, 0};
    void keepLesser(const LeastPipeline& other);
};

/// Pipelines with the same schedule and chunks, which differ in their split alone: a range of the choices.
struct PipelineFamily : LeastPipeline {
    std::size_t begin = 0, end = 0;
};

/// The candidate pipelines for one number of ranks and micro-batches.
struct LegalPipelines : LeastPipeline {
    std::vector<PartitionedPipeline> choices;
    std::vector<PipelineFamily> families;
    /// @param shape of the pipeline
    void add(PartitionedPipeline pipeline, const PipelineShape& shape);
};

}  // namespace slipway
