// Communication: bytes a rank sends and the time of a collective by the alpha-beta model.
//   ringBytes(Collective::AllReduce, 16, 14e9) / 25e9 == 1.05 s
#pragma once

#include "core/planner/memory/memory.h"
#include "core/planner/time/comm_curves.h"
#include "core/planner/values/forecast.h"

#include <array>
#include <initializer_list>

namespace slipway {

/// Bytes one of n ranks sends with ring algorithms; `bytes` is the full (gathered, unreduced) size. All-reduce 2 (n -
/// 1) / n S, gather, scatter and all-to-all (n - 1) / n S, broadcast and send S. The trainer counts in the same way.
double ringBytes(Collective kind, double n, double bytes);

/// Links are sold in gigabits: 200 Gb/s are 25e9 bytes per second.
constexpr double gigabitsPerSecond(double gigabits) {
    return gigabits * 1e9 / 8;
}

/// Hops of the ring: each costs one latency.
double ringHops(Collective kind, double n);

/// hops * latency + sent bytes / bandwidth (ring algorithms, nccl-tests doc/PERFORMANCE.md).
double collectiveSeconds(Collective kind, double n, double bytes, const LinkSpec& link);

/// A collective that runs `count` times; count may be per micro-batch or per step.
struct Operation {
    Collective kind = Collective::AllReduce;
    double ranks = 1;
    double bytes = 0;
    double count = 0;
};

/// Operations of one rank on one axis; at most four kinds, stored in place because a search makes millions.
struct Traffic {
    struct Operations {
        std::array<Operation, 4> items;
        std::size_t count = 0;
        [[nodiscard]] const Operation* begin() const { return items.data(); }
        [[nodiscard]] const Operation* end() const { return items.data() + count; }
        [[nodiscard]] std::size_t size() const { return count; }
    } operations;
    void add(Collective kind, double ranks, double bytes, double count) {
        if (ranks > 1 && count > 0 && bytes > 0) operations.items.at(operations.count++) = {kind, ranks, bytes, count};
    }
    [[nodiscard]] double sentBytes() const;
    [[nodiscard]] double seconds(const GroupLink& link) const;
};

/// The link of a group of these axes: inside a node, or across nodes with all its ranks' network cards.
GroupLink groupLink(const RunConfig& config, const ClusterSpec& cluster, std::initializer_list<Axis> axes);

/// The links of ZeRO's groups: of the dp_shard x cp ranks that share one copy of the model state, which are neighbours, and of the ranks
/// in different groups that hold the same part. Where all of dp shards together the first is the full group's.
GroupLink shardLink(const RunConfig& config, const ClusterSpec& cluster);
GroupLink replicaLink(const RunConfig& config, const ClusterSpec& cluster);

/// The link of experts, which are folded over the data-parallel neighbours: their group spans ep x tp devices.
GroupLink expertLink(const RunConfig& config, const ClusterSpec& cluster);

/// The link of small messages among all ranks.
GroupLink worldLink(const RunConfig& config, const ClusterSpec& cluster);

/// Per micro-batch: tensor-parallel operations of one layer, forward and backward. With sequence parallelism the
/// all-reduces become gather and scatter pairs (Korthikanti 2022, arXiv 2205.05198, sec. 4.2.2).
struct PassTraffic {
    Traffic forward, backward;
};
PassTraffic tpLayerTraffic(const RunConfig& config, bool moeLayer);
/// The same for embedding, head and loss at the ends.
PassTraffic tpEmbeddingTraffic(const RunConfig& config);
PassTraffic tpHeadTraffic(const RunConfig& config);
/// Context-parallel exchange of keys and values of one layer.
PassTraffic cpLayerTraffic(const RunConfig& config);
/// Expert dispatch and combine of one mixture-of-experts layer.
PassTraffic epLayerTraffic(const RunConfig& config);

/// Per step: gradients and weights of a rank that holds this share of the model, over the data-parallel group.
struct StepTraffic {
    Traffic gradients;          ///< may overlap with the backward pass; among the ranks that shard together
    double gradientPasses = 1;  ///< in which they are sent: the last micro-batch's, or all under ZeRO-2 and ZeRO-3
    Traffic replicas;           ///< of the summed gradients, among such groups (HSDP)
    Traffic expertGradients, expertWeights;  ///< the same for routed experts, over all ranks with copies of them
    Traffic weights;                         ///< after the optimizer, or before each pass under ZeRO-3
    Traffic tied;                            ///< gradients of a tied embedding, between first and last stage
    Traffic
        tpGradients;  ///< of tensors left partial by sequence parallelism (norms, positions); Muon's matrices, gathered
    Traffic scalars;  ///< gradient norm and loss over all ranks
};
StepTraffic dpTraffic(const RunConfig& config, const RankShare& share);

}  // namespace slipway
