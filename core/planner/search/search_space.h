// The space of a layout search: the values of each axis.
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

/// A schedule with its chunks per rank and the partition of layers into its stages.
struct PipelineChoice {
    ScheduleKind schedule = ScheduleKind::OneFOneB;
    std::int64_t virtualStages = 1;
    LayerSplit split = LayerSplit::Even;
};

/// Degrees of the axes that make up the world.
struct Degrees {
    std::int64_t tp = 1, pp = 1, cp = 1, dp = 1, ep = 1, etp = 1;
};

/// Options besides the degrees that affect a layer's costs.
struct LayerOptions {
    bool sequenceParallel = false, asyncTp = false;
    CpKind cpKind = CpKind::Ring;
    RecomputePolicy recompute = RecomputePolicy::None;
};

/// Sharding among ranks with the same part of the model.
struct Sharding {
    std::int64_t zeroStage = 0;
    std::int64_t dpShard = 0;  ///< ranks of dp that shard together; 0: all
};

/// The space for one number of devices. Options without effect are omitted: a pipeline's with pp = 1, sequence parallelism with tp = 1,
/// kinds of exchange with cp = 1, ZeRO with one data-parallel rank, dp_shard without ZeRO, offload from a CPU to itself, overlapped
/// tensor parallelism where the planner sees no difference. Bounded: etp divides tp; layers are partitioned by a LayerSplit; schedules
/// are the three whose length has a closed recursion (pipeline_seconds.h), or those named in the limits, because zero-bubble kinds and
/// DualPipe are simulated action by action, which takes milliseconds per layout.
class SearchSpace {
public:
    SearchSpace(const RunConfig& config, const ClusterSpec& cluster, std::int64_t devices,
                const SearchLimits& limits = {});

    std::vector<Degrees> degrees;               ///< all products dp * tp * pp * cp = devices, with experts distributed
    std::vector<std::int64_t> microBatchSizes;  ///< divisors of the global batch
    std::vector<Offload> offloads;              ///< none, and on devices with a host all others
    [[nodiscard]] std::vector<PipelineChoice> pipelines(std::int64_t pp) const;
    /// Each represents all recompute policies (`recompute` is None).
    [[nodiscard]] std::vector<LayerOptions> layerOptions(const Degrees& d) const;
    /// By ZeRO stage; all of dp first, then fewer and fewer ranks.
    [[nodiscard]] std::vector<Sharding> shardings(const Degrees& d) const;
    /// Layouts with these degrees, one of `degrees`, and one micro-batch size.
    [[nodiscard]] double countLayouts(const Degrees& d) const;
    /// True where overlapped tensor parallelism makes a difference in the planner.
    [[nodiscard]] bool overlapsTp() const { return m_asyncTp; }

    /// Blocks of each stage of numStages, as in parallel.layers_per_stage; empty: as even as possible. Layers taken
    /// from the ends go to the stage between them with the fewest layers, the later of equals, which saves fewer
    /// micro-batches (with two stages: to the first). Absent when a stage would have no layers.
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
