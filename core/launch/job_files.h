// Files for runs started by other schedulers: a script for torchrun, an sbatch script, a task of SkyPilot or dstack, a
// JobSet of Kubernetes. Each is self-contained: it includes the config and writes the run folder, in which `slipway
// reindex` finds the run.
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

/// Empty values are omitted, so that the scheduler's defaults apply.
struct JobFileOptions {
    std::string queue;                    ///< Slurm: partition; JobSet: Kueue's local queue
    std::string account;                  ///< Slurm
    std::string timeLimit;                ///< Slurm: 8:00:00; the checkpoint is requested 5 minutes before
    std::string image;                    ///< container; JobSet needs one
    std::string accelerator;              ///< SkyPilot, dstack: the GPU's name there ("H100")
    std::string volumeClaim = "slipway";  ///< JobSet: persistent volume claim, mounted at the home folder
};

/// "bad_value" for a scheduler's name, which cannot be quoted, with characters other than letters, digits and . _ - : ,
/// or with a leading hyphen. @param field its name in the message
Result<void> checkPlainWord(const std::string& word, const std::string& field);

/// The text of the file. Several runs become a Slurm array, and need equal numbers of ranks. Errors: "bad_value" for a
/// name or a path with line breaks or a queue with characters other than letters, digits and ._-, "usage" for options
/// missing or unsuitable for the kind.
Result<std::string> jobFile(JobFileKind kind, const std::vector<JobRun>& runs, const JobFileOptions& options);

}  // namespace slipway
