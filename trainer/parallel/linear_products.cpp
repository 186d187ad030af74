#include "trainer/parallel/linear_products.h"

#include "trainer/kernels/linear.h"

#include <ATen/TensorOperators.h>

#include <utility>

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

LinearProducts::LinearProducts(const ShardContext& context, ProcessGroup* group, WeightCut cut, bool oneWeight)
    : m_fp8(context.fp8),
      m_group(group),
      m_cut(group != nullptr && group->size() > 1 ? cut : WeightCut::None),
      m_bug(context.bug),
      m_inPieces(context.fp8 && context.asyncTp && context.sequenceParallel && group != nullptr && group->size() > 1),
      m_oneWeight(oneWeight) {}

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

bool LinearProducts::TurnedGrad::isOf(const at::Tensor& dy) const {
    return storage && storage->lock().get() == dy.storage().unsafeGetStorageImpl() && offset == dy.storage_offset() &&
           dy.sizes() == sizes && dy.strides() == strides;
}

Fp8Pair LinearProducts::pairOf(const at::Tensor& rows, bool isGradient, Part asItIs, Part turned) const {
    const at::Tensor most = largest(rows, asItIs);
    // One scale for the whole tensor is the same in both orders.
    const bool same = m_fp8->recipe == Fp8Recipe::Tensorwise && asItIs.isCut == turned.isCut;
    return fp8Pair(rows, most, same ? most : largest(rows.t(), turned), fp8Type(m_fp8->format, isGradient));
}

Fp8Factor LinearProducts::weightFactor(const at::Tensor& weight, bool turned) const {
    const bool isCut = m_cut != WeightCut::None;
    const Part asItIs{isCut, m_cut == WeightCut::Inputs}, across{isCut, m_cut == WeightCut::Outputs};
    const std::uint64_t step = m_oneWeight && m_fp8->step ? *m_fp8->step : 0;
    if (step == 0) return factor(turned ? weight.t() : weight, false, turned ? across : asItIs);
    if (m_weight.step != step) {
        const Fp8Pair fresh = pairOf(weight, false, asItIs, across);
        // In the same memory: a CUDA graph continues to read it.
        const auto keep = [](Fp8Factor& kept, const Fp8Factor& now) {
            if (!kept.values.defined()) {
                kept = now;
                return;
            }
            kept.values.view(at::kByte).copy_(now.values.view(at::kByte));
            kept.inverse.copy_(now.inverse);
        };
        keep(m_weight.factors.rows, fresh.rows);
        keep(m_weight.factors.columns, fresh.columns);
        m_weight.step = step;
    }
    return turned ? m_weight.factors.columns : m_weight.factors.rows;
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

// Arriving rows are complete: the scale of a row does not depend on the others.
at::Tensor LinearProducts::largestOf(const at::Tensor& x, bool isCut, PieceEdge edge) const {
    if (edge == PieceEdge::Leaving) return largest(rowsOf(x), {isCut, true});
    return m_fp8->recipe == Fp8Recipe::Rowwise ? at::Tensor() : largest(rowsOf(x), {true, false});
}

CommonFactors LinearProducts::commonForward(const at::Tensor& x, const at::Tensor& weight, PieceEdge edge) const {
    if (!m_inPieces) return {};
    const bool inputs = m_cut == WeightCut::Inputs;
    return {largestOf(x, inputs, edge), weightFactor(weight, false)};
}

CommonFactors LinearProducts::commonInputGrad(const at::Tensor& dy, const at::Tensor& weight, PieceEdge edge) const {
    if (!m_inPieces) return {};
    const bool outputs = m_cut == WeightCut::Outputs;
    return {largestOf(dy, outputs, edge), weightFactor(weight, true)};
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
    const Fp8Factor b = common.weight ? *common.weight : weightFactor(weight, false);
    at::Tensor y = shapedLike(product(a, b, x.scalar_type(), true), x);
    return bias.defined() ? y.add_(bias) : y;
}

at::Tensor LinearProducts::inputGrad(const at::Tensor& dy, const at::Tensor& weight, const CommonFactors& common,
                                     std::int64_t begin) const {
    if (!m_fp8) return linearInputGrad(dy, weight);
    const bool outputs = m_cut == WeightCut::Outputs;
    Fp8Factor a;
    if (m_inPieces || !m_oneWeight) {
        a = factorOf(dy, true, {outputs, true}, common.largest, begin);
    } else {
        Fp8Pair both = pairOf(rowsOf(dy), true, {outputs, true}, {outputs, false});
        a = std::move(both.rows);
        m_turned = {dy.storage().getWeakStorageImpl(), dy.storage_offset(), dy.sizes().vec(), dy.strides().vec(),
                    std::move(both.columns)};
    }
    const Fp8Factor b = common.weight ? *common.weight : weightFactor(weight, true);
    return shapedLike(product(a, b, dy.scalar_type(), false), dy);
}

void LinearProducts::addInputGrad(at::Tensor& dx, const at::Tensor& dy, const at::Tensor& weight,
                                  const CommonFactors& common, std::int64_t begin) const {
    if (m_fp8)
        dx.add_(inputGrad(dy, weight, common, begin));
    else
        addLinearInputGrad(dx, dy, weight);
}

void LinearProducts::addWeightGrad(at::Tensor& mainGrad, const at::Tensor& dy, const at::Tensor& x,
                                   const CommonGradScales& common) const {
    if (!m_fp8) return addLinearWeightGrad(mainGrad, dy, x);
    const auto factorWith = [&](const at::Tensor& rows, bool isGradient, WeightCut cut, const at::Tensor& whole) {
        return fp8Factor(rows, whole.defined() ? whole : largest(rows, {m_cut == cut, false}),
                         fp8Type(m_fp8->format, isGradient));
    };
    const bool made = m_turned.isOf(dy);
    const Fp8Factor a =
        made ? std::move(m_turned.factor) : factorWith(rowsOf(dy).t(), true, WeightCut::Outputs, common.dy);
    if (made) m_turned = {};
    const Fp8Factor b = factorWith(rowsOf(x).t(), false, WeightCut::Inputs, common.x);
    mainGrad.add_(product(a, b, at::kFloat, false));
}

}  // namespace slipway::trainer
