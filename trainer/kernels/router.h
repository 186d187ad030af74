// The router of a mixture of experts: which experts a token is sent to, and with which weights. T tokens, E experts, K chosen.
//   p = softmax(logits); the K largest are chosen; weights are their p, divided by their sum if `normalize` (Mixtral, 2401.04088).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace slipway::trainer {

/// Everything in the sum format of the logits.
struct Routing {
    at::Tensor probabilities;  // [T, E]
    at::Tensor logSumExp;      // [T, 1]
    at::Tensor chosen;         // [T, K] int64
    at::Tensor weights;        // [T, K]

    template <class F>
    void each(F&& f) {
        f(probabilities), f(logSumExp), f(chosen), f(weights);
    }
};

/// logits [T, E]. `bias` [E], which may be undefined, is added for the choice alone, not for the weights (DeepSeek-V3, 2412.19437, eq. 16).
Routing route(const at::Tensor& logits, std::int64_t topK, bool normalize, const at::Tensor& bias);

/// Gradient for the logits [T, E]: of the weights [T, K], of the probabilities directly [T, E] (a balance loss; may be
/// undefined), and of the z-loss, sum of zScales logSumExp^2 (ST-MoE, 2202.08906, eq. 5). @param zScales [T, 1], or undefined
at::Tensor routeGrad(const at::Tensor& dWeights, const at::Tensor& dProbabilities, const at::Tensor& zScales,
                     const Routing& routing, bool normalize);

}  // namespace slipway::trainer
