// LinearProducts: the three products of a linear layer y = x W^T + b whose weight may be cut over ranks, in the number
// format of the run.
//   Without fp8 it is trainer/kernels/linear.h. With it, every product is one of float8 factors with dynamic scales
//   (kernels/fp8.h):
//     forward x W^T, both e4m3;   input gradient dy W and weight gradient dy^T x with dy in the gradients' format.
//   Scales are those of the uncut tensors: where a rank holds a part of the values that share a scale, the largest
//   magnitudes are taken over the ranks of the cut (one small all-reduce). Tensorwise: of everything that is cut.
//   Rowwise: where rows are cut along their length.
//   Along dp and cp nothing is: tokens of one rank and micro-batch have scales of their own.
//   What is read once serves twice: within a step of several micro-batches the factors of a weight are kept, as it is
//   and turned (two bytes a weight; Fp8Products::step), and the factor of dy for the weight gradient is made beside
//   that for the input gradient.
//   Where a product goes piece by piece (tp_pieces.h), its pieces have the scales of the whole, too: common...() takes
//   them, and the weight's factor, before the first piece is on its way.
#pragma once

#include "trainer/parallel/shard_context.h"

namespace slipway::trainer {

/// Which dimension of the weight [O, I] is cut over the ranks of the group.
enum class WeightCut { None, Outputs, Inputs };

/// What the pieces of a product have in common. Empty without fp8 or without pieces: each product finds its own.
struct CommonFactors {
    at::Tensor largest;  ///< [1, 1], or for each row that this rank holds of the whole; undefined: each piece's own
    std::optional<Fp8Factor> weight;
};
struct CommonGradScales {
    at::Tensor dy, x;  ///< largest magnitudes; undefined: each piece's own
};
/// Arriving: this rank has one piece of the whole. Leaving: it has a part of every row of the whole.
enum class PieceEdge { Arriving, Leaving };

class LinearProducts {
public:
    /// @param group the ranks of the cut; null: none. It outlives the layer. @param oneWeight all calls are with the
    /// same one
    LinearProducts(const ShardContext& context, ProcessGroup* group, WeightCut cut, bool oneWeight = false);

    /// x [..., I], weight [O, I], bias [O] or undefined -> [..., O] in x's format. With fp8 a collective over the
    /// group, as all three.
    /// @param begin place of x's first index in the whole that `common` was taken of
    [[nodiscard]] at::Tensor forward(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                                     const CommonFactors& common = {}, std::int64_t begin = 0) const;
    /// dy [..., O] -> dx [..., I]
    [[nodiscard]] at::Tensor inputGrad(const at::Tensor& dy, const at::Tensor& weight, const CommonFactors& common = {},
                                       std::int64_t begin = 0) const;
    /// dx [..., I] += that
    void addInputGrad(at::Tensor& dx, const at::Tensor& dy, const at::Tensor& weight, const CommonFactors& common = {},
                      std::int64_t begin = 0) const;
    /// mainGrad [O, I] += dy^T x
    void addWeightGrad(at::Tensor& mainGrad, const at::Tensor& dy, const at::Tensor& x,
                       const CommonGradScales& common = {}) const;

    /// Collectives over the group, for the pieces of the three. @param x, dy what this rank has of the whole
    [[nodiscard]] CommonFactors commonForward(const at::Tensor& x, const at::Tensor& weight, PieceEdge edge) const;
    [[nodiscard]] CommonFactors commonInputGrad(const at::Tensor& dy, const at::Tensor& weight, PieceEdge edge) const;
    /// @param dy leaving, x arriving
    [[nodiscard]] CommonGradScales commonWeightGrad(const at::Tensor& dy, const at::Tensor& x) const;

    struct Part {
        bool isCut = false;      ///< this rank holds a part of the tensor
        bool alongRows = false;  ///< and of every row
    };
    /// Rows [R, K] as a factor, with the scales of the uncut tensor; with fp8 alone. Public for tests.
    [[nodiscard]] Fp8Factor factor(const at::Tensor& rows, bool isGradient, Part part) const;

private:
    /// Of this step's weight.
    struct KeptWeight {
        std::uint64_t step = 0;
        Fp8Pair factors;
    };
    /// Of the last input gradient's dy, for the weight gradient that follows.
    struct TurnedGrad {
        std::optional<c10::weak_intrusive_ptr<c10::StorageImpl>> storage;  ///< of dy, which it does not keep alive
        std::int64_t offset = 0;
        std::vector<std::int64_t> sizes, strides;
        Fp8Factor factor;
        [[nodiscard]] bool isOf(const at::Tensor& dy) const;
    };

    [[nodiscard]] at::Tensor largest(const at::Tensor& rows, Part part) const;
    [[nodiscard]] Fp8Pair pairOf(const at::Tensor& rows, bool isGradient, Part asItIs, Part turned) const;
    /// @param turned that of weight.t()
    [[nodiscard]] Fp8Factor weightFactor(const at::Tensor& weight, bool turned) const;
    [[nodiscard]] Fp8Factor factorOf(const at::Tensor& x, bool isGradient, Part part, const at::Tensor& whole,
                                     std::int64_t begin) const;
    [[nodiscard]] at::Tensor largestOf(const at::Tensor& x, bool isCut, PieceEdge edge) const;
    [[nodiscard]] at::Tensor product(const Fp8Factor& a, const Fp8Factor& b, at::ScalarType out, bool fast) const;

    std::optional<Fp8Products> m_fp8;
    ProcessGroup* m_group;
    WeightCut m_cut;
    Bug m_bug;
    bool m_inPieces, m_oneWeight;
    mutable KeptWeight m_weight;
    mutable TurnedGrad m_turned;
};

}  // namespace slipway::trainer
