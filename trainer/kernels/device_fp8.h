// Factors in float8 (fp8.h) by kernels of a GPU: the largest magnitudes in one pass over memory, the values in another,
// by rows, transposed or both.
#pragma once

#include "trainer/kernels/fp8.h"

namespace slipway::trainer {

/// True when this build has the kernels and x is a GPU matrix [R, K] that they can read as is, or transposed.
bool hasDeviceFp8(const at::Tensor& x);

/// As in fp8Largest() and fp8Factor().
at::Tensor deviceFp8Largest(const at::Tensor& x, bool perRow);
Fp8Factor deviceFp8Factor(const at::Tensor& x, const at::Tensor& largest, at::ScalarType type);
/// The factors of x and of x.t(), in one pass. @param columns largest magnitudes of x's columns [K, 1], or [1, 1] as
/// `rows`
Fp8Pair deviceFp8Pair(const at::Tensor& x, const at::Tensor& rows, const at::Tensor& columns, at::ScalarType type);

}  // namespace slipway::trainer
