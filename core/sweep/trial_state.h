// State of a trial: the outcome of its run from the sweep's view.
//   TrialState now = trialStateOf(record, run);   // also after `slipway resume` of a run whose trial had failed
#pragma once

#include "core/store/run_record.h"
#include "core/store/sweep_record.h"
#include "core/sweep/trial.h"

#include <string>
#include <string_view>

namespace slipway {

struct TrialState {
    TrialStatus status = TrialStatus::Planned;
    std::string reason;
    bool operator==(const TrialState&) const = default;
};

/// Follows the run; the sweep's own decisions (skipped, ended by a stop rule) stay until the run has a later state. A
/// run out of memory makes its point infeasible, with the reached peak; one with a full disk remains to do.
/// @param run null when there is none
TrialState trialStateOf(const TrialRecord& trial, const RunRecord* run);

/// Ended by SIGKILL or SIGTERM from outside (a job's time limit, the kernel), not on request.
bool wasKilled(const RunRecord& run);
bool diskWasFull(const RunRecord& run);

/// Reasons for which a sweep repeats trials on request: "failed" (which includes killed), "lost", "killed".
inline constexpr std::string_view kRetryReasons[] = {"failed", "lost", "killed"};
bool isRetryReason(std::string_view reason, const TrialState& state, const RunRecord* run);

}  // namespace slipway
