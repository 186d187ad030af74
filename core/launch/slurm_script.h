// The batch script with which Slurm runs one agent on each node of a run, and the arguments of sbatch.
#pragma once

#include "core/launch/launch_plan.h"
#include "core/launch/slurm_options.h"

#include <filesystem>
#include <string>
#include <vector>

namespace slipway {

/// "slipway-20261123-124323042-7f3a9c21-a2": the run and the attempt the job was submitted with; the job's identity.
std::string slurmJobName(const std::string& runId, std::int64_t attempt);

/// The output of Slurm and the script, in the run folder.
std::filesystem::path slurmLog(const RunDir& folder);
/// The script, in the run folder.
std::filesystem::path slurmScriptFile(const RunDir& folder);

/// The script: `slipway-agent --begin-job` claims the attempt, srun starts one agent on each node. Before the time limit (USR1) and at
/// preemption (TERM) the ranks save a checkpoint; with a new one the job is queued again. Folder and agent are paths on the cluster.
std::string slurmScript(const LaunchPlan& plan, const RunConfig& config, const RunDir& folder,
                        const std::filesystem::path& agent);

/// "--parsable", ..., and the script's path; without "sbatch". Errors of checkSlurmOptions(), "usage" when the nodes have unequal ranks.
Result<std::vector<std::string>> sbatchArguments(const LaunchPlan& plan, const RunConfig& config, const RunDir& folder,
                                                 const SlurmOptions& options);

/// "node0", "node1", ...: the logical nodes of a layout, with at most the configured ranks each.
std::vector<LaunchNode> slurmNodes(const RunConfig& config, const SlurmOptions& options);

}  // namespace slipway
