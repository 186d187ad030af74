// RMSNorm and LayerNorm over the last dim (width H), input and weight gradients as separate passes.
//   RMSNorm: y = w x / sqrt(mean(x^2) + eps)          Zhang and Sennrich 2019, arXiv 1910.07467, eq. 4
//   LayerNorm: y = w (x - mean) / sqrt(var + eps) + b  Ba et al. 2016, arXiv 1607.06450
#pragma once

#include <ATen/core/Tensor.h>

namespace slipway::trainer {

/// Saved statistics of a norm's rows, one value each in the sum format. `mean` is undefined for RMSNorm.
struct NormStats {
    at::Tensor mean;  // [..., 1]
    at::Tensor rstd;  // [..., 1]
};

/// x [..., H], weight [H] -> [..., H] in x's format.
at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& weight, double eps, NormStats& stats);
/// branch += x, the residual stream; -> rmsNorm of the sum, to the same bits. With fused rows it is one pass over
/// memory.
at::Tensor residualRmsNorm(at::Tensor& branch, const at::Tensor& x, const at::Tensor& weight, double eps,
                           NormStats& stats);
/// @param residual gradient of the residual stream around the norm, added to the result; undefined: none
at::Tensor rmsNormInputGrad(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& weight, const NormStats& stats,
                            const at::Tensor& residual = {});
/// weightGrad [H] += sum over rows of dy * x * rstd.
void addRmsNormWeightGrad(at::Tensor& weightGrad, const at::Tensor& dy, const at::Tensor& x, const NormStats& stats);

/// x [..., H], weight and bias [H] -> [..., H] in x's format.
at::Tensor layerNorm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double eps,
                     NormStats& stats);
at::Tensor layerNormInputGrad(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& weight,
                              const NormStats& stats);
/// weightGrad [H] += sum of dy * normalised x; biasGrad [H] += sum of dy.
void addLayerNormWeightGrad(at::Tensor& weightGrad, at::Tensor& biasGrad, const at::Tensor& dy, const at::Tensor& x,
                            const NormStats& stats);

}  // namespace slipway::trainer
