// Checks the fused kernels against plain fp64 arithmetic on this device before a run relies on them: for an untested
// GPU, driver or compiler.
//   if (const auto sound = checkKernels(device, at::kBFloat16); !sound) return fail(sound.error());
#pragma once

#include "core/base/result.h"

#include <ATen/core/Tensor.h>

namespace slipway::trainer {

/// Runs every fused function once on small tensors of `type` (fp64, fp32, bf16, fp16) on `device` and compares; milliseconds. Does
/// nothing where the plain operators are used. "kernel_mismatch" names the function and the difference.
Result<void> checkKernels(at::Device device, at::ScalarType type);

}  // namespace slipway::trainer
