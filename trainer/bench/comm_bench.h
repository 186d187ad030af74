// Cost of a collective, time against message size: two Gloo ranks of this machine over loopback, or the ranks of
// processes started on several machines.
#pragma once

#include "core/base/result.h"
#include "core/spec/cluster_spec.h"
#include "trainer/comm/rendezvous.h"

#include <cstdint>
#include <string>
#include <vector>

namespace slipway::trainer {

struct CommSample {
    std::string operation;   ///< all_reduce, all_gather, reduce_scatter, send
    std::int64_t bytes = 0;  ///< of the full tensor
    double seconds = 0;      ///< median
};

/// Ranks started by measureComm(); all on this computer.
constexpr std::int64_t kCommRanks = 2;

struct CommReport {
    std::int64_t ranks = kCommRanks, ranksPerNode = kCommRanks;
    std::vector<CommSample> samples;  ///< of rank 0; the others have none
};

/// Fits the samples of one operation (core/spec/link_fit.h); bytes are the full tensor's.
LinkSpec fitLink(const std::vector<CommSample>& samples, const std::string& operation);

/// The link of a ring between the ranks, from the all-reduce: 2 (n - 1) hops, 2 (n - 1) / n of the bytes, as in the planner.
LinkSpec linkOf(const CommReport& report);

/// Each collective after a few milliseconds of computation, as in a training step. "comm_failure" when Gloo is missing
/// or loopback does not work.
Result<CommReport> measureComm(int repeats);

/// The same as one rank of several processes. A message ("send") goes from the first to the last rank. @param
/// ranksPerNode of this node @param nccl over NCCL, on the local rank's GPU. "comm_failure", "no_gpu".
Result<CommReport> measureCommAsRank(const RankEnvironment& environment, std::int64_t ranksPerNode, bool nccl,
                                     int repeats);

}  // namespace slipway::trainer
