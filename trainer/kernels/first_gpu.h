// The GPU that a rank, or a measuring or verifying command, uses.
#pragma once

#include "core/base/result.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace slipway::trainer {

/// GPU number `index` of this process, made the current one of this thread: kernels, streams and memory that are asked
/// for without a device are those of the current one. "no_gpu" where libtorch sees fewer.
Result<at::Device> useGpu(std::int64_t index);

/// useGpu(0).
Result<at::Device> firstGpu();

}  // namespace slipway::trainer
