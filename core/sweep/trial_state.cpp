#include "core/sweep/trial_state.h"

#include "core/base/units.h"

#include <cmath>

namespace slipway {
namespace {

bool endedWith(const RunRecord& run, int code) {
    return run.status == RunStatus::Failed && run.exitCode == code;
}

std::string bytesText(const std::optional<double>& bytes) {
    return bytes && std::isfinite(*bytes) ? formatBytes(*bytes) : "unknown";
}

std::string infeasibleText(const RunRecord& run) {
    return run.reason + " The point is infeasible: its peak was " + bytesText(run.measured.memoryPeakBytes) +
           ", the forecast " + bytesText(run.forecast.memoryPeakBytes) + ".";
}

}  // namespace

bool wasKilled(const RunRecord& run) {
    return endedWith(run, 128 + 9) || endedWith(run, 128 + 15);
}

bool diskWasFull(const RunRecord& run) {
    return endedWith(run, static_cast<int>(TrainerExit::DiskFull));
}

TrialState trialStateOf(const TrialRecord& trial, const RunRecord* run) {
    const TrialState recorded{trialStatusFrom(trial.status).value_or(TrialStatus::Planned), trial.reason};
    if (run == nullptr) return recorded;
    const bool decided = recorded.status != TrialStatus::Running && recorded.status != TrialStatus::Planned;
    switch (run->status) {
        case RunStatus::Completed: return {TrialStatus::Completed, ""};
        case RunStatus::Running:
        case RunStatus::Queued: return {TrialStatus::Running, ""};
        case RunStatus::Lost:  // one that could not start was only found as lost, by versions before 0.17
            return run->attempts == 0 && recorded.status == TrialStatus::Failed
                       ? recorded
                       : TrialState{TrialStatus::Lost, run->reason};
        case RunStatus::Planned: return decided ? recorded : TrialState{};
        case RunStatus::Cancelled: return decided ? recorded : TrialState{TrialStatus::Cancelled, run->reason};
        case RunStatus::Failed: break;
    }
    if (endedWith(*run, static_cast<int>(TrainerExit::OutOfMemory)))
        return {TrialStatus::Infeasible, infeasibleText(*run)};
    if (diskWasFull(*run)) return {TrialStatus::Cancelled, run->reason};
    return {TrialStatus::Failed, run->reason};
}

bool isRetryReason(std::string_view reason, const TrialState& state, const RunRecord* run) {
    if (reason == "lost") return state.status == TrialStatus::Lost;
    if (reason == "killed") return run != nullptr && wasKilled(*run);
    return reason == "failed" && state.status == TrialStatus::Failed;
}

}  // namespace slipway
