// Latency and bandwidth from measured messages.
//   fitLink({{1024, 50e-6}, {1048576, 150e-6}})
#pragma once

#include "core/spec/cluster_spec.h"

#include <vector>

namespace slipway {

struct TimedMessage {
    double bytes = 0;
    double seconds = 0;
};

/// t(bytes) = latencySeconds + bytes / bytesPerSecond by weighted least squares (weights 1 / seconds^2, so that small
/// messages count as much as large ones). Where times do not grow with the size, on a busy machine, the largest message
/// determines the bandwidth. Messages with zero time are skipped; without any the link is zero.
LinkSpec fitLink(const std::vector<TimedMessage>& messages);

}  // namespace slipway
