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

/// One run among those of an array.
struct SlurmElement {
    LaunchPlan plan;
    RunConfig config;
    RunDir folder;
    std::filesystem::path agent;
};

/// The script: `slipway-agent --begin-job` claims the attempt, srun starts one agent on each node. Before the time limit (USR1) and at
/// preemption (TERM) the ranks save a checkpoint; with a new one the job is queued again. Folder and agent are paths on the cluster.
std::string slurmScript(const LaunchPlan& plan, const RunConfig& config, const RunDir& folder,
                        const std::filesystem::path& agent);
/// The script of an array, whose elements have equal slurmShape(): the number of the element chooses the run; one without a folder
/// does nothing. At least one has a folder.
std::string slurmArrayScript(const std::vector<SlurmElement>& elements);

/// What sbatch is told of a run but its identity and its files: jobs with equal ones can be elements of one array. Errors of
/// checkSlurmOptions(), "usage" when the nodes have unequal ranks.
Result<std::vector<std::string>> slurmShape(const RunConfig& config, const SlurmOptions& options);
/// "--parsable", ..., and the script's path; without "sbatch". Errors of slurmShape().
Result<std::vector<std::string>> sbatchArguments(const LaunchPlan& plan, const RunConfig& config, const RunDir& folder,
                                                 const SlurmOptions& options);

/// The same for an array of the name, with the script and the log in the folder: `number` elements, `limit` of them at the same time.
std::vector<std::string> sbatchArrayArguments(const std::vector<std::string>& shape, const std::string& name,
                                              const std::filesystem::path& folder, std::size_t number,
                                              std::int64_t limit);

/// "node0", "node1", ...: the logical nodes of a layout, with at most the configured ranks each.
std::vector<LaunchNode> slurmNodes(const RunConfig& config, const SlurmOptions& options);

}  // namespace slipway
