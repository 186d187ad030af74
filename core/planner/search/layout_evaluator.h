// Judges one layout after another at the price of what changed between them: the planner's own tables and compositions
// (memory.h, step.h), kept from layout to layout. Equal to makePlan on every figure it gives.
//   LayoutEvaluator e(config, cluster);
//   e.setGroup(degrees, microBatchSize, sequenceParallel, recompute);  e.setPipeline(choice);
//   if (e.peakBytes(zeroStage, offload) <= e.capacityBytes()) e.estimate(zeroStage, offload);
#pragma once

#include "core/planner/memory/memory.h"
#include "core/planner/search/search_space.h"
#include "core/planner/time/step.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace slipway {

class LayoutEvaluator {
public:
    /// Keeps what the search does not vary; clears what belongs to another layout (layers_per_stage, dp_shard).
    LayoutEvaluator(const RunConfig& config, const ClusterSpec& cluster);

    /// Everything but schedule, ZeRO and offload; puts those back to their defaults.
    void setDegrees(const Degrees& degrees, std::int64_t microBatchSize, bool sequenceParallel);
    /// Makes the tables; the config must be valid.
    void setRecompute(RecomputePolicy policy);
    /// Builds the schedule where memory and time need its list of actions (zero-bubble kinds, DualPipe). False when it
    /// cannot be had with these degrees, which validate() says too.
    bool setPipeline(const PipelineChoice& choice);
    /// Builds none: peakBytes() is then a lower bound where isExact() is false, and there is no estimate().
    void setPipelineForBounds(const PipelineChoice& choice);
    [[nodiscard]] bool isExact() const;

    /// Memory of the fullest pipeline rank; under a calibrated stack it also decides capacityBytes().
    double peakBytes(std::int64_t zeroStage, Offload offload);
    /// At most the step's seconds, for any ZeRO stage and offload (stepLowerBound()).
    double boundSeconds();
    /// The step, without timeline.
    StepEstimate estimate(std::int64_t zeroStage, Offload offload);

    [[nodiscard]] double capacityBytes() const { return m_capacityBytes; }
    /// The layout as set.
    RunConfig& config() { return m_config; }
    [[nodiscard]] const MemoryTable& memoryTable() const { return m_memory; }

private:
    void fillContents();

    RunConfig m_config;
    const ClusterSpec& m_cluster;
    double m_capacityBytes = kUnknown;
    MemoryTable m_memory;
    std::optional<TimeTable> m_time;
    Pipeline m_pipeline;
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<StageRange>> m_ranges;  ///< by pp and virtual stages
    std::optional<PlayedSchedule> m_played;
    std::vector<RankContents> m_contents;
    std::vector<RankShare> m_shares;
    PassPart m_part;
    bool m_contentsKnown = false, m_partKnown = false, m_stagesKnown = false;
};

}  // namespace slipway
