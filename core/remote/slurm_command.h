// The programs of Slurm as child processes, here or by the agent of a login node.
#pragma once

#include "core/process/process.h"

#include <filesystem>
#include <string>
#include <vector>

namespace slipway {

/// The process for sbatch, squeue, sacct or scancel, found through PATH; "bad_value" for another program, "slurm_missing". Variables with
/// which a person sets defaults of these programs are taken out (SBATCH_PARTITION, SQUEUE_FORMAT, ...); those that name the cluster stay.
Result<ProcessSpec> slurmCommand(const std::vector<std::string>& arguments);

/// The first program of this name in the folders of PATH; empty when there is none.
std::filesystem::path programInPath(const std::string& name);

}  // namespace slipway
