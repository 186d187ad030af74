#include "trainer/model/norm.h"

namespace slipway::trainer {

Norm::Norm(const ShardContext& context, const ModelSpec& spec, const std::string& name) : m_eps(spec.normEps) {
    const bool partial = context.sequenceParallel && context.tp->size() > 1;
    m_weight = makeParameter(context, name + ".weight", {spec.hiddenSize}, std::nullopt, {.constant = 1});
    m_weight->sumOverTp = partial;
    if (spec.normKind() != NormKind::LayerNorm) return;
    m_bias = makeParameter(context, name + ".bias", {spec.hiddenSize}, std::nullopt, {});
    m_bias->sumOverTp = partial;
}

at::Tensor Norm::forward(const at::Tensor& x, Saved& saved) const {
    saved.x = x;
    return m_bias ? layerNorm(x, m_weight->weight, m_bias->weight, m_eps, saved.stats)
                  : rmsNorm(x, m_weight->weight, m_eps, saved.stats);
}

at::Tensor Norm::forwardSum(at::Tensor& branch, const at::Tensor& x, Saved& saved) const {
    if (m_bias) return forward(branch.add_(x), saved);
    saved.x = branch;
    return residualRmsNorm(branch, x, m_weight->weight, m_eps, saved.stats);
}

at::Tensor Norm::backwardInput(const at::Tensor& dy, Saved& saved, const at::Tensor& residual) const {
    saved.dy = dy;
    if (!m_bias) return rmsNormInputGrad(dy, saved.x, m_weight->weight, saved.stats, residual);
    at::Tensor dx = layerNormInputGrad(dy, saved.x, m_weight->weight, saved.stats);
    return residual.defined() ? dx.add_(residual) : dx;
}

void Norm::backwardWeight(Saved& saved, bool last) {
    if (m_bias)
        addLayerNormWeightGrad(m_weight->mainGrad, m_bias->mainGrad, saved.dy, saved.x, saved.stats);
    else
        addRmsNormWeightGrad(m_weight->mainGrad, saved.dy, saved.x, saved.stats);
    gradReady(*m_weight, last);
    if (m_bias) gradReady(*m_bias, last);
}

void Norm::collect(std::vector<Parameter*>& parameters) {
    parameters.push_back(m_weight.get());
    if (m_bias) parameters.push_back(m_bias.get());
}

}  // namespace slipway::trainer
