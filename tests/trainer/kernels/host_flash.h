// A stand-in for libtorch's flash operator on the CPU, written from what libtorch 2.11 takes and gives on a GPU:
// layouts, formats, documents laid end to end, windows, the corner where causal queries and keys meet, +inf as the
// statistics of a query that sees no key. A test program that has host_flash.cpp among its sources has flashAttention()
// serve bf16 and fp16 on the CPU. What it cannot show is the GPU's own kernels.
#pragma once

#include <atomic>

namespace slipway::trainer {

struct HostFlash {
    std::atomic<int> forward{0}, backward{0};  ///< calls
    std::atomic<int> fixedOrder{0};            ///< backward calls whose sums would have come in a fixed order
    std::atomic<bool> refuses{false};          ///< every call from now on
};

HostFlash& hostFlash();

}  // namespace slipway::trainer
