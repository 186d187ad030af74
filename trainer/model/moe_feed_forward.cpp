#include "trainer/model/moe_feed_forward.h"

#include "trainer/kernels/activation.h"
#include "trainer/kernels/grouped_linear.h"
#include "trainer/kernels/linear.h"
#include "trainer/model/attention.h"
#include "trainer/parallel/tp_region.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

namespace slipway::trainer {
namespace {

// One matrix of one expert, its width [dim] split along etp.
std::unique_ptr<Parameter> expertWeight(const ShardContext& context, const ExpertDispatch& dispatch,
                                        const std::string& name, std::vector<std::int64_t> shape, std::int64_t dim,
                                        double deviation) {
    const std::int64_t length = shape[static_cast<std::size_t>(dim)] / dispatch.etpSize();
    auto weight = makeParameter(context, name + ".weight", std::move(shape),
                                ShardSlice{Axis::Etp, dim, dispatch.etpRank() * length, length}, {deviation});
    weight->shard.replicatedAxes = {Axis::Edp};
    weight->isExpert = true;
    return weight;
}

ModelSpec sharedSpec(ModelSpec spec) {
    spec.ffnHiddenSize = spec.moe->numSharedExperts * spec.moe->expertFfnHiddenSize;
    return spec;
}

BlockNames sharedNames(const std::string& prefix) {
    BlockNames names;
    names.gate = prefix + "shared_experts.gate_proj";
    names.up = prefix + "shared_experts.up_proj";
    names.down = prefix + "shared_experts.down_proj";
    return names;
}

}  // namespace

MoeFeedForward::MoeFeedForward(const ShardContext& context, const ModelSpec& spec, const TrainSpec& train,
                               const std::string& prefix)
    : m_context(context),
      m_parts(context),
      m_spec(*spec.moe),
      m_seqLen(train.seqLen),
      m_numSequences(train.globalBatchSize),
      m_gated(spec.activationKind() == Activation::SwiGlu),
      m_dispatch(context.experts, context.etp, spec.moe->numExperts),
      m_wide(context, context.etpGroup, WeightCut::Outputs),
      m_narrow(context, context.etpGroup, WeightCut::Inputs) {
    m_parts.sequenceParallel = true;
    const std::int64_t width = m_spec.expertFfnHiddenSize, hidden = spec.hiddenSize;
    m_router =
        makeParameter(context, prefix + "gate.weight", {m_spec.numExperts, hidden}, std::nullopt, {kInitDeviation});
    m_router->sumOverTp = context.tp->size() > 1 && context.bug != Bug::RouterGradNotSummed;
    if (m_spec.biasUpdateRate > 0) {
        m_bias = makeParameter(context, prefix + "gate.e_score_correction_bias", {m_spec.numExperts}, std::nullopt, {});
        m_bias->sumOverTp = context.tp->size() > 1 && context.bug != Bug::LoadCountedPerRank;
        m_bias->balanceRate = m_spec.biasUpdateRate;
        m_bias->balanceChoices = m_spec.topK * m_seqLen;
        m_bias->expectSequences(m_numSequences);
    }
    for (std::int64_t i = 0; i < m_dispatch.numLocalExperts(); ++i) {
        const std::string name = prefix + "experts." + std::to_string(m_dispatch.firstExpert() + i) + ".";
        Expert expert;
        if (m_gated)
            expert.gate = expertWeight(context, m_dispatch, name + "gate_proj", {width, hidden}, 0, kInitDeviation);
        expert.up = expertWeight(context, m_dispatch, name + "up_proj", {width, hidden}, 0, kInitDeviation);
        expert.down = expertWeight(context, m_dispatch, name + "down_proj", {hidden, width}, 1, outputDeviation(spec));
        m_experts.push_back(std::move(expert));
    }
    if (m_spec.numSharedExperts > 0) m_shared.emplace(context, sharedSpec(spec), sharedNames(prefix));
}

// Calls f(expert, first row, number of rows) for every expert of this rank.
template <class F>
void MoeFeedForward::forExperts(const Saved& saved, F&& f) const {
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < m_experts.size(); ++i) {
        f(m_experts[i], begin, saved.plan.rowsOfExpert[i]);
        begin += saved.plan.rowsOfExpert[i];
    }
}

// Rows times one matrix of their expert, or their gradient backwards. Weight gradients stay a loop: the grouped
// product would round each micro-batch's to bf16 on its way to the main gradients.
at::Tensor MoeFeedForward::throughExperts(const at::Tensor& rows, const Saved& saved, Matrix matrix, bool back) const {
    const at::Tensor& first = (m_experts.front().*matrix)->weight;
    if (!m_context.fp8 && hasGroupedProduct(rows, first)) {
        std::vector<at::Tensor> weights;
        for (const Expert& expert : m_experts) weights.push_back((expert.*matrix)->weight);
        return back ? groupedInputGrad(rows, weights, saved.plan.rowsOfExpert)
                    : groupedForward(rows, weights, saved.plan.rowsOfExpert);
    }
    const LinearProducts& products = matrix == &Expert::down ? m_narrow : m_wide;
    at::Tensor out = at::empty({rows.size(0), first.size(back ? 1 : 0)}, rows.options());
    forExperts(saved, [&](const Expert& expert, std::int64_t begin, std::int64_t number) {
        const at::Tensor& weight = (expert.*matrix)->weight;
        const at::Tensor part = rows.narrow(0, begin, number);
        out.narrow(0, begin, number)
            .copy_(back ? products.inputGrad(part, weight) : products.forward(part, weight, {}));
    });
    return out;
}

// L = alpha sum_i f_i P_i for each sequence, f_i = E / (K S) times the tokens counted for expert i (countedExperts),
// P_i the mean over its tokens of the probability, or of the sigmoid divided by the token's sum of sigmoids
// (DeepSeek-V3, arXiv 2412.19437, eq. 17 to 20). f is constant, so each of these has the gradient alpha f_i / S; the
// backward pass multiplies it by the sequence's share. A sequence's tokens are spread over all ranks of tp and cp.
at::Tensor MoeFeedForward::balanceGrad(const Routing& routing, std::int64_t batch) const {
    if (m_spec.auxLossCoefficient == 0) return {};
    const at::Tensor chosen = countedExperts(routing, m_spec, m_bias != nullptr);
    const at::TensorOptions fp64 = at::TensorOptions().dtype(at::kDouble).device(chosen.device());
    at::Tensor counts = at::zeros({batch, m_spec.numExperts}, fp64);
    const at::Tensor perSequence = chosen.view({-1, batch, m_spec.topK}).transpose(0, 1).reshape({batch, -1});
    counts.scatter_add_(1, perSequence, at::zeros(perSequence.sizes(), fp64).fill_(1));
    if (m_context.bug != Bug::BalanceLossPerPart) {
        if (m_context.tp->size() > 1) m_context.tp->allReduce(counts, ReduceOp::Sum)->wait();
        if (m_context.cp != nullptr && m_context.cp->size() > 1) m_context.cp->allReduce(counts, ReduceOp::Sum)->wait();
    }
    const auto length = static_cast<double>(m_seqLen);
    const double share = static_cast<double>(m_spec.numExperts) / (static_cast<double>(m_spec.topK) * length);
    return counts.mul_(m_spec.auxLossCoefficient * share / length);
}

at::Tensor MoeFeedForward::sharesOf(const Saved& saved, std::int64_t batch) const {
    if (saved.shares.defined() && m_context.bug != Bug::BalanceLossNotScaled) return saved.shares;
    return at::full({batch}, 1 / static_cast<double>(m_numSequences),
                    at::TensorOptions().dtype(at::kDouble).device(saved.x.device()));
}

at::Tensor MoeFeedForward::forward(const at::Tensor& x, Saved& saved) const {
    const at::Tensor part = m_context.sequenceParallel ? x : sequencePart(x, m_parts);  // [s / tp, B, H]
    const std::int64_t width = x.size(2);
    saved.x = part.reshape({-1, width});
    const at::Tensor logits = linearForward(saved.x, m_router->weight, {});
    saved.routing = route(logits, m_spec, m_bias ? m_bias->weight : at::Tensor());
    if (m_bias && m_context.bug == Bug::WeightsOfBiasedScores)
        saved.routing.weights = saved.routing.weights + m_bias->weight.take(saved.routing.chosen);
    saved.balance = balanceGrad(saved.routing, x.size(1));
    saved.plan = m_dispatch.plan(saved.routing.chosen);
    const at::Tensor rows = saved.x.index_select(0, saved.plan.order.div(m_spec.topK, "floor"));
    saved.in = m_dispatch.toExperts(rows, saved.plan);
    saved.up = throughExperts(saved.in, saved, &Expert::up, false);
    if (m_gated) saved.gate = throughExperts(saved.in, saved, &Expert::gate, false);
    saved.inner = m_gated ? swiGlu(saved.gate, saved.up) : geluForward(saved.up);
    saved.out = m_dispatch.fromExperts(throughExperts(saved.inner, saved, &Expert::down, false), saved.plan);
    // Back to the tokens' order, then the weighted sum of each token's experts.
    const at::Tensor byToken = at::empty_like(saved.out).index_copy_(0, saved.plan.order, saved.out);
    const at::Tensor weighted = byToken.view({-1, m_spec.topK, width}) * saved.routing.weights.unsqueeze(-1);
    at::Tensor y = weighted.sum(at::IntArrayRef{1}).to(x.scalar_type()).view(part.sizes());
    if (!m_context.sequenceParallel) y = gatherSequence(y, m_parts);
    return m_shared ? y + m_shared->forward(x, saved.shared) : y;
}

at::Tensor MoeFeedForward::backwardInput(const at::Tensor& dy, Saved& saved) const {
    const at::Tensor part = m_context.sequenceParallel ? dy : sequencePart(dy, m_parts);
    const std::int64_t width = dy.size(2), batch = dy.size(1);
    const at::Tensor rows = part.reshape({-1, width});
    const at::Tensor dRows = rows.index_select(0, saved.plan.order.div(m_spec.topK, "floor"));  // [R, H] by expert
    const at::Tensor weightOfRow = saved.routing.weights.flatten().index_select(0, saved.plan.order).unsqueeze(-1);
    // The gradient of the weights is the product of a row's gradient and the expert's output.
    const at::ScalarType wide = saved.routing.weights.scalar_type();
    const at::Tensor products = (dRows.to(wide) * saved.out.to(wide)).sum(at::IntArrayRef{-1});
    const at::Tensor dWeights = at::empty_like(products).index_copy_(0, saved.plan.order, products);
    const at::Tensor shares = sharesOf(saved, batch);
    at::Tensor dShares, zScales;
    if (saved.balance.defined())
        dShares = (saved.balance * shares.unsqueeze(1))
                      .unsqueeze(0)
                      .expand({rows.size(0) / batch, batch, m_spec.numExperts})
                      .reshape({-1, m_spec.numExperts})
                      .to(wide);
    if (m_spec.zLossCoefficient > 0)
        zScales = (shares * (m_spec.zLossCoefficient / static_cast<double>(m_seqLen)))
                      .view({1, batch, 1})
                      .expand({rows.size(0) / batch, batch, 1})
                      .reshape({-1, 1})
                      .to(wide);
    saved.dLogits = routeGrad(dWeights.view(saved.routing.weights.sizes()), dShares, zScales, saved.routing, m_spec)
                        .to(dy.scalar_type());
    saved.dOut = m_dispatch.toExperts((dRows * weightOfRow).to(dy.scalar_type()), saved.plan);
    const at::Tensor dInner = throughExperts(saved.dOut, saved, &Expert::down, true);
    if (m_gated)
        std::tie(saved.dGate, saved.dUp) = swiGluGrad(dInner, saved.gate, saved.up);
    else
        saved.dUp = geluGrad(dInner, saved.up);
    saved.gate.reset();
    saved.up.reset();
    saved.out.reset();
    at::Tensor dIn = throughExperts(saved.dUp, saved, &Expert::up, true);
    if (m_gated) dIn.add_(throughExperts(saved.dGate, saved, &Expert::gate, true));
    const at::Tensor dFromExperts = m_dispatch.fromExperts(dIn, saved.plan);
    at::Tensor dx = linearInputGrad(saved.dLogits, m_router->weight);
    dx.add_(at::empty_like(dFromExperts)
                .index_copy_(0, saved.plan.order, dFromExperts)
                .view({-1, m_spec.topK, width})
                .sum(at::IntArrayRef{1}));
    dx = dx.view(part.sizes());
    if (!m_context.sequenceParallel) dx = gatherSequence(dx, m_parts);
    return m_shared ? dx + m_shared->backwardInput(dy, saved.shared) : dx;
}

void MoeFeedForward::backwardWeight(Saved& saved, bool last) {
    if (m_shared) m_shared->backwardWeight(saved.shared, last);
    forExperts(saved, [&](const Expert& expert, std::int64_t begin, std::int64_t number) {
        const auto rows = [&](const at::Tensor& x) { return x.narrow(0, begin, number); };
        m_narrow.addWeightGrad(expert.down->mainGrad, rows(saved.dOut), rows(saved.inner));
        m_wide.addWeightGrad(expert.up->mainGrad, rows(saved.dUp), rows(saved.in));
        if (m_gated) m_wide.addWeightGrad(expert.gate->mainGrad, rows(saved.dGate), rows(saved.in));
        gradReady(*expert.down, last);
        gradReady(*expert.up, last);
        if (m_gated) gradReady(*expert.gate, last);
    });
    addLinearWeightGrad(m_router->mainGrad, saved.dLogits, saved.x);
    gradReady(*m_router, last);
    if (!m_bias) return;
    m_bias->mainGrad.add_(at::bincount(saved.routing.chosen.flatten(), {}, m_spec.numExperts));
    gradReady(*m_bias, last);
}

void MoeFeedForward::collect(std::vector<Parameter*>& parameters) {
    parameters.push_back(m_router.get());
    if (m_bias) parameters.push_back(m_bias.get());
    if (m_shared) m_shared->collect(parameters);
    // Last: ZeRO shards them over other ranks than the rest of the block.
    for (Expert& expert : m_experts) {
        if (m_gated) parameters.push_back(expert.gate.get());
        parameters.insert(parameters.end(), {expert.up.get(), expert.down.get()});
    }
}

}  // namespace slipway::trainer
