#include "trainer/model/transformer_block.h"

#include <ATen/TensorOperators.h>

#include <utility>

namespace slipway::trainer {

TransformerBlock::TransformerBlock(const ShardContext& context, const ModelSpec& spec, const TrainSpec& train,
                                   std::int64_t layer, std::shared_ptr<const RotaryTable> rotary)
    : m_recompute(train.recompute.appliesTo(layer, spec.numLayers) ? train.recompute : RecomputeSpec{}),
      m_bug(context.bug),
      m_norm1(context, spec, blockNames(spec.family, layer).norm1),
      m_norm2(context, spec, blockNames(spec.family, layer).norm2) {
    const BlockNames names = blockNames(spec.family, layer);
    if (spec.mla)
        m_latent.emplace(context, spec, names.attention, train.seqLen, std::move(rotary));
    else
        m_attention.emplace(context, spec, names, train.seqLen, std::move(rotary));
    if (spec.moe && layer >= spec.moe->numDenseLayers)
        m_moe.emplace(context, spec, train, names.mlp);
    else
        m_feedForward.emplace(context, spec, names);
}

at::Tensor TransformerBlock::run(const at::Tensor& x, Saved& saved) const {
    // Both branches return new tensors, so the residual stream is added in place.
    at::Tensor middle = attend(m_norm1.forward(x, saved.norm1), saved);
    const at::Tensor normed = m_norm2.forwardSum(middle, x, saved.norm2);
    at::Tensor y = m_moe ? m_moe->forward(normed, saved.moe) : m_feedForward->forward(normed, saved.feedForward);
    return y.add_(middle);
}

at::Tensor TransformerBlock::attend(const at::Tensor& x, Saved& saved) const {
    return m_latent ? m_latent->forward(x, saved.latent) : m_attention->forward(x, saved.attention);
}

at::Tensor TransformerBlock::attendGrad(const at::Tensor& dy, Saved& saved) const {
    if (m_latent) {
        m_latent->remakeCore(saved.latent);
        return m_latent->backwardInput(dy, saved.latent);
    }
    m_attention->remakeCore(saved.attention);
    return m_attention->backwardInput(dy, saved.attention);
}

at::Tensor TransformerBlock::forward(const at::Tensor& x, Saved& saved) const {
    if (m_recompute.policy != RecomputePolicy::Full) {
        at::Tensor y = run(x, saved);
        if (m_recompute.policy == RecomputePolicy::Selective) dropSome(saved);
        return y;
    }
    Saved forgotten;
    forgotten.setDocuments(saved.attention.documents);
    at::Tensor y = run(x, forgotten);
    saved.input = x;
    return y;
}

void TransformerBlock::dropSome(Saved& saved) const {
    if (m_recompute.attention) m_latent ? saved.latent.dropCore() : saved.attention.dropCore();
    if (m_recompute.norm) attentionInput(saved).reset();
    if (m_moe) return;  // the router's tokens come from the norm's output: its side stays saved
    if (m_recompute.norm) saved.feedForward.x.reset();
    if (m_recompute.ffn) saved.feedForward.inner.reset();
}

// For the weight gradients; here, because the norms' weights are available now (ZeRO-3 gathers them for this pass).
void TransformerBlock::remakeNorms(Saved& saved) const {
    if (attentionInput(saved).defined()) return;
    Norm::Saved again;
    attentionInput(saved) = m_norm1.forward(saved.norm1.x, again);
    if (m_feedForward)
        saved.feedForward.x = (m_bug == Bug::RecomputedFromOtherNorm ? m_norm1 : m_norm2).forward(saved.norm2.x, again);
}

at::Tensor TransformerBlock::backwardInput(const at::Tensor& dy, Saved& saved) const {
    if (saved.input.defined()) {
        const at::Tensor input = std::exchange(saved.input, at::Tensor());
        static_cast<void>(run(input, saved));
    }
    const at::Tensor dNormed =
        m_moe ? m_moe->backwardInput(dy, saved.moe) : m_feedForward->backwardInput(dy, saved.feedForward);
    const at::Tensor dMiddle = m_norm2.backwardInput(dNormed, saved.norm2, dy);
    at::Tensor dx = m_norm1.backwardInput(attendGrad(dMiddle, saved), saved.norm1, dMiddle);
    remakeNorms(saved);
    return dx;
}

void TransformerBlock::backwardWeight(Saved& saved, bool last) {
    if (m_moe)
        m_moe->backwardWeight(saved.moe, last);
    else
        m_feedForward->backwardWeight(saved.feedForward, last);
    m_norm2.backwardWeight(saved.norm2, last);
    if (m_latent)
        m_latent->backwardWeight(saved.latent, last);
    else
        m_attention->backwardWeight(saved.attention, last);
    m_norm1.backwardWeight(saved.norm1, last);
    saved = {};
}

void TransformerBlock::collect(std::vector<Parameter*>& parameters) {
    m_norm1.collect(parameters);
    if (m_latent)
        m_latent->collect(parameters);
    else
        m_attention->collect(parameters);
    m_norm2.collect(parameters);
    if (m_moe)
        m_moe->collect(parameters);
    else
        m_feedForward->collect(parameters);
}

}  // namespace slipway::trainer
