// Row-parallel linear layer: the inputs of y = x W^T + b are sharded along tp, so each rank computes a part of a sum.
//   Shards: weight [O, I] along dim 1 over tp; the bias [O] is on every rank and is added once, after the sum.
//   Forward: all-reduce, or reduce-scatter of the sequence (sumPartials). Backward: none, or all-gather of dy
//   (gatherSequence).
// With async_tp both run piece by piece, overlapped with the products (tp_pieces.h).
#pragma once

#include "trainer/parallel/linear_products.h"

namespace slipway::trainer {

class RowParallelLinear {
public:
    /// @param name Hugging Face name without ".weight"
    RowParallelLinear(const ShardContext& context, const std::string& name, std::int64_t numInputs,
                      std::int64_t numOutputs, bool hasBias, double deviation);

    /// x [S, B, I/tp] -> [s, B, O]
    [[nodiscard]] at::Tensor forward(const at::Tensor& x) const;
    /// dy [s, B, O] -> dx [S, B, I/tp]. `wholeDy` [S, B, O] is saved for backwardWeight.
    [[nodiscard]] at::Tensor backwardInput(const at::Tensor& dy, at::Tensor& wholeDy) const;
    /// The bias sees the full dy on every rank, so its gradient is complete without a sum over tp.
    void backwardWeight(const at::Tensor& wholeDy, const at::Tensor& x, bool last);
    void collect(std::vector<Parameter*>& parameters);

private:
    ShardContext m_context;
    LinearProducts m_products;
    std::unique_ptr<Parameter> m_weight;
    std::unique_ptr<Parameter> m_bias;  ///< null without bias
};

}  // namespace slipway::trainer
