#include "trainer/model/latent_attention.h"

#include "core/spec/rotary.h"
#include "trainer/kernels/linear.h"
#include "trainer/model/attention.h"
#include "trainer/parallel/tp_pieces.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>

namespace slipway::trainer {
namespace {

// A weight replicated on every tp rank, whose gradient is a part of a sum over tp.
std::unique_ptr<Parameter> partialWeight(const ShardContext& context, const std::string& name,
                                         std::vector<std::int64_t> shape, Fill fill) {
    auto weight = makeParameter(context, name + ".weight", std::move(shape), std::nullopt, fill);
    weight->sumOverTp = context.tp->size() > 1 && context.bug != Bug::CompressionGradNotSummed;
    return weight;
}

at::Tensor heads(const at::Tensor& x, std::int64_t headSize) {
    return x.view({x.size(0), x.size(1), -1, headSize});
}

at::Tensor joined(const at::Tensor& x) {
    return x.reshape({x.size(0), x.size(1), -1});
}

void addNormGrad(Parameter& norm, const at::Tensor& dy, const at::Tensor& x, const NormStats& stats, bool last) {
    addRmsNormWeightGrad(norm.mainGrad, dy, x, stats);
    gradReady(norm, last);
}

void addDownGrad(Parameter& down, const at::Tensor& dy, const at::Tensor& x, bool last) {
    addLinearWeightGrad(down.mainGrad, dy, x);
    gradReady(down, last);
}

}  // namespace

LatentAttention::LatentAttention(const ShardContext& context, const ModelSpec& spec, const std::string& prefix,
                                 std::int64_t seqLen, std::shared_ptr<const RotaryTable> rotary)
    : m_context(context),
      m_spec(*spec.mla),
      m_headSize(spec.mla->qkNopeHeadDim + spec.mla->qkRopeHeadDim),
      m_eps(spec.normEps),
      m_magnitude(attentionMagnitude(spec)),
      m_rotary(std::move(rotary)),
      m_core(context, seqLen, spec.slidingWindow),
      m_q(context, prefix + (spec.mla->qLoraRank > 0 ? "q_b_proj" : "q_proj"),
          spec.mla->qLoraRank > 0 ? spec.mla->qLoraRank : spec.hiddenSize, spec.numHeads * m_headSize, false,
          kInitDeviation),
      m_kv(context, prefix + "kv_b_proj", spec.mla->kvLoraRank,
           spec.numHeads * (spec.mla->qkNopeHeadDim + spec.mla->vHeadDim), false, kInitDeviation),
      m_out(context, prefix + "o_proj", spec.numHeads * spec.mla->vHeadDim, spec.hiddenSize, false,
            outputDeviation(spec)) {
    if (m_spec.qLoraRank > 0) {
        m_qDown = partialWeight(context, prefix + "q_a_proj", {m_spec.qLoraRank, spec.hiddenSize}, {kInitDeviation});
        m_qNorm = partialWeight(context, prefix + "q_a_layernorm", {m_spec.qLoraRank}, {.constant = 1});
    }
    m_kvDown = partialWeight(context, prefix + "kv_a_proj_with_mqa",
                             {m_spec.kvLoraRank + m_spec.qkRopeHeadDim, spec.hiddenSize}, {kInitDeviation});
    m_kvNorm = partialWeight(context, prefix + "kv_a_layernorm", {m_spec.kvLoraRank}, {.constant = 1});
}

at::Tensor LatentAttention::forward(const at::Tensor& x, Saved& saved) const {
    const std::int64_t nope = m_spec.qkNopeHeadDim, rope = m_spec.qkRopeHeadDim;
    saved.x = x;
    const std::int64_t length = wholeRows(x, m_context);
    JoinedPieces projected(length), compressed(length);
    const CommonFactors ofQ = m_qDown ? CommonFactors{} : m_q.commonForward(x);
    gatherPieces(x, m_context, [&](std::int64_t begin, const at::Tensor& piece, bool) {
        projected.put(begin, m_qDown ? linearForward(piece, m_qDown->weight, {}) : m_q.forward(piece, ofQ));
        compressed.put(begin, linearForward(piece, m_kvDown->weight, {}));
    });
    if (m_qDown) {
        saved.compressedQ = projected.whole();
        saved.normedQ = rmsNorm(saved.compressedQ, m_qNorm->weight, m_eps, saved.qStats);
    }
    const at::Tensor q = heads(m_qDown ? m_q.forward(saved.normedQ) : projected.whole(), m_headSize);
    const at::Tensor& down = compressed.whole();
    saved.compressedKv = down.narrow(-1, 0, m_spec.kvLoraRank).contiguous();
    saved.normedKv = rmsNorm(saved.compressedKv, m_kvNorm->weight, m_eps, saved.kvStats);
    const at::Tensor kv = heads(m_kv.forward(saved.normedKv), nope + m_spec.vHeadDim);
    const at::Tensor sharedKey = m_rotary->rotate(down.narrow(-1, m_spec.kvLoraRank, rope).unsqueeze(2));
    at::Tensor queries = at::cat({q.narrow(-1, 0, nope), m_rotary->rotate(q.narrow(-1, nope, rope))}, -1);
    if (m_magnitude != 1) queries.mul_(m_magnitude);
    const at::Tensor keys =
        at::cat({kv.narrow(-1, 0, nope), sharedKey.expand({kv.size(0), kv.size(1), kv.size(2), rope})}, -1);
    const at::Tensor values =
        at::constant_pad_nd(kv.narrow(-1, nope, m_spec.vHeadDim), {0, m_headSize - m_spec.vHeadDim});
    saved.attended = m_core.forward(queries, keys, values, saved.documents, saved.core).narrow(-1, 0, m_spec.vHeadDim);
    return m_out.forward(joined(saved.attended));
}

void LatentAttention::remakeCore(Saved& saved) const {
    if (!saved.attended.defined())
        saved.attended = m_core.recompute(saved.documents, saved.core).narrow(-1, 0, m_spec.vHeadDim);
}

at::Tensor LatentAttention::backwardInput(const at::Tensor& dy, Saved& saved) const {
    const std::int64_t nope = m_spec.qkNopeHeadDim, rope = m_spec.qkRopeHeadDim;
    const at::Tensor dAttended = heads(m_out.backwardInput(dy, saved.wholeDy), m_spec.vHeadDim);
    AttentionGrads grads =
        m_core.backward(at::constant_pad_nd(dAttended, {0, m_headSize - m_spec.vHeadDim}), saved.documents, saved.core);
    saved.core.drop();
    if (m_magnitude != 1) grads.q.mul_(m_magnitude);
    saved.dq = joined(at::cat({grads.q.narrow(-1, 0, nope), m_rotary->rotateBack(grads.q.narrow(-1, nope, rope))}, -1));
    saved.dKv = joined(at::cat({grads.k.narrow(-1, 0, nope), grads.v.narrow(-1, 0, m_spec.vHeadDim)}, -1));
    const at::Tensor dShared =
        m_rotary->rotateBack(grads.k.narrow(-1, nope, rope).sum(at::IntArrayRef{2}, /*keepdim=*/true));
    saved.dNormedKv = m_kv.backwardInput(saved.dKv);
    saved.dCompressed = at::cat(
        {rmsNormInputGrad(saved.dNormedKv, saved.compressedKv, m_kvNorm->weight, saved.kvStats), dShared.squeeze(2)},
        -1);
    if (m_qDown) {
        saved.dNormedQ = m_q.backwardInput(saved.dq);
        saved.dCompressedQ = rmsNormInputGrad(saved.dNormedQ, saved.compressedQ, m_qNorm->weight, saved.qStats);
    }
    const CommonFactors ofQ = m_qDown ? CommonFactors{} : m_q.commonInputGrad(saved.dq);
    return sumPieces(saved.dq.size(0), m_context, [&](std::int64_t begin, std::int64_t length) {
        const auto rows = [&](const at::Tensor& grad) { return grad.narrow(0, begin, length); };
        return linearInputGrad(rows(saved.dCompressed), m_kvDown->weight)
            .add_(m_qDown ? linearInputGrad(rows(saved.dCompressedQ), m_qDown->weight)
                          : m_q.backwardInput(rows(saved.dq), ofQ, begin));
    });
}

void LatentAttention::backwardWeight(Saved& saved, bool last) {
    m_out.backwardWeight(saved.wholeDy, joined(saved.attended), last);
    m_kv.backwardWeight(saved.dKv, saved.normedKv, last);
    addNormGrad(*m_kvNorm, saved.dNormedKv, saved.compressedKv, saved.kvStats, last);
    if (m_qDown) {
        m_q.backwardWeight(saved.dq, saved.normedQ, last);
        addNormGrad(*m_qNorm, saved.dNormedQ, saved.compressedQ, saved.qStats, last);
    }
    const CommonGradScales ofQ = m_qDown ? CommonGradScales{} : m_q.commonWeightGrad(saved.dq, saved.x);
    gatherPieces(saved.x, m_context, [&](std::int64_t begin, const at::Tensor& piece, bool lastPiece) {
        const auto rows = [&](const at::Tensor& dy) { return dy.narrow(0, begin, piece.size(0)); };
        const bool ready = last && lastPiece;
        addDownGrad(*m_kvDown, rows(saved.dCompressed), piece, ready);
        if (m_qDown)
            addDownGrad(*m_qDown, rows(saved.dCompressedQ), piece, ready);
        else
            m_q.backwardWeight(rows(saved.dq), piece, ready, ofQ);
    });
}

void LatentAttention::collect(std::vector<Parameter*>& parameters) {
    if (m_qDown) parameters.insert(parameters.end(), {m_qDown.get(), m_qNorm.get()});
    m_q.collect(parameters);
    parameters.insert(parameters.end(), {m_kvDown.get(), m_kvNorm.get()});
    m_kv.collect(parameters);
    m_out.collect(parameters);
}

}  // namespace slipway::trainer
