#include "trainer/parallel/column_parallel_linear.h"

#include "trainer/kernels/linear.h"

#include <algorithm>

namespace slipway::trainer {

ColumnParallelLinear::ColumnParallelLinear(const ShardContext& context, const std::string& name, std::int64_t numInputs,
                                           std::int64_t numOutputs, bool hasBias, double deviation,
                                           std::int64_t numHeads)
    : m_products(context, context.tp, WeightCut::Outputs, /*oneWeight=*/true) {
    const std::int64_t copies = numHeads > 0 ? std::max<std::int64_t>(1, context.tp->size() / numHeads) : 1;
    ShardSlice slice = evenSlice(0, numOutputs, *context.tp);
    if (copies > 1) slice = {Axis::Tp, 0, context.tp->rank() / copies * (numOutputs / numHeads), numOutputs / numHeads};
    m_weight = makeParameter(context, name + ".weight", {numOutputs, numInputs}, slice, {deviation});
    m_weight->tpCopies = copies;
    if (!hasBias) return;
    m_bias = makeParameter(context, name + ".bias", {numOutputs}, slice, {});
    m_bias->tpCopies = copies;
}

CommonFactors ColumnParallelLinear::commonForward(const at::Tensor& x) const {
    return m_products.commonForward(x, m_weight->weight, PieceEdge::Arriving);
}

CommonFactors ColumnParallelLinear::commonInputGrad(const at::Tensor& dy) const {
    return m_products.commonInputGrad(dy, m_weight->weight, PieceEdge::Leaving);
}

CommonGradScales ColumnParallelLinear::commonWeightGrad(const at::Tensor& dy, const at::Tensor& x) const {
    return m_products.commonWeightGrad(dy, x);
}

at::Tensor ColumnParallelLinear::forward(const at::Tensor& x, const CommonFactors& common) const {
    return m_products.forward(x, m_weight->weight, m_bias ? m_bias->weight : at::Tensor(), common);
}

at::Tensor ColumnParallelLinear::backwardInput(const at::Tensor& dy, const CommonFactors& common,
                                               std::int64_t begin) const {
    return m_products.inputGrad(dy, m_weight->weight, common, begin);
}

void ColumnParallelLinear::addBackwardInput(at::Tensor& dx, const at::Tensor& dy, const CommonFactors& common,
                                            std::int64_t begin) const {
    m_products.addInputGrad(dx, dy, m_weight->weight, common, begin);
}

void ColumnParallelLinear::backwardWeight(const at::Tensor& dy, const at::Tensor& x, bool last,
                                          const CommonGradScales& common) {
    m_products.addWeightGrad(m_weight->mainGrad, dy, x, common);
    gradReady(*m_weight, last);
    if (!m_bias) return;
    addBiasGrad(m_bias->mainGrad, dy);
    gradReady(*m_bias, last);
}

void ColumnParallelLinear::collect(std::vector<Parameter*>& parameters) {
    parameters.push_back(m_weight.get());
    if (m_bias) parameters.push_back(m_bias.get());
}

}  // namespace slipway::trainer
