// Options of sbatch, srun and scontrol: slurm.schedmd.com, their manual pages of version 22.05.
#include "core/launch/slurm_script.h"

#include "core/base/quoted.h"
#include "core/launch/job_script.h"

#include <algorithm>

namespace slipway {
namespace {

/// Slurm replaces %j and the like in names of files; %% is a per cent sign.
std::string filePattern(const std::filesystem::path& path) {
    std::string pattern;
    for (const char c : path.string()) pattern += c == '%' ? "%%" : std::string(1, c);
    return pattern;
}

std::string ranksOfNode(const LaunchPlan& plan) {
    return std::to_string(plan.nodes.front().ranks.size());
}

}  // namespace

std::string slurmJobName(const std::string& runId, std::int64_t attempt) {
    return "slipway-" + runId + "-a" + std::to_string(attempt);
}

std::filesystem::path slurmLog(const RunDir& folder) {
    return folder.path / "logs" / "slurm.log";
}

std::filesystem::path slurmScriptFile(const RunDir& folder) {
    return folder.path / "control" / "job.sbatch";
}

std::vector<LaunchNode> slurmNodes(const RunConfig& config, const SlurmOptions& options) {
    std::vector<LaunchNode> nodes;
    const std::int64_t world = config.parallel.worldSize();
    const std::int64_t perNode = std::min(world, std::max<std::int64_t>(1, options.devicesPerNode));
    for (std::int64_t left = world; left > 0; left -= perNode)
        nodes.push_back({"node" + std::to_string(nodes.size()), std::min(left, perNode)});
    return nodes;
}

Result<std::vector<std::string>> sbatchArguments(const LaunchPlan& plan, const RunConfig& config, const RunDir& folder,
                                                 const SlurmOptions& options) {
    if (auto good = checkSlurmOptions(options); !good) return fail(good.error());
    if (auto line = checkOneLine(folder.path.string(), "--home"); !line) return fail(line.error());
    for (const NodePlan& node : plan.nodes)
        if (node.ranks.size() != plan.nodes.front().ranks.size())
            return fail("usage", "%1 ranks do not fill nodes of %2 devices; change --devices-per-node."_text(
                                     config.parallel.worldSize(), plan.nodes.front().ranks.size()));
    const auto threads = std::max<std::int64_t>(1, config.train.threadsPerRank);
    const auto ranks = static_cast<std::int64_t>(plan.nodes.front().ranks.size());
    // The person's own come first: for a repeated option sbatch uses the last.
    std::vector<std::string> arguments = options.sbatch;
    const auto add = [&](const std::string& option) { arguments.push_back("--" + option); };
    add("parsable");
    add("job-name=" + slurmJobName(plan.runId, plan.attempt));
    add("comment=" + plan.runId);
    add("nodes=" + std::to_string(plan.nodes.size()));
    add("ntasks-per-node=1");
    add("cpus-per-task=" + std::to_string(ranks * threads));
    if (config.train.device == DeviceKind::Gpu) add("gpus-per-node=" + ranksOfNode(plan));
    if (!options.queue.empty()) add("partition=" + options.queue);
    if (!options.account.empty()) add("account=" + options.account);
    if (!options.timeLimit.empty()) add("time=" + options.timeLimit);
    add("signal=B:USR1@" + std::to_string(options.warningSeconds));
    add("requeue");
    add("open-mode=append");
    add("output=" + filePattern(slurmLog(folder)));
    arguments.push_back(slurmScriptFile(folder).string());
    return arguments;
}

std::string slurmScript(const LaunchPlan& plan, const RunConfig& config, const RunDir& folder,
                        const std::filesystem::path& agent) {
    const std::string nodes = std::to_string(plan.nodes.size());
    const auto threads = std::max<std::int64_t>(1, config.train.threadsPerRank);
    const std::string cpus = std::to_string(static_cast<std::int64_t>(plan.nodes.front().ranks.size()) * threads);
    std::string text = "#!/bin/bash\n# Run " + plan.runId + " of Slipway: one agent on each of " + nodes +
                       " nodes, with " + ranksOfNode(plan) + " ranks each.\nset -u\n";
    text += "run=" + shellQuoted(folder.path.string()) + "\nagent=" + shellQuoted(agent.string()) +
            "\nattempt=" + std::to_string(plan.attempt) + "\n";
    text += R"sh(
# Slurm can start a job twice after a failure of its controller: who takes the attempt runs it. A job that was queued again
# begins the next one.
"$agent" --begin-job "$attempt.${SLURM_RESTART_COUNT:-0}" --run-dir "$run"
code=$?
if [ "$code" -eq 4 ]; then exit 0; fi
if [ "$code" -ne 0 ]; then exit "$code"; fi
)sh";
    text += newestCheckpointText();
    text += R"sh(
ended=
time_limit() {
    ended=time_limit
    [ -e "$run/control/stop" ] || echo "time limit" > "$run/control/stop"
}
trap time_limit USR1
trap 'ended=preempted' TERM

export SLIPWAY_STORE_SECRET="$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
)sh";
    // One node: its agent finds a free port. Several: this script runs on the first one.
    text += plan.nodes.size() > 1 ? "set -- --master \"$(hostname):$((20000 + SLURM_JOB_ID % 20000))\"\n" : "set --\n";
    text += "srun --nodes=" + nodes + " --ntasks=" + nodes + " --ntasks-per-node=1 --cpus-per-task=" + cpus +
            (config.train.device == DeviceKind::Gpu ? " --gpus-per-node=" + ranksOfNode(plan) : "") +
            " \\\n    --kill-on-bad-exit=1 --export=ALL \\\n    /bin/bash -c " +
            shellQuoted("exec \"$@\" --node \"node$SLURM_NODEID\"") +
            " agent \\\n    \"$agent\" --foreground --run-dir \"$run\" \"$@\" &\n";
    return text + R"sh(agents=$!
while :; do
    wait "$agents"
    code=$?
    kill -0 "$agents" 2>/dev/null || break
done

# Preempted with time to save: Slurm still calls the job running. It queues the others again itself, and a cancelled one must stay so.
if [ "$ended" = preempted ] &&
    [ "$(squeue --noheader --jobs="$SLURM_JOB_ID" --format=%T 2>/dev/null)" != RUNNING ]; then
    ended=
fi
# A person's request to stop stands in the same file.
if [ "$ended" = time_limit ] && ! grep -q '^time limit' "$run/control/stop" 2>/dev/null; then ended=; fi
if [ -n "$ended" ]; then
    if [ "$(newest)" != "$before" ]; then
        scontrol requeue "$SLURM_JOB_ID" && exit 0
    else
        echo "slipway: no new checkpoint since this attempt began, so the job is not queued again" >&2
    fi
fi
exit "$code"
)sh";
}

}  // namespace slipway
