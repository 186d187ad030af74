// Loops over the rows of tensors that compute in one pass over memory what ATen's operators do in several: fp32 and
// fp64 on a CPU, these and the 16-bit formats on a GPU (device_rows.h). The plain ATen forms are next to their callers:
// they serve every other format and device, and tests compare these with autograd.
//   if (isFusable(x)) return fusedRmsNorm(x, weight, eps, stats.rstd);
// Rows are partitioned among libtorch's threads; sums are independent of their number.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>

namespace slipway::trainer {

/// True for contiguous tensors supported by the fused functions; other arguments must have the same format, or, for
/// sums, the sum format (dtype.h).
bool isFusable(const at::Tensor& x);
/// True for x supported by fusedRotate with this table.
bool isRotatable(const at::Tensor& x, const at::Tensor& cos);

/// x [..., H], weight [H] -> [..., H]; rstd [..., 1] is created.
at::Tensor fusedRmsNorm(const at::Tensor& x, const at::Tensor& weight, double eps, at::Tensor& rstd);
/// branch [..., H] += x; -> fusedRmsNorm of the sum, to the same bits. x as for isFusable() or with any strides.
at::Tensor fusedResidualRmsNorm(const at::Tensor& branch, const at::Tensor& x, const at::Tensor& weight, double eps,
                                at::Tensor& rstd);
/// @param residual gradient of the residual stream, added in the same pass; undefined: none
at::Tensor fusedRmsNormInputGrad(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& weight,
                                 const at::Tensor& rstd, const at::Tensor& residual = {});
/// weightGrad [H] += sum over rows of dy * x * rstd.
void fusedRmsNormWeightGrad(at::Tensor& weightGrad, const at::Tensor& dy, const at::Tensor& x, const at::Tensor& rstd);

at::Tensor fusedSwiGlu(const at::Tensor& gate, const at::Tensor& up);
/// -> (dGate, dUp)
std::pair<at::Tensor, at::Tensor> fusedSwiGluGrad(const at::Tensor& dy, const at::Tensor& gate, const at::Tensor& up);

/// x [S, B, h, D] with any strides but 1 in the last dim; cos and sin
/// [S, ...] with D/2 values per position; direction 1 or -1. ->
/// contiguous
at::Tensor fusedRotate(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, double direction);

/// logits [..., V] -> [...]
at::Tensor fusedRowMaxima(const at::Tensor& logits);
/// As in crossEntropySums of embedding.h.
at::Tensor fusedCrossEntropySums(const at::Tensor& logits, const at::Tensor& targets, const at::Tensor& maxima,
                                 std::int64_t firstId);
/// As in crossEntropyGrad of embedding.h; the gradient overwrites the logits.
void fusedCrossEntropyGrad(const at::Tensor& logits, const at::Tensor& targets, const at::Tensor& logSumExp,
                           std::int64_t firstId, double scale);

}  // namespace slipway::trainer
