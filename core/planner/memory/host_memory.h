// Memory of the host that a rank beside a device fills: the copy a checkpoint is written from, and what parallel.offload moves there.
//   hostMemory(config).totalBytes()
#pragma once

#include "core/spec/cluster_spec.h"
#include "core/spec/run_config.h"

#include <cstdint>

namespace slipway {

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

/// The same of all ranks of a node, at most: as many as it has devices or the run has ranks.
double nodeHostBytes(const RunConfig& config, const ClusterSpec& cluster);

}  // namespace slipway
