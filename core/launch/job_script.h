// Parts of a run's script in bash shared by all kinds of job files; private to this room.
#pragma once

#include "core/launch/job_files.h"

#include <string>

namespace slipway {

struct JobShape {
    std::int64_t nodes = 1, ranksPerNode = 1;
};

/// Sets `run` and the environment, makes the run folder and puts the config there; the same on every node. `part` is a
/// word unique to each node.
std::string prepareText(const JobRun& run, const std::string& part);

/// The command of a rank, to be started with RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR and SLIPWAY_NODE set: appends to the
/// rank's log. @param assignments done in the rank's own shell first
std::string rankCommand(const JobRun& run, const std::string& assignments);

/// A node's complete work with torchrun, where NODE_RANK and MASTER_ADDR are set.
std::string torchrunText(const JobRun& run, const JobShape& shape);

/// Defines `newest`, which prints the newest complete checkpoint of the folder in `run`, and sets `before` to it.
std::string newestCheckpointText();

/// Sets `job` to what Slurm's programs call the job; for an element of an array the number alone may name all of them.
inline constexpr const char* kJobIdText =
    R"sh(job="${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}")sh"
    "\n";

/// An sbatch script; several runs become an array.
std::string slurmText(const std::vector<JobRun>& runs, const JobShape& shape, const JobFileOptions& options);

/// "slipway-20261123-124323042-7f3a9c21": a name that every scheduler accepts.
std::string jobName(const JobRun& run);

}  // namespace slipway
