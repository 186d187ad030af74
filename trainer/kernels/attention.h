// Self-attention through libtorch's attention operators and their backward operators: whole causal sequences, and blocks of
// queries and keys whose results are merged by their log-sum-exp (ring and gathered context parallelism).
// S positions, B sequences, h query heads, k key-value heads (k divides h: grouped queries), D head width.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace slipway::trainer {

/// What the backward pass needs. q [S, B, h, D]; k, v [S, B, k, D]; out [S, B, h, D]; logSumExp [B, h, S].
struct AttentionSaved {
    at::Tensor q, k, v, out, logSumExp;
    at::Tensor seed, offset;  ///< random state of the CUDA operators (unused: there is no dropout)

    template <class F>
    void each(F&& f) {
        f(q), f(k), f(v), f(out), f(logSumExp), f(seed), f(offset);
    }
    /// After the backward pass.
    void drop() {
        each([](at::Tensor& tensor) { tensor.reset(); });
    }
};

struct AttentionGrads {
    at::Tensor q, k, v;  // as the inputs
};

/// softmax(q k^T / sqrt(D), causal) v -> [S, B, h, D], in q's format. Fills `saved`.
at::Tensor causalAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, AttentionSaved& saved);

/// dOut [S, B, h, D] -> gradients; those of k and v are summed over the query heads that share them.
AttentionGrads causalAttentionGrad(const at::Tensor& dOut, const AttentionSaved& saved);

/// Which operator serves a problem of q's sizes [S, B, h, D]: "cudnn", "flash", "plain" products or that of a "cpu". Both passes have told once they ran.
const char* attentionOperator(const at::Tensor& q);

/// Which keys of a block its queries see: all of them, query i the keys 0 .. i (`causal`, equal lengths), or those that are
/// true in `visible` [B or 1, 1, Sq, Sk]. A mask that is defined says all, `causal` is false then.
struct BlockMask {
    bool causal = false;
    at::Tensor visible = {};
};

/// Attention of queries over the keys of one block. Rows that see no key have output 0 and log-sum-exp -inf (libtorch's own
/// operator gives 0 there, which would count as e^0 when blocks are merged).
struct BlockResult {
    at::Tensor out;        // [Sq, B, h, D] in the sum format
    at::Tensor logSumExp;  // [B, h, Sq] in the sum format
};
BlockResult attentionBlock(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const BlockMask& mask);

/// Adds one more block of keys to the result of others: out = sum_i e^(lse_i - lse) out_i, lse = log sum_i e^lse_i.
void mergeBlock(BlockResult& into, const BlockResult& block);

/// Gradients of one block in the sum format. `out` and `logSumExp` are those of the merged result, so that each block's
/// probabilities are right (Liu et al. 2023, Ring Attention, arXiv 2310.01889).
AttentionGrads attentionBlockGrad(const at::Tensor& dOut, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                  const at::Tensor& out, const at::Tensor& logSumExp, const BlockMask& mask);

}  // namespace slipway::trainer
