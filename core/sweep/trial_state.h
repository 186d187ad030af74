// What became of a trial: what its run came to, as a sweep counts it.
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

/// Follows the run; what the sweep itself decided (skipped, ended by a stop rule) stays until the run has a later state. A run
/// out of memory makes its point infeasible, with the peak it reached; one whose disk was full is still to do.
/// @param run null when there is none
TrialState trialStateOf(const TrialRecord& trial, const RunRecord* run);

/// Ended by SIGKILL or SIGTERM from outside (a job's time limit, the kernel), not on request.
bool wasKilled(const RunRecord& run);
bool diskWasFull(const RunRecord& run);

/// Reasons for which a sweep repeats trials on request: "failed" (which includes killed), "lost", "killed".
inline constexpr std::string_view kRetryReasons[] = {"failed", "lost", "killed"};
bool isRetryReason(std::string_view reason, const TrialState& state, const RunRecord* run);

}  // namespace slipway
