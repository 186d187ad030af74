// Host memory used by a rank on a device: the staging copy of a checkpoint, and states and activations moved by parallel.offload.
//   hostMemory(config).totalBytes()
#pragma once

#include "core/planner/values/forecast.h"

#include <cstdint>

namespace slipway {

struct RankShare;

/// Bytes of one rank in its node's memory; on a CPU in addition to MemoryBreakdown.
struct HostMemory {
    std::int64_t stage = 0;      ///< pipeline rank
    double stagingBytes = 0;     ///< the rank's part of a checkpoint, copied before training continues
    double optimizerBytes = 0;   ///< offloaded: master weights and moments
    double activationBytes = 0;  ///< offloaded: blocks' saved activations of all micro-batches in flight
    [[nodiscard]] double totalBytes() const { return stagingBytes + optimizerBytes + activationBytes; }
};

/// Partition of a rank's states when a checkpoint is written: each element once, by one of the ranks that have it
/// (trainer/checkpoint/write_plan.h); norms and other copies among tensor-parallel ranks count on each of them here.
struct CheckpointWriters {
    double dense = 1, experts = 1;
    double bytesPerParameter = 0;  ///< weights in their update format, and the optimizer's moments
    double momentBytes = 0;        ///< saving for a matrix, where the optimizer has only one moment for it
};
CheckpointWriters checkpointWriters(const RunConfig& config);

/// Of the pipeline rank that needs most. No staging copy where checkpoint.every_steps disables checkpoints.
HostMemory hostMemory(const RunConfig& config);
/// For a rank with this share of the parameters under the config's ZeRO stage and offload.
/// @param savedBytes its blocks' saved activations of all micro-batches in flight (RankContents::saved)
HostMemory hostMemory(const RunConfig& config, const RankShare& share, double savedBytes);

/// A node's host memory: used by its ranks, and available. It includes a CPU's tensors.
struct NodeHostMemory {
    double ranks = 0;                 ///< over as many ranks as it has devices, or the run has
    HostMemory ofRank;                ///< of the rank that needs most
    double tensorBytes = 0;           ///< of all its ranks, where the device is the CPU
    double capacityBytes = kUnknown;  ///< nodeHostCapacity()
    [[nodiscard]] double hostBytes() const { return ranks * ofRank.totalBytes(); }
    [[nodiscard]] double neededBytes() const { return hostBytes() + tensorBytes; }
    /// True where the capacity is unknown.
    [[nodiscard]] bool fits() const { return !(neededBytes() > capacityBytes); }
};
/// Capacity of one node: a CPU's own memory, a GPU node's as listed by its vendor (listed_hosts.h); NaN when unknown.
double nodeHostCapacity(const ClusterSpec& cluster);
/// @param rankPeakBytes tensors of the fullest rank (Plan::memoryPeakBytes)
NodeHostMemory nodeHostMemory(const RunConfig& config, const ClusterSpec& cluster, double rankPeakBytes);
/// The same where the rank that needs most is known.
/// @param capacityBytes of the node
NodeHostMemory nodeHostMemory(const RunConfig& config, const ClusterSpec& cluster, double rankPeakBytes,
                              const HostMemory& fullest, double capacityBytes);

/// Bytes per parameter of a rank's offloaded optimizer in hostMemory(): master weights and moments, or, without master
/// copies, the weights updated there and the moments.
struct HostStateBytes {
    double perParameter = 0;
    double sparedMoment = 0;  ///< saving for a matrix, where the optimizer has only one moment for it
};
HostStateBytes hostStateBytes(const RunConfig& config);

}  // namespace slipway
