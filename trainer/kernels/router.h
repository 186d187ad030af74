// The router of a mixture of experts: the experts and weights of a token. T tokens, E experts, K
// chosen.
//   s = softmax(logits) (Mixtral, arXiv 2401.04088) or sigmoid(logits) (DeepSeek-V3, 2412.19437, eq. 15); the K largest
//   s + bias are chosen; their weights are s, divided by the sum of the chosen with normalize_top_k, times
//   routed_scale.
//   With num_expert_groups above 1 a token first chooses top_k_groups of them. A group's score is its largest s + bias
//   under softmax (DeepSeek-V2, 2405.04434, section 2.1.2), the sum of its two largest under sigmoid (DeepSeek-V3,
//   section 2.1.2).
#pragma once

#include "core/spec/moe_spec.h"

#include <ATen/core/Tensor.h>

namespace slipway::trainer {

/// Everything in the sum format of the logits.
struct Routing {
    at::Tensor scores;     // [T, E] probabilities or sigmoids
    at::Tensor logSumExp;  // [T, 1] with softmax, otherwise undefined
    at::Tensor chosen;     // [T, K] int64
    at::Tensor weights;    // [T, K]

    template <class F>
    void each(F&& f) {
        f(scores), f(logSumExp), f(chosen), f(weights);
    }
};

/// logits [T, E]. `bias` [E], which may be undefined, is added only for the choice, not for the weights (DeepSeek-V3,
/// 2412.19437, eq. 16).
Routing route(const at::Tensor& logits, const MoeSpec& spec, const at::Tensor& bias);

/// The experts counted in a balance loss [T, K], unaffected by a routing bias. With sigmoids the K largest scores of
/// all experts (DeepSeek-V3, 2412.19437, eq. 18, has no bias and no groups there, nor has Megatron-LM); with a softmax
/// the K largest within the token's groups (DeepSeek-V2, 2405.04434, section 2.1.3, counts the tokens that select an
/// expert). @param isBiased routing has a bias
at::Tensor countedExperts(const Routing& routing, const MoeSpec& spec, bool isBiased);

/// Gradient for the logits [T, E]: of the weights [T, K], of the scores of a token divided by their sum [T, E] (a
/// balance loss;
/// may be undefined), and of the z-loss, sum of zScales logSumExp^2 (ST-MoE, 2202.08906, eq. 5). @param zScales [T, 1],
/// or undefined
at::Tensor routeGrad(const at::Tensor& dWeights, const at::Tensor& dShares, const at::Tensor& zScales,
                     const Routing& routing, const MoeSpec& spec);

}  // namespace slipway::trainer
