#include "core/stability/step_guard.h"

#include "core/base/message.h"

#include <cmath>
#include <cstdio>

namespace slipway {
namespace {

std::string digits(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

}  // namespace

StepJudgement StepGuard::evaluate(double loss, double gradNorm) {
    StepJudgement judgement;
    const double limit = m_detector.limit();
    const SpikeVerdict verdict = m_detector.evaluate(loss);
    bool mustSkip = true;
    if (verdict == SpikeVerdict::NonFinite) {
        judgement.code = "nonfinite_loss";
        judgement.reason = textOf("The loss is not finite."_text);
    } else if (!std::isfinite(gradNorm)) {
        judgement.code = "nonfinite_gradient";
        judgement.reason = textOf("The gradient norm is not finite."_text);
    } else {
        mustSkip = false;
        if (verdict == SpikeVerdict::Spike) {
            judgement.code = "loss_spike";
            judgement.reason = textOf("The loss is %1; the limit is %2."_text(digits(loss), digits(limit)));
        } else if (m_spec.gradNormLimit > 0 && gradNorm > m_spec.gradNormLimit) {
            judgement.code = "gradient_spike";
            judgement.reason = textOf(
                "The gradient norm is %1; the limit is %2."_text(digits(gradNorm), digits(m_spec.gradNormLimit)));
        }
    }
    if (judgement.code.empty()) {
        if (++m_calm >= kCalmSteps) m_rewinds = 0;
        return judgement;
    }
    m_calm = 0;
    switch (m_spec.policy) {
        case SpikePolicy::Alert: judgement.action = mustSkip ? StepAction::Skip : StepAction::Update; break;
        case SpikePolicy::Skip: judgement.action = StepAction::Skip; break;
        case SpikePolicy::RewindAndSkip:
            judgement.action = ++m_rewinds >= kMostRewinds ? StepAction::Stop : StepAction::Rewind;
            break;
        case SpikePolicy::Stop: judgement.action = StepAction::Stop; break;
    }
    return judgement;
}

}  // namespace slipway
