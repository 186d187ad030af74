// What a collective costs on this machine: two Gloo ranks over loopback, time against message size.
#pragma once

#include "core/base/result.h"
#include "core/spec/cluster_spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace slipway::trainer {

struct CommSample {
    std::string operation;   ///< all_reduce, all_gather, reduce_scatter, send
    std::int64_t bytes = 0;  ///< of the whole tensor
    double seconds = 0;      ///< median
};

/// Ranks that take part; all on this computer.
constexpr std::int64_t kCommRanks = 2;

struct CommReport {
    std::vector<CommSample> samples;
};

/// Fits the samples of one operation (core/spec/link_fit.h); bytes are those of the whole tensor.
LinkSpec fitLink(const std::vector<CommSample>& samples, const std::string& operation);

/// The link of a ring between the two ranks, from the all-reduce: two hops and the tensor's bytes (planner: ring
/// all-reduce, 2 (n - 1) hops, 2 (n - 1) / n of the bytes).
LinkSpec linkOf(const CommReport& report);

/// Each collective after a few milliseconds of computation, as in a training step. "comm_failure" when Gloo is not
/// there or loopback does not work.
Result<CommReport> measureComm(int repeats);

}  // namespace slipway::trainer
