#include "trainer/parallel/row_parallel_linear.h"

#include "trainer/kernels/linear.h"
#include "trainer/parallel/tp_pieces.h"

#include <ATen/TensorOperators.h>

namespace slipway::trainer {

RowParallelLinear::RowParallelLinear(const ShardContext& context, const std::string& name, std::int64_t numInputs,
                                     std::int64_t numOutputs, bool hasBias, double deviation)
    : m_context(context), m_products(context, context.tp, WeightCut::Inputs, /*oneWeight=*/true) {
    m_weight = makeParameter(context, name + ".weight", {numOutputs, numInputs}, evenSlice(1, numInputs, *context.tp),
                             {deviation});
    if (hasBias) m_bias = makeParameter(context, name + ".bias", {numOutputs}, std::nullopt, {});
}

at::Tensor RowParallelLinear::forward(const at::Tensor& x) const {
    const bool biasOnEveryRank = m_bias && m_context.bug == Bug::BiasAddedOnEveryRank;
    const CommonFactors common = m_products.commonForward(x, m_weight->weight, PieceEdge::Leaving);
    const at::Tensor y = sumPieces(x.size(0), m_context, [&](std::int64_t begin, std::int64_t length) {
        return m_products.forward(x.narrow(0, begin, length), m_weight->weight,
                                  biasOnEveryRank ? m_bias->weight : at::Tensor(), common, begin);
    });
    return m_bias && !biasOnEveryRank ? y + m_bias->weight : y;
}

at::Tensor RowParallelLinear::backwardInput(const at::Tensor& dy, at::Tensor& wholeDy) const {
    JoinedPieces whole(wholeRows(dy, m_context)), dx(wholeRows(dy, m_context));
    const CommonFactors common = m_products.commonInputGrad(dy, m_weight->weight, PieceEdge::Arriving);
    gatherPieces(dy, m_context, [&](std::int64_t begin, const at::Tensor& piece, bool) {
        whole.put(begin, piece);
        dx.put(begin, m_products.inputGrad(piece, m_weight->weight, common));
    });
    wholeDy = whole.whole();
    return dx.whole();
}

void RowParallelLinear::backwardWeight(const at::Tensor& wholeDy, const at::Tensor& x, bool last) {
    m_products.addWeightGrad(m_weight->mainGrad, wholeDy, x);
    gradReady(*m_weight, last);
    if (!m_bias) return;
    addBiasGrad(m_bias->mainGrad, wholeDy);
    gradReady(*m_bias, last);
}

void RowParallelLinear::collect(std::vector<Parameter*>& parameters) {
    parameters.push_back(m_weight.get());
    if (m_bias) parameters.push_back(m_bias.get());
}

}  // namespace slipway::trainer
