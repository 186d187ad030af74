#include "trainer/model/attention.h"

#include "trainer/parallel/tp_pieces.h"
#include "trainer/parallel/tp_region.h"

#include <ATen/TensorOperators.h>

#include <cmath>

namespace slipway::trainer {
namespace {

std::unique_ptr<Parameter> headNorm(const ShardContext& context, const ModelSpec& spec, const std::string& name) {
    if (!spec.qkNorm) return nullptr;
    auto weight = makeParameter(context, name + ".weight", {spec.headSize()}, std::nullopt, {.constant = 1});
    weight->sumOverTp = context.tp->size() > 1 && context.bug != Bug::QkNormGradNotSummed;
    return weight;
}

at::Tensor heads(const at::Tensor& x, std::int64_t headSize) {
    return x.view({x.size(0), x.size(1), -1, headSize});
}

at::Tensor joined(const at::Tensor& x) {
    return x.reshape({x.size(0), x.size(1), -1});
}

}  // namespace

double outputDeviation(const ModelSpec& spec) {
    return kInitDeviation / std::sqrt(2.0 * static_cast<double>(spec.numLayers));
}

Attention::Attention(const ShardContext& context, const ModelSpec& spec, const BlockNames& names, std::int64_t seqLen,
                     std::shared_ptr<const RotaryTable> rotary)
    : m_context(context),
      m_headSize(spec.headSize()),
      m_eps(spec.normEps),
      m_rotary(std::move(rotary)),
      m_core(context, seqLen, spec.slidingWindow),
      m_q(context, names.q, spec.hiddenSize, spec.numHeads * spec.headSize(), spec.hasQkvBias(), kInitDeviation),
      m_k(context, names.k, spec.hiddenSize, spec.kvHeads() * spec.headSize(), spec.hasQkvBias(), kInitDeviation,
          spec.kvHeads()),
      m_v(context, names.v, spec.hiddenSize, spec.kvHeads() * spec.headSize(), spec.hasQkvBias(), kInitDeviation,
          spec.kvHeads()),
      m_qNorm(headNorm(context, spec, names.qNorm)),
      m_kNorm(headNorm(context, spec, names.kNorm)),
      m_out(context, names.out, spec.numHeads * spec.headSize(), spec.hiddenSize, spec.hasBias(),
            outputDeviation(spec)) {}

at::Tensor Attention::forward(const at::Tensor& x, Saved& saved) const {
    saved.x = x;
    const std::int64_t rows = wholeRows(x, m_context);
    JoinedPieces queries(rows), keys(rows), values(rows);
    const CommonFactors ofQ = m_q.commonForward(x), ofK = m_k.commonForward(x), ofV = m_v.commonForward(x);
    gatherPieces(x, m_context, [&](std::int64_t begin, const at::Tensor& piece, bool) {
        queries.put(begin, m_q.forward(piece, ofQ));
        keys.put(begin, m_k.forward(piece, ofK));
        values.put(begin, m_v.forward(piece, ofV));
    });
    at::Tensor q = heads(queries.whole(), m_headSize);
    at::Tensor k = heads(keys.whole(), m_headSize);
    const at::Tensor v = heads(values.whole(), m_headSize);
    if (m_qNorm) {
        saved.qHeads = q;
        saved.kHeads = k;
        q = rmsNorm(q, m_qNorm->weight, m_eps, saved.qStats);
        k = rmsNorm(k, m_kNorm->weight, m_eps, saved.kStats);
    }
    if (m_rotary) {
        q = m_rotary->rotate(q);
        k = m_rotary->rotate(k);
    }
    saved.attended = m_core.forward(q, k, v, saved.documents, saved.core);
    return m_out.forward(joined(saved.attended));
}

void Attention::remakeCore(Saved& saved) const {
    if (!saved.attended.defined()) saved.attended = m_core.recompute(saved.documents, saved.core);
}

at::Tensor Attention::backwardInput(const at::Tensor& dy, Saved& saved) const {
    AttentionGrads grads =
        m_core.backward(heads(m_out.backwardInput(dy, saved.wholeDy), m_headSize), saved.documents, saved.core);
    saved.core.drop();  // the weight pass needs only `attended`, and may come much later
    if (m_rotary) {
        grads.q = m_rotary->rotateBack(grads.q);
        grads.k = m_rotary->rotateBack(grads.k);
    }
    if (m_qNorm) {
        saved.dqNormed = grads.q;
        saved.dkNormed = grads.k;
        grads.q = rmsNormInputGrad(grads.q, saved.qHeads, m_qNorm->weight, saved.qStats);
        grads.k = rmsNormInputGrad(grads.k, saved.kHeads, m_kNorm->weight, saved.kStats);
    }
    saved.dq = joined(grads.q);
    saved.dk = joined(grads.k);
    saved.dv = joined(grads.v);
    const CommonFactors ofQ = m_q.commonInputGrad(saved.dq), ofK = m_k.commonInputGrad(saved.dk);
    const CommonFactors ofV = m_v.commonInputGrad(saved.dv);
    const auto part = [&](std::int64_t begin, std::int64_t length) {
        at::Tensor dx = m_q.backwardInput(saved.dq.narrow(0, begin, length), ofQ, begin);
        m_k.addBackwardInput(dx, saved.dk.narrow(0, begin, length), ofK, begin);
        m_v.addBackwardInput(dx, saved.dv.narrow(0, begin, length), ofV, begin);
        return dx;
    };
    const std::int64_t rows = saved.dq.size(0);
    return m_context.bug == Bug::ColumnGradNotReduced ? sequencePart(part(0, rows), m_context)
                                                      : sumPieces(rows, m_context, part);
}

void Attention::backwardWeight(Saved& saved, bool last) {
    m_out.backwardWeight(saved.wholeDy, joined(saved.attended), last);
    if (m_qNorm) {
        addRmsNormWeightGrad(m_kNorm->mainGrad, saved.dkNormed, saved.kHeads, saved.kStats);
        gradReady(*m_kNorm, last);
        addRmsNormWeightGrad(m_qNorm->mainGrad, saved.dqNormed, saved.qHeads, saved.qStats);
        gradReady(*m_qNorm, last);
    }
    const CommonGradScales ofQ = m_q.commonWeightGrad(saved.dq, saved.x);
    const CommonGradScales ofK = m_k.commonWeightGrad(saved.dk, saved.x);
    const CommonGradScales ofV = m_v.commonWeightGrad(saved.dv, saved.x);
    gatherPieces(saved.x, m_context, [&](std::int64_t begin, const at::Tensor& piece, bool lastPiece) {
        const auto rows = [&](const at::Tensor& dy) { return dy.narrow(0, begin, piece.size(0)); };
        m_v.backwardWeight(rows(saved.dv), piece, last && lastPiece, ofV);
        m_k.backwardWeight(rows(saved.dk), piece, last && lastPiece, ofK);
        m_q.backwardWeight(rows(saved.dq), piece, last && lastPiece, ofQ);
    });
}

void Attention::collect(std::vector<Parameter*>& parameters) {
    m_q.collect(parameters);
    m_k.collect(parameters);
    m_v.collect(parameters);
    if (m_qNorm) parameters.insert(parameters.end(), {m_qNorm.get(), m_kNorm.get()});
    m_out.collect(parameters);
}

}  // namespace slipway::trainer
