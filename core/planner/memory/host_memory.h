// Memory of the host that a rank beside a device fills: the copy a checkpoint is written from, and what parallel.offload moves there.
//   hostMemory(config).totalBytes()
#pragma once

#include "core/planner/values/forecast.h"

#include <cstdint>

namespace slipway {

struct RankShare;

/// Bytes of one rank in its node's memory; on a CPU beside what MemoryBreakdown counts there.
struct HostMemory {
    std::int64_t stage = 0;      ///< pipeline rank
    double stagingBytes = 0;     ///< what the rank writes of a checkpoint, copied before training goes on
    double optimizerBytes = 0;   ///< offloaded: master weights and moments
    double activationBytes = 0;  ///< offloaded: what blocks keep of all micro-batches in flight
    [[nodiscard]] double totalBytes() const { return stagingBytes + optimizerBytes + activationBytes; }
};

/// How a rank's states are shared out when a checkpoint is written: each element once, by one of the ranks that have it
/// (trainer/checkpoint/write_plan.h); norms and other copies among tensor-parallel ranks count on each of them here.
struct CheckpointWriters {
    double dense = 1, experts = 1;
    double bytesPerParameter = 0;  ///< weights in the format they are updated in, and the optimizer's moments
    double momentBytes = 0;        ///< less for a matrix, where the optimizer keeps one moment of it
};
CheckpointWriters checkpointWriters(const RunConfig& config);

/// Of the pipeline rank that needs most. No copy where checkpoint.every_steps writes none.
HostMemory hostMemory(const RunConfig& config);
/// Of a rank with this share of the parameters under the config's ZeRO stage and offload.
/// @param keptBytes what its blocks keep of all micro-batches in flight (RankContents::kept)
HostMemory hostMemory(const RunConfig& config, const RankShare& share, double keptBytes);

/// A node's memory beside that of its devices: what its ranks fill of it, and what it has. A CPU's tensors are there, too.
struct NodeHostMemory {
    double ranks = 0;                 ///< as many as it has devices or the run has ranks
    HostMemory ofRank;                ///< of the rank that needs most
    double tensorBytes = 0;           ///< of all its ranks, where the device is the CPU
    double capacityBytes = kUnknown;  ///< nodeHostCapacity()
    [[nodiscard]] double hostBytes() const { return ranks * ofRank.totalBytes(); }
    [[nodiscard]] double neededBytes() const { return hostBytes() + tensorBytes; }
    /// True where the capacity is unknown.
    [[nodiscard]] bool fits() const { return !(neededBytes() > capacityBytes); }
};
/// What one node has: a CPU its own memory, a GPU's node what its vendor lists (listed_hosts.h); NaN when unknown.
double nodeHostCapacity(const ClusterSpec& cluster);
/// @param rankPeakBytes tensors of the fullest rank (Plan::memoryPeakBytes)
NodeHostMemory nodeHostMemory(const RunConfig& config, const ClusterSpec& cluster, double rankPeakBytes);
/// The same where the rank that needs most is known.
/// @param capacityBytes what the node has
NodeHostMemory nodeHostMemory(const RunConfig& config, const ClusterSpec& cluster, double rankPeakBytes,
                              const HostMemory& fullest, double capacityBytes);

/// What hostMemory() takes a rank's offloaded optimizer to keep per parameter: master weights and moments, or the weights that
/// are updated there where they have no master copy, and the moments.
struct HostStateBytes {
    double perParameter = 0;
    double sparedMoment = 0;  ///< less for a matrix, where the optimizer keeps one moment of it
};
HostStateBytes hostStateBytes(const RunConfig& config);

}  // namespace slipway
