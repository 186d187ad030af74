// One linear layer per group of rows, without bias: the experts of one rank. Rows
// are grouped; G groups, N rows. libtorch's grouped product (at::_grouped_mm) runs
// all groups at once; linearForward() and linearInputGrad() in a loop are its
// reference.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace slipway::trainer {

/// True for bf16 on a GPU with widths that are multiples of 8 (its rows must begin at multiples of 16 bytes). On a CPU
/// the loop is used: the operator has no fp64 there, and is slower (8 experts of 128 x 256 in fp32, 512 rows, two EPYC
/// 9004 cores: 0.54 ms, the loop 0.36).
bool hasGroupedProduct(const at::Tensor& x, const at::Tensor& weight);

/// x [N, I], weights G of [O, I] -> [N, O] = x_g W_g^T. @param rows of each group, with sum N
at::Tensor groupedForward(const at::Tensor& x, const std::vector<at::Tensor>& weights,
                          const std::vector<std::int64_t>& rows);

/// dy [N, O], weights G of [O, I] -> [N, I] = dy_g W_g.
at::Tensor groupedInputGrad(const at::Tensor& dy, const std::vector<at::Tensor>& weights,
                            const std::vector<std::int64_t>& rows);

/// [G, O, I]: a view where the weights are evenly spaced in memory, as for experts, else a copy.
at::Tensor stackedWeights(const std::vector<at::Tensor>& weights);

}  // namespace slipway::trainer
