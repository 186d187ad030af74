// Vocabulary-parallel embedding and cross-entropy: the rows of the table are sharded along tp.
//   Shards: table [V, H] along dim 0 over tp, as even as possible (V need not be a multiple of tp).
//   Embedding: forward sums the ranks' rows (sumPartials), backward gathers dy (gatherSequence).
//   Cross-entropy: forward all-reduces three values per token (maximum; sum of exponentials and target logit in one
//   message), backward none. Logits [S, B, V/tp] are never gathered (Shoeybi et al. 2019, section 3).
#pragma once

#include "trainer/parallel/shard_context.h"

namespace slipway::trainer {

class VocabParallelEmbedding {
public:
    VocabParallelEmbedding(const ShardContext& context, const std::string& name, std::int64_t vocabSize,
                           std::int64_t hiddenSize, double deviation);

    /// tokens [S, B] -> [s, B, H]
    [[nodiscard]] at::Tensor forward(const at::Tensor& tokens) const;
    /// dy [s, B, H]
    void backwardWeight(const at::Tensor& dy, const at::Tensor& tokens, bool last);

    /// Another layer adds to this table's gradient: a head on the same rank. The gradient is ready when all have added
    /// theirs, in any order.
    void addUser() { ++m_numUsers; }

    /// The head that shares this table: hidden [S, B, H] -> logits [S, B, V/tp]; its passes as in ColumnParallelLinear.
    [[nodiscard]] at::Tensor logits(const at::Tensor& hidden) const;
    [[nodiscard]] at::Tensor logitsBackwardInput(const at::Tensor& dLogits) const;
    void logitsBackwardWeight(const at::Tensor& dLogits, const at::Tensor& hidden, bool last);

    [[nodiscard]] std::int64_t firstId() const { return m_firstId; }
    [[nodiscard]] Parameter& table() { return *m_table; }

private:
    void userDone(bool last);

    ShardContext m_context;
    std::int64_t m_firstId = 0;
    int m_numUsers = 1;
    int m_numDone = 0;  ///< users that have made their last contribution of this step
    std::unique_ptr<Parameter> m_table;
};

/// Saved tensors of the loss: logits [S, B, V/tp] in the compute format, logSumExp [S, B] in the sum format.
struct CrossEntropySaved {
    at::Tensor logits, targets, logSumExp;

    template <class F>
    void each(F&& f) {
        f(logits), f(targets), f(logSumExp);
    }
};

/// Sum over valid tokens of -log softmax(logits)[target], an fp64 scalar that
/// stays on the device; the same on every tp rank. targets [S, B], -1 has no
/// loss.
at::Tensor crossEntropySum(const at::Tensor& logits, const at::Tensor& targets, std::int64_t firstId,
                           const ShardContext& context, CrossEntropySaved& saved);
/// Gradient of scale * that sum for the local logits.
at::Tensor crossEntropySumGrad(double scale, std::int64_t firstId, const CrossEntropySaved& saved);

}  // namespace slipway::trainer
