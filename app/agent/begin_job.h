// slipway-agent --begin-job: the first step of a batch job of Slurm, before its agents start. It takes the attempt for this start of the
// job, and makes the next attempt of a job that was queued again.
#pragma once

#include "core/base/result.h"
#include "core/spec/run_dir.h"

#include <cstdint>
#include <string>

namespace slipway {

struct JobStart {
    std::int64_t attempt = 1;   ///< with which the job was submitted
    std::int64_t restarts = 0;  ///< how often Slurm has queued it again since
};

/// "2.1"; "bad_usage".
Result<JobStart> parseJobStart(const std::string& text);

/// Makes launch.json that of this start; returns its attempt. mkdir makes each claim or finds it, so that a job that Slurm starts
/// twice runs once. "already_started"; "stop_requested" when a stop was requested in the meantime; "still_running" when an agent
/// of the former attempt does not end; "wrong_attempt" when launch.json is another program's by now.
Result<std::int64_t> beginJob(const RunDir& folder, const JobStart& start);

}  // namespace slipway
