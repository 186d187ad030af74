// Column-parallel linear layer: the outputs of y = x W^T + b are cut along tp.
//   Shards: weight [O, I] and bias [O] along dim 0 over tp; y [..., O/tp].
//   Forward: none; the input must be whole (gatherSequence). Backward: the input gradient is a part of a sum (sumPartials).
// Layers that share an input (queries, keys, values; gate and up) share both edges, so these belong to the caller.
#pragma once

#include "trainer/parallel/linear_products.h"

namespace slipway::trainer {

class ColumnParallelLinear {
public:
    /// @param name Hugging Face name without ".weight"
    ColumnParallelLinear(const ShardContext& context, const std::string& name, std::int64_t numInputs,
                         std::int64_t numOutputs, bool hasBias, double deviation);

    [[nodiscard]] std::int64_t numLocalOutputs() const { return m_weight->weight.size(0); }
    /// x [S, B, I] -> [S, B, O/tp]
    [[nodiscard]] at::Tensor forward(const at::Tensor& x) const;
    /// dy [S, B, O/tp] -> this rank's part of dx [S, B, I]
    [[nodiscard]] at::Tensor backwardInput(const at::Tensor& dy) const;
    /// Adds to the main gradients. @param last this is the step's last micro-batch
    void backwardWeight(const at::Tensor& dy, const at::Tensor& x, bool last);
    void collect(std::vector<Parameter*>& parameters);

private:
    LinearProducts m_products;
    std::unique_ptr<Parameter> m_weight;
    std::unique_ptr<Parameter> m_bias;  ///< null without bias
};

}  // namespace slipway::trainer
