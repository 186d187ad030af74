#include "trainer/kernels/router.h"

#include "trainer/kernels/dtype.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <limits>

namespace slipway::trainer {
namespace {

at::Tensor rowSum(const at::Tensor& x) {
    return x.sum(at::IntArrayRef{-1}, /*keepdim=*/true);
}

bool isSigmoid(const MoeSpec& spec) {
    return spec.routerScore == RouterScore::Sigmoid;
}

// The scores for the selection, with -inf for every expert outside a token's groups.
at::Tensor withinGroups(const at::Tensor& scores, const MoeSpec& spec) {
    const std::int64_t groups = spec.numExpertGroups, size = spec.numExperts / groups;
    if (groups == 1) return scores;
    const at::Tensor grouped = scores.view({-1, groups, size});
    const std::int64_t counted = isSigmoid(spec) ? std::min<std::int64_t>(2, size) : 1;
    const at::Tensor ofGroup = std::get<0>(at::topk(grouped, counted, -1)).sum(at::IntArrayRef{-1});
    at::Tensor isOut = at::ones(ofGroup.sizes(), ofGroup.options().dtype(at::kBool));
    isOut.scatter_(-1, std::get<1>(at::topk(ofGroup, spec.topKGroups, -1)), 0);
    return grouped.masked_fill(isOut.unsqueeze(-1), -std::numeric_limits<double>::infinity()).view(scores.sizes());
}

}  // namespace

Routing route(const at::Tensor& logits, const MoeSpec& spec, const at::Tensor& bias) {
    const at::Tensor wide = logits.to(sumType(logits));
    Routing routing;
    if (isSigmoid(spec)) {
        routing.scores = at::sigmoid(wide);
    } else {
        routing.logSumExp = at::logsumexp(wide, at::IntArrayRef{-1}, /*keepdim=*/true);
        routing.scores = (wide - routing.logSumExp).exp_();
    }
    const at::Tensor biased = bias.defined() ? routing.scores + bias : routing.scores;
    routing.chosen = std::get<1>(at::topk(withinGroups(biased, spec), spec.topK, -1));
    routing.weights = routing.scores.gather(-1, routing.chosen);
    if (spec.normalizeTopK) routing.weights = routing.weights / rowSum(routing.weights);
    if (spec.routedScale != 1) routing.weights = routing.weights * spec.routedScale;
    return routing;
}

at::Tensor countedExperts(const Routing& routing, const MoeSpec& spec, bool isBiased) {
    if (!isBiased && (!isSigmoid(spec) || spec.numExpertGroups == 1)) return routing.chosen;
    const at::Tensor scores = isSigmoid(spec) ? routing.scores : withinGroups(routing.scores, spec);
    return std::get<1>(at::topk(scores, spec.topK, -1));
}

at::Tensor routeGrad(const at::Tensor& dWeights, const at::Tensor& dShares, const at::Tensor& zScales,
                     const Routing& routing, const MoeSpec& spec) {
    const at::Tensor& s = routing.scores;
    at::Tensor dChosen = spec.routedScale == 1 ? dWeights : dWeights * spec.routedScale;
    if (spec.normalizeTopK) {
        // w = c s / z with z the sum of the chosen s and c the scale: ds = (c dw - sum(dw w)) / z.
        dChosen = (dChosen - rowSum(dWeights * routing.weights)) / rowSum(s.gather(-1, routing.chosen));
    }
    at::Tensor ds = dShares.defined() ? dShares.clone() : at::zeros_like(s);
    if (!isSigmoid(spec)) {
        ds.scatter_add_(-1, routing.chosen, dChosen);
        at::Tensor dLogits = (ds - rowSum(ds * s)).mul_(s);
        if (zScales.defined()) dLogits.add_(s * (routing.logSumExp * zScales), 2);
        return dLogits;
    }
    if (dShares.defined()) {
        // n = s / z with z the sum of all: ds = (dn - sum(dn n)) / z.
        const at::Tensor z = rowSum(s);
        ds = (ds - rowSum(ds * s) / z).div_(z);
    }
    ds.scatter_add_(-1, routing.chosen, dChosen);
    return ds.mul_(s).mul_(1 - s);
}

}  // namespace slipway::trainer
