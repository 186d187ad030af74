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

Result<std::vector<std::string>> slurmShape(const RunConfig& config, const SlurmOptions& options) {
    if (auto good = checkSlurmOptions(options); !good) return fail(good.error());
    const std::vector<LaunchNode> nodes = slurmNodes(config, options);
    const std::int64_t ranks = nodes.front().numRanks;
    if (nodes.back().numRanks != ranks)
        return fail("usage", "%1 ranks do not fill nodes of %2 devices; change --devices-per-node."_text(
                                 config.parallel.worldSize(), ranks));
    const auto threads = std::max<std::int64_t>(1, config.train.threadsPerRank);
    // The person's own come first: for a repeated option sbatch uses the last.
    std::vector<std::string> arguments = options.sbatch;
    const auto add = [&](const std::string& option) { arguments.push_back("--" + option); };
    add("parsable");
    add("nodes=" + std::to_string(nodes.size()));
    add("ntasks-per-node=1");
    add("cpus-per-task=" + std::to_string(ranks * threads));
    if (config.train.device == DeviceKind::Gpu) add("gpus-per-node=" + std::to_string(ranks));
    if (!options.queue.empty()) add("partition=" + options.queue);
    if (!options.account.empty()) add("account=" + options.account);
    if (!options.timeLimit.empty()) add("time=" + options.timeLimit);
    add("signal=B:USR1@" + std::to_string(options.warningSeconds));
    add("requeue");
    add("open-mode=append");
    return arguments;
}

Result<std::vector<std::string>> sbatchArguments(const LaunchPlan& plan, const RunConfig& config, const RunDir& folder,
                                                 const SlurmOptions& options) {
    auto arguments = slurmShape(config, options);
    if (!arguments) return arguments;
    if (auto line = checkOneLine(folder.path.string(), "--home"); !line) return fail(line.error());
    arguments->push_back("--job-name=" + slurmJobName(plan.runId, plan.attempt));
    arguments->push_back("--comment=" + plan.runId);
    arguments->push_back("--output=" + filePattern(slurmLog(folder)));
    arguments->push_back(slurmScriptFile(folder).string());
    return arguments;
}

std::vector<std::string> sbatchArrayArguments(const std::vector<std::string>& shape, const std::string& name,
                                              const std::filesystem::path& folder, std::size_t number,
                                              std::int64_t limit) {
    std::vector<std::string> arguments = shape;
    arguments.push_back("--job-name=" + name);
    arguments.push_back("--comment=" + name);
    arguments.push_back("--array=0-" + std::to_string(number - 1) + "%" + std::to_string(limit));
    arguments.push_back("--output=" + filePattern(folder / (name + ".log")));
    arguments.push_back((folder / (name + ".sbatch")).string());
    return arguments;
}

namespace {

std::string headOf(const std::string& what, const LaunchPlan& plan) {
    return "#!/bin/bash\n# " + what + " of Slipway: one agent on each of " + std::to_string(plan.nodes.size()) +
           " nodes, with " + ranksOfNode(plan) + " ranks each.\nset -u\n";
}

/// From where `run`, `agent` and `attempt` are set.
std::string bodyOf(const LaunchPlan& plan, const RunConfig& config) {
    const std::string nodes = std::to_string(plan.nodes.size());
    const auto threads = std::max<std::int64_t>(1, config.train.threadsPerRank);
    const std::string cpus = std::to_string(static_cast<std::int64_t>(plan.nodes.front().ranks.size()) * threads);
    std::string text = R"sh(
# Slurm can start a job twice after a failure of its controller: who takes the attempt runs it. A job that was queued again
# begins the next one.
"$agent" --begin-job "$attempt.${SLURM_RESTART_COUNT:-0}" --run-dir "$run"
code=$?
if [ "$code" -eq 4 ]; then exit 0; fi
if [ "$code" -ne 0 ]; then exit "$code"; fi
)sh";
    text += newestCheckpointText() + kJobIdText;
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

# A grace time before a preemption: Slurm signals the agents alone, which have stopped without a request of anybody.
if [ -z "$ended" ] && [ "$code" -eq 14 ] && [ ! -e "$run/control/stop" ] && [ ! -e "$run/control/kill" ]; then
    ended=preempted
fi
# Preempted with time to save: Slurm still calls the job running. It queues the others again itself, and a cancelled one must stay so.
if [ "$ended" = preempted ] &&
    [ "$(squeue --noheader --jobs="$job" --format=%T 2>/dev/null)" != RUNNING ]; then
    ended=
fi
# A person's request to stop stands in the same file.
if [ "$ended" = time_limit ] && ! grep -q '^time limit' "$run/control/stop" 2>/dev/null; then ended=; fi
if [ -n "$ended" ]; then
    if [ "$(newest)" != "$before" ]; then
        scontrol requeue "$job" && exit 0
    else
        echo "slipway: no new checkpoint since this attempt began, so the job is not queued again" >&2
    fi
fi
exit "$code"
)sh";
}

}  // namespace

std::string slurmScript(const LaunchPlan& plan, const RunConfig& config, const RunDir& folder,
                        const std::filesystem::path& agent) {
    return headOf("Run " + plan.runId, plan) + "run=" + shellQuoted(folder.path.string()) +
           "\nagent=" + shellQuoted(agent.string()) + "\nattempt=" + std::to_string(plan.attempt) + "\n" +
           bodyOf(plan, config);
}

std::string slurmArrayScript(const std::vector<SlurmElement>& elements) {
    const SlurmElement& first =
        *std::ranges::find_if(elements, [](const SlurmElement& one) { return !one.folder.path.empty(); });
    std::string text = headOf(std::to_string(elements.size()) + " runs", first.plan) +
                       "agent=" + shellQuoted(first.agent.string()) + "\ncase \"$SLURM_ARRAY_TASK_ID\" in\n";
    for (std::size_t i = 0; i < elements.size(); ++i)
        text += std::to_string(i) + (elements[i].folder.path.empty()
                                         ? ") exit 0 ;;\n"
                                         : ") run=" + shellQuoted(elements[i].folder.path.string()) +
                                               " attempt=" + std::to_string(elements[i].plan.attempt) + " ;;\n");
    text += R"sh(*) echo "slipway: there is no element $SLURM_ARRAY_TASK_ID" >&2; exit 2 ;;
esac
mkdir -p -- "$run/logs" || exit 1
exec >> "$run/logs/slurm.log" 2>&1
)sh";
    return text + bodyOf(first.plan, first.config);
}

}  // namespace slipway
