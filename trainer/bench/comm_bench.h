// What a collective costs on this machine: two Gloo ranks over loopback, time against message size.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace slipway::trainer {

struct CommSample {
    std::string operation;   ///< all_reduce, all_gather, reduce_scatter, send
    std::int64_t bytes = 0;  ///< of the whole tensor
    double seconds = 0;      ///< median
};

/// t(bytes) = latencySeconds + bytes / bytesPerSecond
struct LinkFit {
    double latencySeconds = 0;
    double bytesPerSecond = 0;
};

struct CommReport {
    std::vector<CommSample> samples;
};

/// Fits one operation by weighted least squares (weights 1 / seconds^2, so that small messages count as much as large ones).
LinkFit fitLink(const std::vector<CommSample>& samples, const std::string& operation);

/// The link of a ring between the two ranks, from the all-reduce: two hops and the tensor's bytes (planner: ring all-reduce,
/// 2 (n - 1) hops, 2 (n - 1) / n of the bytes).
LinkFit linkOf(const CommReport& report);

/// Each collective after a few milliseconds of computation, as in a training step. "comm_failure" when Gloo is not there or loopback does not work.
Result<CommReport> measureComm(int repeats);

}  // namespace slipway::trainer
