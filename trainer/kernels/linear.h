// Linear layer y = x W^T + b as three passes. I inputs, O outputs; leading dims are flattened to N rows.
#pragma once

#include <ATen/core/Tensor.h>

namespace slipway::trainer {

/// x [..., I], weight [O, I], bias [O] or undefined -> [..., O], in x's format.
at::Tensor linearForward(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// dy [..., O], weight [O, I] -> dx [..., I] = dy W.
at::Tensor linearInputGrad(const at::Tensor& dy, const at::Tensor& weight);

/// dx [..., I] += dy W; on a GPU the product adds to the existing values before rounding, in one pass.
void addLinearInputGrad(at::Tensor& dx, const at::Tensor& dy, const at::Tensor& weight);

/// mainGrad [O, I] += dy^T x, summed in mainGrad's format. dy [..., O], x [..., I].
void addLinearWeightGrad(at::Tensor& mainGrad, const at::Tensor& dy, const at::Tensor& x);

/// mainGrad [O] += sum of dy over all rows.
void addBiasGrad(at::Tensor& mainGrad, const at::Tensor& dy);

}  // namespace slipway::trainer
