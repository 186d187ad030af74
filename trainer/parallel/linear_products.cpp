#include "trainer/parallel/linear_products.h"

#include "trainer/kernels/linear.h"

#include <ATen/TensorOperators.h>

namespace slipway::trainer {
namespace {

at::Tensor rowsOf(const at::Tensor& x) {
    return x.reshape({-1, x.size(-1)});
}

at::Tensor shapedLike(const at::Tensor& rows, const at::Tensor& x) {
    std::vector<std::int64_t> shape = x.sizes().vec();
    shape.back() = rows.size(1);
    return rows.view(shape);
}

}  // namespace

LinearProducts::LinearProducts(const ShardContext& context, ProcessGroup* group, WeightCut cut)
    : m_fp8(context.fp8),
      m_group(group),
      m_cut(group != nullptr && group->size() > 1 ? cut : WeightCut::None),
      m_bug(context.bug),
      m_inPieces(context.fp8 && context.asyncTp && context.sequenceParallel && group != nullptr && group->size() > 1) {}

at::Tensor LinearProducts::largest(const at::Tensor& rows, Part part) const {
    const bool perRow = m_fp8->recipe == Fp8Recipe::Rowwise;
    at::Tensor most = fp8Largest(rows, perRow);
    if (part.isCut && (part.alongRows || !perRow) && m_bug != Bug::ScaleOfOwnPart)
        m_group->allReduce(most, ReduceOp::Max)->wait();
    return most;
}

Fp8Factor LinearProducts::factor(const at::Tensor& rows, bool isGradient, Part part) const {
    return fp8Factor(rows, largest(rows, part), fp8Type(m_fp8->format, isGradient));
}

// A piece x [s, B, ...] with the scales of the whole [S, B, ...], of which it is [begin, begin + s).
Fp8Factor LinearProducts::factorOf(const at::Tensor& x, bool isGradient, Part part, const at::Tensor& whole,
                                   std::int64_t begin) const {
    const at::Tensor rows = rowsOf(x);
    if (!whole.defined()) return factor(rows, isGradient, part);
    const at::Tensor mine =
        whole.size(0) == 1 ? whole : whole.narrow(0, begin * (rows.size(0) / x.size(0)), rows.size(0));
    return fp8Factor(rows, mine, fp8Type(m_fp8->format, isGradient));
}

// Rows that arrive are whole: a scale for each needs nothing of the others.
at::Tensor LinearProducts::largestOf(const at::Tensor& x, bool isCut, PieceEdge edge) const {
    if (edge == PieceEdge::Leaving) return largest(rowsOf(x), {isCut, true});
    return m_fp8->recipe == Fp8Recipe::Rowwise ? at::Tensor() : largest(rowsOf(x), {true, false});
}

CommonFactors LinearProducts::commonForward(const at::Tensor& x, const at::Tensor& weight, PieceEdge edge) const {
    if (!m_inPieces) return {};
    const bool inputs = m_cut == WeightCut::Inputs;
    return {largestOf(x, inputs, edge), factor(weight, false, {m_cut != WeightCut::None, inputs})};
}

CommonFactors LinearProducts::commonInputGrad(const at::Tensor& dy, const at::Tensor& weight, PieceEdge edge) const {
    if (!m_inPieces) return {};
    const bool outputs = m_cut == WeightCut::Outputs;
    return {largestOf(dy, outputs, edge), factor(weight.t(), false, {m_cut != WeightCut::None, outputs})};
}

CommonGradScales LinearProducts::commonWeightGrad(const at::Tensor& dy, const at::Tensor& x) const {
    if (!m_inPieces) return {};
    return {largest(rowsOf(dy).t(), {m_cut == WeightCut::Outputs, false}), largest(rowsOf(x).t(), {true, true})};
}

at::Tensor LinearProducts::product(const Fp8Factor& a, const Fp8Factor& b, at::ScalarType out, bool fast) const {
    return fp8Product(a, b, out, m_fp8->native, fast);
}

at::Tensor LinearProducts::forward(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                                   const CommonFactors& common, std::int64_t begin) const {
    if (!m_fp8) return linearForward(x, weight, bias);
    const bool inputs = m_cut == WeightCut::Inputs;
    const Fp8Factor a = factorOf(x, false, {inputs, true}, common.largest, begin);
    const Fp8Factor b = common.weight ? *common.weight : factor(weight, false, {m_cut != WeightCut::None, inputs});
    at::Tensor y = shapedLike(product(a, b, x.scalar_type(), true), x);
    return bias.defined() ? y.add_(bias) : y;
}

at::Tensor LinearProducts::inputGrad(const at::Tensor& dy, const at::Tensor& weight, const CommonFactors& common,
                                     std::int64_t begin) const {
    if (!m_fp8) return linearInputGrad(dy, weight);
    const bool outputs = m_cut == WeightCut::Outputs;
    const Fp8Factor a = factorOf(dy, true, {outputs, true}, common.largest, begin);
    const Fp8Factor b = common.weight ? *common.weight : factor(weight.t(), false, {m_cut != WeightCut::None, outputs});
    return shapedLike(product(a, b, dy.scalar_type(), false), dy);
}

void LinearProducts::addWeightGrad(at::Tensor& mainGrad, const at::Tensor& dy, const at::Tensor& x,
                                   const CommonGradScales& common) const {
    if (!m_fp8) return addLinearWeightGrad(mainGrad, dy, x);
    const auto factorWith = [&](const at::Tensor& rows, bool isGradient, WeightCut cut, const at::Tensor& whole) {
        return fp8Factor(rows, whole.defined() ? whole : largest(rows, {m_cut == cut, false}),
                         fp8Type(m_fp8->format, isGradient));
    };
    const Fp8Factor a = factorWith(rowsOf(dy).t(), true, WeightCut::Outputs, common.dy);
    const Fp8Factor b = factorWith(rowsOf(x).t(), false, WeightCut::Inputs, common.x);
    mainGrad.add_(product(a, b, at::kFloat, false));
}

}  // namespace slipway::trainer
