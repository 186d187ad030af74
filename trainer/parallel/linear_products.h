// LinearProducts: the three products of a linear layer y = x W^T + b with a weight that may be sharded over ranks, in
// the number format of the run.
//   Without fp8 it is trainer/kernels/linear.h. With it, every product is one of float8 factors with dynamic scales
//   (kernels/fp8.h):
//     forward x W^T, both e4m3;   input gradient dy W and weight gradient dy^T x with dy in the gradients' format.
//   Scales are those of the full tensors: where a rank holds a part of the values that share a scale, the largest
//   magnitudes are taken over the sharding ranks (one small all-reduce). Tensorwise: of everything that is sharded.
//   Rowwise: where rows are sharded along their length.
//   Along dp and cp there is no sharding: tokens of one rank and micro-batch have their own scales.
//   One read serves twice: within a step of several micro-batches the factors of a weight are kept, as stored and
//   transposed (two bytes per weight; Fp8Products::step), and the factor of dy for the weight gradient is made
//   together with that for the input gradient.
//   Where a product runs piece by piece (tp_pieces.h), its pieces also have the scales of the full tensor:
//   common...() computes them, and the weight's factor, before the first piece is sent.
#pragma once

#include "trainer/parallel/shard_context.h"

namespace slipway::trainer {

/// The dimension of the weight [O, I] sharded over the ranks of the group.
enum class WeightCut { None, Outputs, Inputs };

/// Common factors of the pieces of a product. Empty without fp8 or without pieces: each product computes its own.
struct CommonFactors {
    at::Tensor largest;  ///< [1, 1], or per row of the full tensor on this rank; undefined: each piece's own
    std::optional<Fp8Factor> weight;
};
struct CommonGradScales {
    at::Tensor dy, x;  ///< largest magnitudes; undefined: each piece's own
};
/// Arriving: this rank has one piece of the full tensor. Leaving: it has a part of every row.
enum class PieceEdge { Arriving, Leaving };

class LinearProducts {
public:
    /// @param group the sharding ranks; null: none. It must outlive the layer. @param oneWeight all calls use the same
    /// weight
    LinearProducts(const ShardContext& context, ProcessGroup* group, WeightCut cut, bool oneWeight = false);

    /// x [..., I], weight [O, I], bias [O] or undefined -> [..., O] in x's format. With fp8 a collective
    /// over the group, like all three. @param begin position of x's first index in the full tensor of
    /// `common`
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

    /// Collectives over the group, for the pieces of the three. @param x, dy this rank's part of the full tensor
    [[nodiscard]] CommonFactors commonForward(const at::Tensor& x, const at::Tensor& weight, PieceEdge edge) const;
    [[nodiscard]] CommonFactors commonInputGrad(const at::Tensor& dy, const at::Tensor& weight, PieceEdge edge) const;
    /// @param dy leaving, x arriving
    [[nodiscard]] CommonGradScales commonWeightGrad(const at::Tensor& dy, const at::Tensor& x) const;

    struct Part {
        bool isCut = false;      ///< this rank holds a part of the tensor
        bool alongRows = false;  ///< namely a part of every row
    };
    /// Rows [R, K] as a factor, with the scales of the full tensor; only with fp8. Public for tests.
    [[nodiscard]] Fp8Factor factor(const at::Tensor& rows, bool isGradient, Part part) const;

private:
    /// Factors of this step's weight.
    struct KeptWeight {
        std::uint64_t step = 0;
        Fp8Pair factors;
    };
    /// Factor of the last input gradient's dy, for the following weight gradient.
    struct TurnedGrad {
        std::optional<c10::weak_intrusive_ptr<c10::StorageImpl>> storage;  ///< of dy, without keeping it alive
        std::int64_t offset = 0;
        std::vector<std::int64_t> sizes, strides;
        Fp8Factor factor;
        [[nodiscard]] bool isOf(const at::Tensor& dy) const;
    };

    [[nodiscard]] at::Tensor largest(const at::Tensor& rows, Part part) const;
    [[nodiscard]] Fp8Pair pairOf(const at::Tensor& rows, bool isGradient, Part asItIs, Part turned) const;
    /// @param turned the factor of weight.t()
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
