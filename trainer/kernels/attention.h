// Causal self-attention through libtorch's attention operators and their backward operators.
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
};

struct AttentionGrads {
    at::Tensor q, k, v;  // as the inputs
};

/// softmax(q k^T / sqrt(D), causal) v -> [S, B, h, D], in q's format. Fills `saved`.
at::Tensor causalAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, AttentionSaved& saved);

/// dOut [S, B, h, D] -> gradients; those of k and v are summed over the query heads that share them.
AttentionGrads causalAttentionGrad(const at::Tensor& dOut, const AttentionSaved& saved);

}  // namespace slipway::trainer
