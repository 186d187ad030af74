// The programs of Slurm as child processes, here or on a login node by its agent.
#pragma once

#include "core/process/process.h"

#include <string>
#include <vector>

namespace slipway {

/// The process for sbatch, squeue, sacct or scancel, found through PATH; "bad_value" for another program, "slurm_missing". Variables with
/// a person's defaults for these programs are removed (SBATCH_PARTITION, SQUEUE_FORMAT, ...); those that select the cluster stay.
Result<ProcessSpec> slurmCommand(const std::vector<std::string>& arguments);

}  // namespace slipway
