// Evaluates layouts in sequence at the cost of the changes between them: the planner's own tables and compositions
// (memory.h, step.h), reused from layout to layout. Equal to makePlan on every figure.
//   LayoutEvaluator e(config, cluster);
//   e.setLayers(degrees, microBatchSize, options);  e.setPipeline(choice);
//   if (e.peakBytes(sharding, offload) <= e.capacityBytes()) e.estimate(sharding, offload);
#pragma once

#include "core/planner/memory/memory.h"
#include "core/planner/memory/stack_memory.h"
#include "core/planner/search/partitioned_pipeline.h"
#include "core/planner/search/share_bounds.h"
#include "core/planner/time/step.h"

#include <array>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace slipway {

/// Margin of a lower bound for rounding of additions in a different order.
constexpr double kRounding = 1 - 1e-9;

class LayoutEvaluator {
public:
    /// Stores the parts that the search does not vary.
    LayoutEvaluator(const RunConfig& config, const ClusterSpec& cluster);

    /// Sets everything but pipeline, sharding and offload; resets those to their defaults.
    void setLayers(const Degrees& degrees, std::int64_t microBatchSize, const LayerOptions& options);
    /// Builds the schedule where memory and time need its list of actions (zero-bubble kinds, DualPipe). False when it
    /// is impossible with these degrees; validate() reports it as well.
    bool setPipeline(const PipelineChoice& choice);
    bool setPipeline(const PartitionedPipeline& pipeline);
    /// Builds no schedule: peakBytes() is then a lower bound where isExact() is false, and there is no estimate().
    void setPipelineForBounds(const PartitionedPipeline& pipeline);
    /// Extends leastBytes() to all pipelines of the current kind with at least these layers, until the next is set.
    void setLeastLayers(const LeastPipeline& layers);
    [[nodiscard]] bool isExact() const;

    /// Memory of the fullest pipeline rank.
    double peakBytes(const Sharding& sharding, Offload offload);
    /// True where a node with this memory fits the layout's host memory (host_memory.h); without its schedule (isExact)
    /// true is not certain.
    /// @param peakBytes of the layout
    bool hostFits(const Sharding& sharding, Offload offload, double peakBytes, double nodeBytes);
    /// At most the fullest rank's memory in this pipeline, by the layers of the first ranks, whatever a stack keeps; fewer
    /// ranks that shard together give no less.
    double leastBytes(const Sharding& sharding, Offload offload);
    /// Lower bound on the step's seconds: for any of these pipelines, sharding and offload; for any sharding and
    /// offload in this pipeline; for this layout.
    double boundSeconds(const LeastPipeline& pipelines);
    double boundSeconds();
    double boundSeconds(const Sharding& sharding, Offload offload);
    /// Lower bound on the addition of offloaded activations to boundSeconds(pipelines).
    double boundHostWait();
    /// Lower bound on the fullest rank's memory in any of these pipelines, by ZeRO stage and offload (shareClass), for
    /// any ranks that shard together.
    /// @param classes to compute; others get 0
    /// @param stateAlone of model state, which holds for any layer options
    ShareBytes boundBytes(const LeastPipeline& pipelines, const ShareClasses& classes = ShareClasses().set(),
                          bool stateAlone = false);
    /// Lower bound on the cost of these shardings in addition to the passes, in any of these pipelines.
    /// @param classes as for boundBytes(); ZeRO stages without one are infinite
    ShareBounds boundShares(const LeastPipeline& pipelines, const std::vector<Sharding>& shardings,
                            const ShareClasses& classes = ShareClasses().set());
    /// The step, without timeline.
    StepEstimate estimate(const Sharding& sharding, Offload offload);

    [[nodiscard]] double capacityBytes() const { return m_capacityBytes; }
    /// The layout as set.
    RunConfig& config() { return m_config; }

private:
    void setShares(const Sharding& sharding, Offload offload);
    void forgetPipeline();
    void findDistinct();
    void fillContents();
    [[nodiscard]] double fullestBytes(const MemoryTable& table, const std::vector<RankContents>& contents) const;
    double stackBytes(bool keepGathers);
    double stackPeakBytes();
    const MemoryTable& leastMemory();
    double chanceOfWaits();
    RankContents leastContents(const RankLayers& own, bool first, double flights);
    std::vector<RankContents> leastRanks(const RankLayers& first, const RankLayers& mixed, std::int64_t numMicroBatches,
                                         bool allAtOnce);
    [[nodiscard]] double fullestLeastBytes(const std::vector<RankContents>& ranks) const;
    void setLinks();
    TimeTable& timeTable();
    TimeTable& tableWithWaits();

    RunConfig m_config;
    const ClusterSpec& m_cluster;
    double m_capacityBytes = kUnknown;
    std::optional<MemoryTable> m_memory;
    std::optional<TimeTable> m_time;
    Pipeline m_pipeline;
    RankLayers m_first, m_mixed;                              ///< of the pipeline
    std::array<std::optional<MemoryTable>, 4> m_stackMemory;  ///< gathered inputs kept or not, ZeRO-3 or not
    std::array<std::vector<RankContents>, 2> m_stackContents;
    std::array<bool, 2> m_stackContentsKnown = {};
    std::optional<double> m_stackPeak;  ///< of m_stackPeakOf
    std::tuple<std::int64_t, std::int64_t, Offload> m_stackPeakOf;
    std::optional<double> m_waitChance;            ///< of a stack, for m_waitChanceOf
    std::pair<std::int64_t, bool> m_waitChanceOf;  ///< devices, and whether they are a pipeline
    std::optional<MemoryTable> m_leastMemory;      ///< of leastMemory()
    std::vector<RankContents> m_least;             ///< of leastBytes()
    std::optional<ScheduleSample> m_sample;
    std::vector<RankContents> m_contents;  ///< of the ranks in m_distinct
    std::vector<bool> m_distinct;
    std::vector<RankShare> m_shares;
    PassPart m_part, m_bound;
    double m_boundSeconds = 0;  ///< for any sharding and offload
    std::vector<std::pair<std::int64_t, std::pair<GroupLink, GroupLink>>>
        m_links;  ///< shardLink, replicaLink by dp_shard
    bool m_waitsKnown = false, m_contentsKnown = false, m_partKnown = false, m_boundKnown = false,
         m_secondsKnown = false;
};

}  // namespace slipway
