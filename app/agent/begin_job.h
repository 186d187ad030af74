// slipway-agent --begin-job: the first step of a Slurm batch job, before its agents start. It claims the attempt for
// this start of the job, and creates the next attempt of a requeued job.
#pragma once

#include "core/base/result.h"
#include "core/spec/run_dir.h"

#include <cstdint>
#include <string>

namespace slipway {

struct JobStart {
    std::int64_t attempt = 1;   ///< of the job's submission
    std::int64_t restarts = 0;  ///< number of requeues by Slurm since
};

/// "2.1"; "bad_usage".
Result<JobStart> parseJobStart(const std::string& text);

/// Updates launch.json for this start; returns its attempt. mkdir makes or finds each claim, so that a job that Slurm starts twice runs
/// once. "already_started", also for a run that is completed; "stop_requested" when a stop was requested in the meantime;
/// "still_running" when an agent of the previous attempt does not end; "wrong_attempt" when launch.json belongs to another program by now.
Result<std::int64_t> beginJob(const RunDir& folder, const JobStart& start);

}  // namespace slipway
