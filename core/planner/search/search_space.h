// The space a layout search looks through: what each axis may be.
//   SearchSpace space(config, cluster, 512, limits);   space.degrees, space.pipelines(8)
#pragma once

#include "core/planner/search/search_limits.h"
#include "core/spec/cluster_spec.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace slipway {

/// A schedule with its chunks per rank and how layers are dealt to its stages.
struct PipelineChoice {
    ScheduleKind schedule = ScheduleKind::OneFOneB;
    std::int64_t virtualStages = 1;
    LayerSplit split = LayerSplit::Even;
};

/// Degrees of the axes that make up the world.
struct Degrees {
    std::int64_t tp = 1, pp = 1, cp = 1, dp = 1, ep = 1, etp = 1;
};

/// What a layer's costs depend on beside the degrees.
struct LayerOptions {
    bool sequenceParallel = false, asyncTp = false;
    CpKind cpKind = CpKind::Ring;
    RecomputePolicy recompute = RecomputePolicy::None;
};

/// What the ranks with the same part of the model share.
struct Sharding {
    std::int64_t zeroStage = 0;
    std::int64_t dpShard = 0;  ///< ranks of dp that shard together; 0: all
};

/// The space for one number of devices. Options without effect are left out: a pipeline's of pp = 1, sequence parallelism
/// of tp = 1, kinds of exchange of cp = 1, ZeRO of one data-parallel rank, dp_shard without ZeRO, offload from a CPU to
/// itself, overlapped tensor parallelism where the planner sees no difference. Bounded: etp divides tp; layers are dealt
/// as LayerSplit says; schedules are the three whose length has a closed recursion (pipeline_seconds.h), or those that the
/// limits name, because zero-bubble kinds and DualPipe are played action by action, which takes milliseconds a layout.
class SearchSpace {
public:
    SearchSpace(const RunConfig& config, const ClusterSpec& cluster, std::int64_t devices,
                const SearchLimits& limits = {});

    std::vector<Degrees> degrees;               ///< all products dp * tp * pp * cp = devices, experts dealt
    std::vector<std::int64_t> microBatchSizes;  ///< divisors of the global batch
    std::vector<Offload> offloads;              ///< none, and on devices with a host all others
    [[nodiscard]] std::vector<PipelineChoice> pipelines(std::int64_t pp) const;
    /// For one recompute policy each (their `recompute` is None).
    [[nodiscard]] std::vector<LayerOptions> layerOptions(const Degrees& d) const;
    /// By ZeRO stage; all of dp first, then ever fewer ranks.
    [[nodiscard]] std::vector<Sharding> shardings(const Degrees& d) const;
    /// Layouts with these degrees, one of `degrees`, and one micro-batch size.
    [[nodiscard]] double countLayouts(const Degrees& d) const;
    /// True where overlapped tensor parallelism makes a difference in the planner.
    [[nodiscard]] bool overlapsTp() const { return m_asyncTp; }

    /// Blocks of each stage of numStages, as parallel.layers_per_stage holds them; empty: as even as possible. What the ends
    /// give goes to the stage between them with the fewest layers, the later of equals, which keeps fewer micro-batches (of
    /// two stages: to the first). Nothing when a stage would be left without layers.
    static std::optional<std::vector<std::int64_t>> layersPerStage(std::int64_t numLayers, std::int64_t pp,
                                                                   std::int64_t virtualStages, LayerSplit split);

private:
    std::int64_t m_numLayers;
    std::vector<ScheduleKind> m_schedules;
    bool m_asyncTp = false;
    std::map<std::int64_t, std::size_t> m_numPipelines;                           ///< by pp
    std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> m_numShardings;  ///< by dp and cp
};

/// All divisors, ascending.
std::vector<std::int64_t> divisorsOf(std::int64_t value);

}  // namespace slipway
