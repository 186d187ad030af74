#include "trainer/model/feed_forward.h"

#include "trainer/kernels/activation.h"
#include "trainer/model/attention.h"
#include "trainer/parallel/tp_pieces.h"

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
    JoinedPieces up(wholeRows(x, m_context)), gate(wholeRows(x, m_context));
    const CommonFactors ofUp = m_up.commonForward(x), ofGate = m_gate ? m_gate->commonForward(x) : CommonFactors{};
    gatherPieces(x, m_context, [&](std::int64_t begin, const at::Tensor& piece, bool) {
        up.put(begin, m_up.forward(piece, ofUp));
        if (m_gate) gate.put(begin, m_gate->forward(piece, ofGate));
    });
    saved.up = up.whole();
    if (m_gate) {
        saved.gate = gate.whole();
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
        const CommonFactors ofUp = m_up.commonInputGrad(saved.dUp);
        return sumPieces(saved.dUp.size(0), m_context, [&](std::int64_t begin, std::int64_t length) {
            return m_up.backwardInput(saved.dUp.narrow(0, begin, length), ofUp, begin);
        });
    }
    std::tie(saved.dGate, saved.dUp) = swiGluGrad(dInner, saved.gate, saved.up);
    if (saved.inner.defined()) {
        saved.gate.reset();
        saved.up.reset();
    }
    const CommonFactors ofGate = m_gate->commonInputGrad(saved.dGate), ofUp = m_up.commonInputGrad(saved.dUp);
    return sumPieces(saved.dUp.size(0), m_context, [&](std::int64_t begin, std::int64_t length) {
        at::Tensor dx = m_gate->backwardInput(saved.dGate.narrow(0, begin, length), ofGate, begin);
        m_up.addBackwardInput(dx, saved.dUp.narrow(0, begin, length), ofUp, begin);
        return dx;
    });
}

void FeedForward::backwardWeight(Saved& saved, bool last) {
    // Dropped by selective recomputation: an elementwise pass recreates it.
    if (!saved.inner.defined()) saved.inner = m_gate ? swiGlu(saved.gate, saved.up) : geluForward(saved.up);
    m_down.backwardWeight(saved.wholeDy, saved.inner, last);
    const CommonGradScales ofUp = m_up.commonWeightGrad(saved.dUp, saved.x);
    const CommonGradScales ofGate = m_gate ? m_gate->commonWeightGrad(saved.dGate, saved.x) : CommonGradScales{};
    gatherPieces(saved.x, m_context, [&](std::int64_t begin, const at::Tensor& piece, bool lastPiece) {
        const auto rows = [&](const at::Tensor& dy) { return dy.narrow(0, begin, piece.size(0)); };
        m_up.backwardWeight(rows(saved.dUp), piece, last && lastPiece, ofUp);
        if (m_gate) m_gate->backwardWeight(rows(saved.dGate), piece, last && lastPiece, ofGate);
    });
}

void FeedForward::collect(std::vector<Parameter*>& parameters) {
    if (m_gate) m_gate->collect(parameters);
    m_up.collect(parameters);
    m_down.collect(parameters);
}

}  // namespace slipway::trainer
