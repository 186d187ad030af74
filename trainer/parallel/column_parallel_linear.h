// Column-parallel linear layer: the outputs of y = x W^T + b are sharded along tp.
//   Shards: weight [O, I] and bias [O] along dim 0 over tp; y [..., O/tp].
//   Key-value heads that are fewer than ranks are whole on tp / heads neighbours each, as in Megatron-LM.
//   Forward: none; the input must be whole (gatherSequence). Backward: the input gradient is a part of a sum
//   (sumPartials).
// Layers that share an input (queries, keys, values; gate and up) share both edges, so these belong to the caller.
#pragma once

#include "trainer/parallel/linear_products.h"

namespace slipway::trainer {

class ColumnParallelLinear {
public:
    /// @param name Hugging Face name without ".weight"
    /// @param numHeads of the outputs: with fewer than ranks, neighbouring ranks hold the same one; 0: sharded
    /// anywhere
    ColumnParallelLinear(const ShardContext& context, const std::string& name, std::int64_t numInputs,
                         std::int64_t numOutputs, bool hasBias, double deviation, std::int64_t numHeads = 0);

    [[nodiscard]] std::int64_t numLocalOutputs() const { return m_weight->weight.size(0); }
    /// Common factors of the pieces of forward, backwardInput and backwardWeight (linear_products.h): of x [s, B, I]
    /// between regions and the full dy [S, B, O/tp].
    [[nodiscard]] CommonFactors commonForward(const at::Tensor& x) const;
    [[nodiscard]] CommonFactors commonInputGrad(const at::Tensor& dy) const;
    [[nodiscard]] CommonGradScales commonWeightGrad(const at::Tensor& dy, const at::Tensor& x) const;
    /// x [S, B, I] -> [S, B, O/tp]
    [[nodiscard]] at::Tensor forward(const at::Tensor& x, const CommonFactors& common = {}) const;
    /// dy [S, B, O/tp] -> this rank's part of dx [S, B, I]. @param begin position of dy in the full tensor
    [[nodiscard]] at::Tensor backwardInput(const at::Tensor& dy, const CommonFactors& common = {},
                                           std::int64_t begin = 0) const;
    /// dx += that
    void addBackwardInput(at::Tensor& dx, const at::Tensor& dy, const CommonFactors& common = {},
                          std::int64_t begin = 0) const;
    /// Adds to the main gradients. @param last this is the step's last micro-batch
    void backwardWeight(const at::Tensor& dy, const at::Tensor& x, bool last, const CommonGradScales& common = {});
    void collect(std::vector<Parameter*>& parameters);

private:
    LinearProducts m_products;
    std::unique_ptr<Parameter> m_weight;
    std::unique_ptr<Parameter> m_bias;  ///< null without bias
};

}  // namespace slipway::trainer
