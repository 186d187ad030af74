// The GPU that the measuring and verifying commands use.
#pragma once

#include "core/base/result.h"

#include <ATen/core/Tensor.h>

namespace slipway::trainer {

/// The first GPU; "no_gpu" where libtorch sees none.
Result<at::Device> firstGpu();

}  // namespace slipway::trainer
