// Products in 8 bit (Micikevicius et al. 2022, arXiv 2209.05433): both factors are multiplied by a scale, so that their
// largest value becomes the format's largest, rounded to float8, multiplied, and the product divided by both scales.
// Scales are computed from the current values.
//   const Fp8Factor a = fp8Factor(x, fp8Largest(x, perRow), type), b = ...;
//   at::Tensor y = fp8Product(a, b, at::kBFloat16, true);
// A factor has its rows along dim 0 and is summed over dim 1: the product is a b^T. R, C rows of the two, K
// summed.
#pragma once

#include "core/spec/train_spec.h"

#include <ATen/core/Tensor.h>

namespace slipway::trainer {

struct Fp8Factor {
    at::Tensor values;   // [R, K] float8, contiguous
    at::Tensor inverse;  // fp32, scale of the values: [1, 1], or [R, 1] with a scale for each row
};

/// A matrix and its transpose.
struct Fp8Pair {
    Fp8Factor rows, columns;
};

/// Hybrid: e4m3 (largest 448), gradients e5m2 (largest 57344), with a wider range and lower precision.
at::ScalarType fp8Type(Fp8Format format, bool isGradient);

/// Largest magnitudes of x [R, K]: fp32 [1, 1], or [R, 1]. NaN propagates.
at::Tensor fp8Largest(const at::Tensor& x, bool perRow);

/// x [R, K] in float8, scaled by largest value of the format / `largest`. A scale of zeros is finite (the values stay
/// zero). An infinite or NaN value makes the row, or the tensor, NaN in the product: saturation never hides it.
Fp8Factor fp8Factor(const at::Tensor& x, const at::Tensor& largest, at::ScalarType type);

/// fp8Factor() of x and of x.t(), in one pass over memory where a device has kernels for it. @param columns as
/// fp8Largest() of x.t()
Fp8Pair fp8Pair(const at::Tensor& x, const at::Tensor& rows, const at::Tensor& columns, at::ScalarType type);

/// True where the device multiplies float8 natively (CUDA compute capability 8.9 or later): tested with a small product.
bool multipliesFp8(at::Device device);

/// a b^T [R, C] in `out`. at::_scaled_mm if `native`, with zeros added where its sizes must be multiples of 16; with
/// per-row scales its sum is in bf16.
/// @param fast sums with lower precision where the hardware offers it (forward passes)
at::Tensor fp8Product(const Fp8Factor& a, const Fp8Factor& b, at::ScalarType out, bool native, bool fast);

/// The same without float8 hardware, and its reference: the products of the rounded values in fp32.
at::Tensor fp8ProductReference(const Fp8Factor& a, const Fp8Factor& b, at::ScalarType out);

}  // namespace slipway::trainer
