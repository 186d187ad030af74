// The functions of fused_rows.h for tensors on a GPU, fp32, fp64, bf16 and fp16: sums, roots and exponentials are in the sum format (dtype.h).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>

namespace slipway::trainer {

/// True when this build has the kernels and x is a contiguous GPU tensor of one of those formats.
bool hasDeviceRows(const at::Tensor& x);

at::Tensor deviceRmsNorm(const at::Tensor& x, const at::Tensor& weight, double eps, at::Tensor& rstd);
at::Tensor deviceRmsNormInputGrad(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& weight,
                                  const at::Tensor& rstd);
void deviceRmsNormWeightGrad(at::Tensor& weightGrad, const at::Tensor& dy, const at::Tensor& x, const at::Tensor& rstd);
at::Tensor deviceSwiGlu(const at::Tensor& gate, const at::Tensor& up);
std::pair<at::Tensor, at::Tensor> deviceSwiGluGrad(const at::Tensor& dy, const at::Tensor& gate, const at::Tensor& up);
at::Tensor deviceRotate(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, double direction);
at::Tensor deviceRowMaxima(const at::Tensor& logits);
at::Tensor deviceCrossEntropySums(const at::Tensor& logits, const at::Tensor& targets, const at::Tensor& maxima,
                                  std::int64_t firstId);
void deviceCrossEntropyGrad(const at::Tensor& logits, const at::Tensor& targets, const at::Tensor& logSumExp,
                            std::int64_t firstId, double scale);

}  // namespace slipway::trainer
