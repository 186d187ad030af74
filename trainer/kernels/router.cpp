#include "trainer/kernels/router.h"

#include "trainer/kernels/dtype.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/zeros_like.h>

namespace slipway::trainer {
namespace {

at::Tensor rowSum(const at::Tensor& x) {
    return x.sum(at::IntArrayRef{-1}, /*keepdim=*/true);
}

}  // namespace

Routing route(const at::Tensor& logits, std::int64_t topK, bool normalize, const at::Tensor& bias) {
    const at::Tensor wide = logits.to(sumType(logits));
    Routing routing;
    routing.logSumExp = at::logsumexp(wide, at::IntArrayRef{-1}, /*keepdim=*/true);
    routing.probabilities = (wide - routing.logSumExp).exp_();
    const at::Tensor scores = bias.defined() ? routing.probabilities + bias : routing.probabilities;
    routing.chosen = std::get<1>(at::topk(scores, topK, -1));
    routing.weights = routing.probabilities.gather(-1, routing.chosen);
    if (normalize) routing.weights = routing.weights / rowSum(routing.weights);
    return routing;
}

at::Tensor routeGrad(const at::Tensor& dWeights, const at::Tensor& dProbabilities, const at::Tensor& zScales,
                     const Routing& routing, bool normalize) {
    at::Tensor dChosen = dWeights;
    if (normalize) {
        // w = p / s with s the sum of the chosen p: dp = (dw - sum(dw w)) / s.
        const at::Tensor sum = rowSum(routing.probabilities.gather(-1, routing.chosen));
        dChosen = (dWeights - rowSum(dWeights * routing.weights)) / sum;
    }
    at::Tensor dp = dProbabilities.defined() ? dProbabilities.clone() : at::zeros_like(routing.probabilities);
    dp.scatter_add_(-1, routing.chosen, dChosen);
    const at::Tensor& p = routing.probabilities;
    at::Tensor dLogits = (dp - rowSum(dp * p)).mul_(p);
    if (zScales.defined()) dLogits.add_(p * (routing.logSumExp * zScales), 2);
    return dLogits;
}

}  // namespace slipway::trainer
