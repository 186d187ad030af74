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
      m_bug(context.bug) {}

Fp8Factor LinearProducts::factor(const at::Tensor& rows, bool isGradient, Part part) const {
    const bool perRow = m_fp8->recipe == Fp8Recipe::Rowwise;
    at::Tensor largest = fp8Largest(rows, perRow);
    if (part.isCut && (part.alongRows || !perRow) && m_bug != Bug::ScaleOfOwnPart)
        m_group->allReduce(largest, ReduceOp::Max)->wait();
    return fp8Factor(rows, largest, fp8Type(m_fp8->format, isGradient));
}

at::Tensor LinearProducts::product(const Fp8Factor& a, const Fp8Factor& b, at::ScalarType out, bool fast) const {
    return fp8Product(a, b, out, m_fp8->native, fast);
}

at::Tensor LinearProducts::forward(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) const {
    if (!m_fp8) return linearForward(x, weight, bias);
    const bool inputs = m_cut == WeightCut::Inputs;
    const Fp8Factor a = factor(rowsOf(x), false, {inputs, true});
    const Fp8Factor b = factor(weight, false, {m_cut != WeightCut::None, inputs});
    at::Tensor y = shapedLike(product(a, b, x.scalar_type(), true), x);
    return bias.defined() ? y.add_(bias) : y;
}

at::Tensor LinearProducts::inputGrad(const at::Tensor& dy, const at::Tensor& weight) const {
    if (!m_fp8) return linearInputGrad(dy, weight);
    const bool outputs = m_cut == WeightCut::Outputs;
    const Fp8Factor a = factor(rowsOf(dy), true, {outputs, true});
    const Fp8Factor b = factor(weight.t(), false, {m_cut != WeightCut::None, outputs});
    return shapedLike(product(a, b, dy.scalar_type(), false), dy);
}

void LinearProducts::addWeightGrad(at::Tensor& mainGrad, const at::Tensor& dy, const at::Tensor& x) const {
    if (!m_fp8) return addLinearWeightGrad(mainGrad, dy, x);
    const Fp8Factor a = factor(rowsOf(dy).t(), true, {m_cut == WeightCut::Outputs, false});
    const Fp8Factor b = factor(rowsOf(x).t(), false, {m_cut == WeightCut::Inputs, false});
    mainGrad.add_(product(a, b, at::kFloat, false));
}

}  // namespace slipway::trainer
