// LinearProducts: the three products of a linear layer y = x W^T + b whose weight may be cut over ranks, in the number format of the run.
//   Without fp8 it is trainer/kernels/linear.h. With it, every product is one of float8 factors with dynamic scales (kernels/fp8.h):
//     forward x W^T, both e4m3;   input gradient dy W and weight gradient dy^T x with dy in the gradients' format.
//   Scales are those of the uncut tensors: where a rank holds a part of the values that share a scale, the largest magnitudes are taken over the
//   ranks of the cut (one small all-reduce). Tensorwise: of everything that is cut. Rowwise: where rows are cut along their length.
//   Along dp and cp nothing is: tokens of one rank and micro-batch have scales of their own.
#pragma once

#include "trainer/parallel/shard_context.h"

namespace slipway::trainer {

/// Which dimension of the weight [O, I] is cut over the ranks of the group.
enum class WeightCut { None, Outputs, Inputs };

class LinearProducts {
public:
    /// @param group the ranks of the cut; null: none. It outlives the layer.
    LinearProducts(const ShardContext& context, ProcessGroup* group, WeightCut cut);

    /// x [..., I], weight [O, I], bias [O] or undefined -> [..., O] in x's format. With fp8 a collective over the group, as all three.
    [[nodiscard]] at::Tensor forward(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) const;
    /// dy [..., O] -> dx [..., I]
    [[nodiscard]] at::Tensor inputGrad(const at::Tensor& dy, const at::Tensor& weight) const;
    /// mainGrad [O, I] += dy^T x
    void addWeightGrad(at::Tensor& mainGrad, const at::Tensor& dy, const at::Tensor& x) const;

    struct Part {
        bool isCut = false;      ///< this rank holds a part of the tensor
        bool alongRows = false;  ///< and of every row
    };
    /// Rows [R, K] as a factor, with the scales of the uncut tensor; with fp8 alone. Public for tests.
    [[nodiscard]] Fp8Factor factor(const at::Tensor& rows, bool isGradient, Part part) const;

private:
    [[nodiscard]] at::Tensor product(const Fp8Factor& a, const Fp8Factor& b, at::ScalarType out, bool fast) const;

    std::optional<Fp8Products> m_fp8;
    ProcessGroup* m_group;
    WeightCut m_cut;
    Bug m_bug;
};

}  // namespace slipway::trainer
