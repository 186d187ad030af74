// ProcessMesh: turns the groups of a ParallelLayout into ProcessGroups. Rank arithmetic is in core/spec.
#pragma once

#include "core/spec/parallel_layout.h"
#include "trainer/comm/process_group.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace slipway::trainer {

/// The groups of one rank. Every pointer is valid; a degree of 1 is a self group.
struct ProcessMesh {
    ParallelLayout layout;
    Coordinates at;
    int worldRank = 0;
    std::unique_ptr<ProcessGroup> world;
    std::unique_ptr<ProcessGroup> tp;
    std::unique_ptr<ProcessGroup> cp;
    std::unique_ptr<ProcessGroup> dp;  ///< replicas: gradient reduction and ZeRO (dp x cp when cp > 1)
    /// HSDP: the ranks of dp x cp that shard together, and those with the same shards. Null unless dp_shard is below
    /// dp.
    std::unique_ptr<ProcessGroup> dpShard, dpReplica;
    std::unique_ptr<ProcessGroup> pp;  ///< pipeline neighbours, rank = pipeline rank
    /// Ranks with copies of the same weights: first and last stage (a tied embedding), or the two directions of
    /// DualPipe (all weights). Else, and in V-shaped schedules, a self group.
    std::unique_ptr<ProcessGroup> tied;
    std::unique_ptr<ProcessGroup> experts;  ///< ranks that together hold all experts of a layer: etp x ep, etp fastest
    std::unique_ptr<ProcessGroup> etp;      ///< the ranks with the parts of this rank's experts
    std::unique_ptr<ProcessGroup> edp;  ///< the ranks with copies of this rank's experts: their gradients' reduction

    /// The ranks among which ZeRO shards states: dp x cp, or the inner group of HSDP.
    [[nodiscard]] ProcessGroup& shardGroup() const { return dpShard ? *dpShard : *dp; }
    /// 0 on the one replica of each shard that counts in sums over the model.
    [[nodiscard]] int replicaRank() const { return dpReplica ? dpReplica->rank() : 0; }
};

/// Makes one group of this rank. `ranks` are world ranks, ascending along the group; this rank is among them.
using GroupMaker =
    std::function<std::unique_ptr<ProcessGroup>(const std::string& name, const std::vector<std::int64_t>& ranks)>;

/// Builds all groups of one rank, in the same order on every rank. Groups of one rank become self groups. Makers:
/// InProcessWorld::maker(rank), GlooWorld::maker(), NcclWorld::maker(); a world of one needs none.
ProcessMesh makeMesh(const ParallelLayout& layout, std::int64_t worldRank, const GroupMaker& make);

}  // namespace slipway::trainer
