// Files with which other schedulers run what Slipway does not start itself: a script for torchrun, an sbatch script, a task
// of SkyPilot or dstack, a JobSet of Kubernetes. Each is whole: it holds the config and writes the run folder, in which
// `slipway reindex` finds the run.
//   const auto text = jobFile(JobFileKind::Slurm, {{config, *makeLaunchPlan(config, request), folder}}, options);
#pragma once

#include "core/launch/launch_plan.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

enum class JobFileKind { Torchrun, Slurm, SkyPilot, JobSet, Dstack };
constexpr std::array<std::string_view, 5> kJobFileWords = {"torchrun", "slurm", "skypilot", "jobset", "dstack"};
std::optional<JobFileKind> jobFileKindFrom(std::string_view word);

/// One run. The plan's nodes have equal numbers of ranks; its address and port are left to the scheduler.
struct JobRun {
    RunConfig config;
    LaunchPlan plan;
    RunDir folder;
};

/// Empty values are left out, so that the scheduler's defaults hold.
struct JobFileOptions {
    std::string queue;                    ///< Slurm: partition; JobSet: Kueue's local queue
    std::string account;                  ///< Slurm
    std::string timeLimit;                ///< Slurm: 8:00:00; the checkpoint is requested 5 minutes before
    std::string image;                    ///< container; JobSet needs one
    std::string accelerator;              ///< SkyPilot, dstack: the GPU's name there ("H100")
    std::string volumeClaim = "slipway";  ///< JobSet: persistent volume claim, mounted at the home folder
};

/// "bad_value" for a name of the scheduler's own, which cannot be quoted, with other than letters, digits and . _ - : ,
/// or with a hyphen first. @param field what the message calls it
Result<void> checkPlainWord(const std::string& word, const std::string& field);

/// The text of the file. Several runs make an array of Slurm, and need the same number of ranks. Errors: "bad_value" for a
/// name or a path with line breaks or for a queue with other than letters, digits and ._-, "usage" for what is missing or
/// does not fit the kind.
Result<std::string> jobFile(JobFileKind kind, const std::vector<JobRun>& runs, const JobFileOptions& options);

}  // namespace slipway
