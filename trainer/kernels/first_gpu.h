// The GPU of a rank, or of a measuring or verifying command.
#pragma once

#include "core/base/result.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace slipway::trainer {

/// GPU number `index` of this process, set as the current one of this thread: kernels, streams and memory requested
/// without a device use the current one. "no_gpu" where libtorch sees fewer.
Result<at::Device> useGpu(std::int64_t index);

/// useGpu(0).
Result<at::Device> firstGpu();

}  // namespace slipway::trainer
