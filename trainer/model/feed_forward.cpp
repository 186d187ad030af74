#include "trainer/model/feed_forward.h"

#include "trainer/kernels/activation.h"
#include "trainer/model/attention.h"
#include "trainer/parallel/tp_region.h"

namespace slipway::trainer {

FeedForward::FeedForward(const ShardContext& context, const ModelSpec& spec, const BlockNames& names)
    : m_context(context),
      m_up(context, names.up, spec.hiddenSize, spec.ffnHiddenSize, spec.hasBias(), kInitDeviation),
      m_down(context, names.down, spec.ffnHiddenSize, spec.hiddenSize, spec.hasBias(), outputDeviation(spec)) {
    if (spec.activationKind() == Activation::SwiGlu)
        m_gate.emplace(context, names.gate, spec.hiddenSize, spec.ffnHiddenSize, spec.hasBias(), kInitDeviation);
}

at::Tensor FeedForward::forward(const at::Tensor& x, Saved& saved) const {
    saved.x = x;
    const at::Tensor whole = gatherSequence(x, m_context);
    saved.up = m_up.forward(whole);
    if (m_gate) {
        saved.gate = m_gate->forward(whole);
        saved.inner = swiGlu(saved.gate, saved.up);
    } else {
        saved.inner = geluForward(saved.up);
    }
    return m_down.forward(saved.inner);
}

at::Tensor FeedForward::backwardInput(const at::Tensor& dy, Saved& saved) const {
    const at::Tensor dInner = m_down.backwardInput(dy, saved.wholeDy);
    if (!m_gate) {
        saved.dUp = geluGrad(dInner, saved.up);
        if (saved.inner.defined()) saved.up.reset();
        return sumPartials(m_up.backwardInput(saved.dUp), m_context);
    }
    std::tie(saved.dGate, saved.dUp) = swiGluGrad(dInner, saved.gate, saved.up);
    if (saved.inner.defined()) {
        saved.gate.reset();
        saved.up.reset();
    }
    return sumPartials(m_gate->backwardInput(saved.dGate).add_(m_up.backwardInput(saved.dUp)), m_context);
}

void FeedForward::backwardWeight(Saved& saved, bool last) {
    // Dropped by selective recomputation: an elementwise pass makes it again.
    if (!saved.inner.defined()) saved.inner = m_gate ? swiGlu(saved.gate, saved.up) : geluForward(saved.up);
    m_down.backwardWeight(saved.wholeDy, saved.inner, last);
    const at::Tensor whole = gatherSequence(saved.x, m_context);
    m_up.backwardWeight(saved.dUp, whole, last);
    if (m_gate) m_gate->backwardWeight(saved.dGate, whole, last);
}

void FeedForward::collect(std::vector<Parameter*>& parameters) {
    if (m_gate) m_gate->collect(parameters);
    m_up.collect(parameters);
    m_down.collect(parameters);
}

}  // namespace slipway::trainer
