// SweepRunner, fifth part: how far it is.
#include "core/sweep/sweep_runner.h"
#include "core/sweep/trial_state.h"

#include <algorithm>

namespace slipway {

SweepProgress SweepRunner::progress(std::int64_t now) const {
    SweepProgress out;
    out.total = m_states.size();
    double left = 0;
    double doneHere = 0;
    for (std::size_t i = 0; i < m_states.size(); ++i) {
        const State& state = m_states[i];
        if (state.status == TrialStatus::Completed) ++out.completed;
        if (state.status == TrialStatus::Failed) ++out.failed;
        if (state.status == TrialStatus::Skipped) ++out.skipped;
        if (state.status == TrialStatus::Infeasible) ++out.infeasible;
        if (isSettled(state.status))
            doneHere += state.tried && state.status == TrialStatus::Completed ? m_weights[i] : 0;
        else
            left += m_weights[i];
    }
    for (const Active& active : m_active) {
        if (isInQueue(active)) {
            ++out.queued;
            continue;
        }
        const std::int64_t steps = active.session.config().train.numSteps;
        out.running.push_back({active.trial, active.session.lastStep(), steps, active.session.isWaiting()});
        const double part = steps > 0 ? m_weights[active.trial] * static_cast<double>(active.session.lastStep()) /
                                            static_cast<double>(steps)
                                      : 0;
        doneHere += part;
        left -= part;
    }
    const double elapsed = static_cast<double>(now - m_openedUnixMilliseconds) / 1000;
    if (doneHere > 0 && elapsed > 1) out.secondsLeft = std::max(0.0, left) * elapsed / doneHere;
    return out;
}

}  // namespace slipway
