// StepGuard: the action for a step, from its loss and its gradient norm, by the rule and the policy of the config.
//   const StepJudgement j = guard.evaluate(loss, gradNorm);   if (j.action == StepAction::Update) ...
// Every rank passes the same numbers and gets the same answer.
#pragma once

#include "core/stability/spike_detector.h"

#include <string>

namespace slipway {

enum class StepAction { Update, Skip, Rewind, Stop };

struct StepJudgement {
    StepAction action = StepAction::Update;
    std::string
        code;  ///< of the event: "nonfinite_loss", "nonfinite_gradient", "loss_spike", "gradient_spike"; empty for a normal step
    std::string reason;  ///< one sentence
};

class StepGuard {
public:
    explicit StepGuard(const SpikeSpec& spec) : m_spec(spec), m_detector(spec.rule, spec.zLimit) {}

    /// Once per step, in order. A non-finite norm or loss never leads to an update: under the policy `alert` the step is skipped. The
    /// fifth consecutive rewind without `kCalmSteps` normal steps in between becomes a stop: rewinding does not help.
    StepJudgement evaluate(double loss, double gradNorm);

    [[nodiscard]] SpikeDetector& detector() { return m_detector; }
    [[nodiscard]] const SpikeDetector& detector() const { return m_detector; }
    /// Rewinds so far that count towards the stop, and normal steps since the last.
    [[nodiscard]] int rewinds() const { return m_rewinds; }
    [[nodiscard]] int calmSteps() const { return m_calm; }
    void restore(int rewinds, int calmSteps) {
        m_rewinds = rewinds;
        m_calm = calmSteps;
    }

    static constexpr int kMostRewinds = 5;
    static constexpr int kCalmSteps = 100;

private:
    SpikeSpec m_spec;
    SpikeDetector m_detector;
    int m_rewinds = 0, m_calm = 0;
};

}  // namespace slipway
