// Self-attention through libtorch's attention operators and their backward operators: full causal sequences, and blocks
// of queries and keys with results merged by their log-sum-exp (ring and gathered context parallelism). S positions, B
// sequences, h query heads, k key-value heads (k divides h: grouped queries), D head width.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>

namespace slipway::trainer {

/// A GPU's fused operators for full causal sequences, fastest first.
enum class FusedAttention { Cudnn, Flash, None };

/// Saved tensors for the backward pass. q [S, B, h, D]; k, v [S, B, k, D]; out [S, B, h, D]; logSumExp [B, h, S],
/// unchanged from cuDNN.
struct AttentionSaved {
    at::Tensor q, k, v, out, logSumExp;
    at::Tensor seed = {}, offset = {};         ///< random state of the fused operators (unused: there is no dropout)
    at::Tensor probabilities = {};             ///< [B, h, S, S] with PlainKernels, in q's format
    FusedAttention by = FusedAttention::None;  ///< operator of the forward pass

    template <class F>
    void each(F&& f) {
        f(q), f(k), f(v), f(out), f(logSumExp), f(seed), f(offset), f(probabilities);
    }
    /// What the forward pass computes again from q, k and v.
    void dropResults() {
        for (at::Tensor* tensor : {&out, &logSumExp, &probabilities}) tensor->reset();
    }
    /// For use after the backward pass.
    void drop() {
        each([](at::Tensor& tensor) { tensor.reset(); });
    }
};

struct AttentionGrads {
    at::Tensor q, k, v;  // as the inputs
};

/// softmax(q k^T / sqrt(D), causal) v -> [S, B, h, D], in q's format. Fills `saved`.
at::Tensor causalAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, AttentionSaved& saved);

/// dOut [S, B, h, D] -> gradients; those of k and v are summed over the query heads that share them. Bitwise
/// reproducible only with DeterministicAttention.
AttentionGrads causalAttentionGrad(const at::Tensor& dOut, const AttentionSaved& saved);

/// The operator for a problem of q's sizes [S, B, h, D]: "cudnn", "flash", "plain" products or "cpu". Both passes
/// report that they ran.
const char* attentionOperator(const at::Tensor& q);

/// The operators used for attention in this process so far, by the same names: "flash, plain". "" before the
/// first.
std::string servedAttention();

/// Documents packed into sequences one after another.
struct Documents {
    at::Tensor
        numbers;  ///< [B, S] int64: the document of each position of the full sequence; non-decreasing along a sequence
    at::Tensor
        starts;  ///< [n + 1] int32: start of each document in the concatenated positions of all sequences, then B S
    std::int64_t longest = 0;  ///< positions of the longest

    [[nodiscard]] bool defined() const { return numbers.defined(); }
};
/// @param numbers [B, S] int64 on the host
Documents documentsOf(const at::Tensor& numbers);

/// Keys of a block visible to its queries: none after their own position, and the conditions below. A block without
/// window and documents is on the diagonal (queryPosition = keyPosition, equal lengths) or has all keys before its
/// queries.
struct BlockMask {
    std::int64_t queryPosition = 0, keyPosition = 0;  ///< of the first query and the first key, in the full sequence
    std::optional<std::int64_t> window = {};          ///< only this many last keys, including the query's own
    Documents documents = {};                         ///< only keys of the query's own document, if defined
};

struct BlockResult {
    at::Tensor out;        ///< [Sq, B, h, D] in the sum format, or in q's with the flash operator (flash_attention.h)
    at::Tensor logSumExp;  ///< [B, h, Sq] in the sum format
};
/// Attention of queries over the keys of one block. Rows without visible keys have output 0 and log-sum-exp -inf
/// (libtorch's own operator returns 0 there, which would count as e^0 when blocks are merged).
BlockResult attentionBlock(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const BlockMask& mask);

/// Adds another block of keys to the merged result: out = sum_i e^(lse_i - lse) out_i, lse = log sum_i e^lse_i.
void mergeBlock(BlockResult& into, const BlockResult& block);

/// Gradients of one block in the format of its result. `out` and `logSumExp` are the merged result's, so that each
/// block's probabilities are correct (Liu et al. 2023, Ring Attention, arXiv 2310.01889).
AttentionGrads attentionBlockGrad(const at::Tensor& dOut, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                  const at::Tensor& out, const at::Tensor& logSumExp, const BlockMask& mask);

}  // namespace slipway::trainer
