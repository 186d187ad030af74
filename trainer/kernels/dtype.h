// Number formats of products: storage and multiplication formats can differ.
#pragma once

#include <ATen/core/Tensor.h>

namespace slipway::trainer {

/// The format in which products of `stored` are computed: its own, except fp32 for fp16 on a CPU, and for bf16 on one
/// without bf16 instructions, where libtorch's bf16 products are about a hundred times slower than fp32 ones.
at::ScalarType productType(const at::Tensor& stored);

/// The format of sums, roots and exponentials: fp32 for 16-bit tensors, else the tensor's own.
at::ScalarType sumType(const at::Tensor& stored);

/// The format in which the gradient of a weight is summed over `factor`'s rows before it is added to `mainGrad`: that
/// of mainGrad, except fp32 where both have 16 bits of different kinds (bf16 gradients of fp16 weights), so that the
/// factors keep their 11 digits.
at::ScalarType gradSumType(const at::Tensor& mainGrad, const at::Tensor& factor);

}  // namespace slipway::trainer
