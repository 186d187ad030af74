// Options of sbatch and srun: slurm.schedmd.com, sbatch(1) and srun(1); of torchrun: docs.pytorch.org, "torchrun".
#include "core/launch/job_script.h"

#include "core/base/json.h"
#include "core/base/quoted.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>

namespace slipway {
namespace {

constexpr const char* kConfigEnd = "SLIPWAY_CONFIG";  // never a line of the document
constexpr int kAgentPort = 29400, kRankPort = 29500;
constexpr int kWarningSeconds = 300;  // Slurm checks limits about once a minute

/// The part of the plan's environment common to all ranks.
std::vector<std::string> commonEnvironment(const LaunchPlan& plan) {
    constexpr std::array<std::string_view, 8> own = {
        "RANK=",       "LOCAL_RANK=",  "WORLD_SIZE=",      "LOCAL_WORLD_SIZE=",
        "GROUP_RANK=", "MASTER_ADDR=", "SLIPWAY_ATTEMPT=", "SLIPWAY_NODE="};
    std::vector<std::string> common;
    for (const std::string& entry : plan.nodes.front().ranks.front().environment)
        if (std::none_of(own.begin(), own.end(), [&](std::string_view key) { return entry.starts_with(key); }))
            common.push_back(entry);
    return common;
}

/// The command as words of the script, where `run` is the folder.
std::string words(const JobRun& run) {
    std::string text;
    for (const std::string& argument : run.plan.nodes.front().ranks.front().arguments) {
        const bool isFolder = argument == run.folder.path.string(), isConfig = argument == run.folder.config().string();
        text += (text.empty() ? "" : " ") + (isFolder   ? "\"$run\""
                                             : isConfig ? "\"$run/config.json\""
                                                        : shellQuoted(argument));
    }
    return text;
}

/// A name as a comment; checked to be a single line.
std::string comment(const JobRun& run, const JobShape& shape) {
    return "# Run " + yamlQuoted(run.config.name) + " of Slipway: " + std::to_string(shape.nodes) + " x " +
           std::to_string(shape.ranksPerNode) + " ranks.\n";
}

std::string directive(const std::string& option) {
    return "#SBATCH --" + option + "\n";
}

}  // namespace

std::string jobName(const JobRun& run) {
    std::string name = "slipway-" + run.plan.runId;
    for (char& c : name)
        c = std::isalnum(static_cast<unsigned char>(c)) != 0
                ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                : '-';
    return name;
}

std::string prepareText(const JobRun& run, const std::string& part) {
    std::string text = "run=" + shellQuoted(run.folder.path.string()) + "\n";
    for (const std::string& entry : commonEnvironment(run.plan)) {
        const std::size_t equals = entry.find('=');
        text += "export " + entry.substr(0, equals) + "=" + shellQuoted(entry.substr(equals + 1)) + "\n";
    }
    text += "mkdir -p -- \"$run/logs\" \"$run/control\"\n";
    // Every node may write it: the text is the same, and the replacement is atomic.
    text += "if [ ! -e \"$run/config.json\" ]; then\n    cat > \"$run/config.json." + part + "\" <<'" +
            std::string(kConfigEnd) + "'\n";
    text += dumpJson(toJson(run.config), true);
    if (!text.ends_with('\n')) text += '\n';
    return text + kConfigEnd + "\n    mv -- \"$run/config.json." + part + "\" \"$run/config.json\"\nfi\n";
}

std::string rankCommand(const JobRun& run, const std::string& assignments) {
    const std::string program = assignments + "exec \"$@\" >> \"$SLIPWAY_LOGS/rank_$(printf %05d \"$RANK\").log\" 2>&1";
    return "/bin/bash -c " + shellQuoted(program) + " rank \\\n    " + words(run);
}

std::string torchrunText(const JobRun& run, const JobShape& shape) {
    // torchrun has its own store at its port; the trainer's uses a different one.
    // A scheduler may start it again. All nodes count before their ranks meet, so the numbers agree.
    return prepareText(run, "$NODE_RANK") +
           "started=\"$(grep -c '\"kind\":\"header\"' \"$run/metrics.jsonl\" 2>/dev/null || true)\"\n"
           "export SLIPWAY_LOGS=\"$run/logs\" SLIPWAY_NODE=\"node$NODE_RANK\" "
           "SLIPWAY_ATTEMPT=\"${SLIPWAY_ATTEMPT:-$((started + 1))}\"\n"
           "exec torchrun --nnodes=" +
           std::to_string(shape.nodes) + " --nproc-per-node=" + std::to_string(shape.ranksPerNode) +
           " --node-rank=\"$NODE_RANK\" \\\n    --master-addr=\"$MASTER_ADDR\" --master-port=" +
           std::to_string(kAgentPort) + " --max-restarts=0 --no-python \\\n    " +
           rankCommand(run, "export MASTER_PORT=" + std::to_string(kRankPort) + "; ") + "\n";
}

std::string newestCheckpointText() {
    return R"sh(newest() {
    local found= file
    for file in "$run"/checkpoints/step_*/manifest.json; do
        if [ -e "$file" ]; then found="$file"; fi
    done
    printf '%s\n' "$found"
}
before="$(newest)"
)sh";
}

std::string slurmText(const std::vector<JobRun>& runs, const JobShape& shape, const JobFileOptions& options) {
    const JobRun& first = runs.front();
    const bool isArray = runs.size() > 1;
    const bool onGpus = first.config.train.device == DeviceKind::Gpu;
    const std::string perNode = std::to_string(shape.ranksPerNode), nodes = std::to_string(shape.nodes),
                      ranks = std::to_string(shape.nodes * shape.ranksPerNode),
                      threads = std::to_string(first.config.train.threadsPerRank);
    std::string text = "#!/bin/bash\n" + directive("job-name=" + jobName(first));
    // The run's id is its identity: a job's number can be reused.
    text += directive("comment=" + first.plan.runId);
    if (isArray)
        text += directive("array=0-" + std::to_string(runs.size() - 1));
    else
        text += directive("dependency=singleton");
    text +=
        directive("nodes=" + nodes) + directive("ntasks-per-node=" + perNode) + directive("cpus-per-task=" + threads);
    if (onGpus) text += directive("gpus-per-node=" + perNode);
    if (!options.queue.empty()) text += directive("partition=" + options.queue);
    if (!options.account.empty()) text += directive("account=" + options.account);
    if (!options.timeLimit.empty()) text += directive("time=" + options.timeLimit);
    text += directive("signal=B:USR1@" + std::to_string(kWarningSeconds)) + directive("requeue") +
            directive("open-mode=append") +
            directive("output=" + jobName(first) + (isArray ? "-%A_%a.log" : "-%j.log"));
    text += "\n" + comment(first, shape);
    text +=
        "# USR1 before the time limit and TERM at preemption ask for a checkpoint; the job is then queued again and\n"
        "# continues from it, unless this attempt has made none.\nset -u\n\n";
    if (!isArray) {
        text += prepareText(first, "part");
    } else {
        text += "case \"$SLURM_ARRAY_TASK_ID\" in\n";
        for (std::size_t i = 0; i < runs.size(); ++i)
            text += std::to_string(i) + ")\n" + prepareText(runs[i], "part") + ";;\n";
        text += "*) echo \"slipway: there is no task $SLURM_ARRAY_TASK_ID\" >&2; exit 2 ;;\nesac\n";
    }
    text += R"sh(
# Slurm can start a job twice after a failure of its controller: who makes the claim runs.
claim="$run/control/claim_${SLURM_JOB_ID}_${SLURM_RESTART_COUNT:-0}"
mkdir -- "$claim" || { echo "slipway: this attempt has been started before" >&2; exit 0; }
set -- "$run"/control/claim_*
export SLIPWAY_ATTEMPT="$#" SLIPWAY_LOGS="$run/logs"
export MASTER_ADDR="$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)"
export MASTER_PORT="$((20000 + SLURM_JOB_ID % 20000))"

)sh";
    text += newestCheckpointText() + kJobIdText;
    text += R"sh(ended=
rm -f -- "$run/control/stop"
trap 'ended=1; : > "$run/control/stop"' USR1 TERM

)sh";
    const std::string assignments =
        "export RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS LOCAL_WORLD_SIZE=" + perNode +
        " GROUP_RANK=$SLURM_NODEID SLIPWAY_NODE=node$SLURM_NODEID; ";
    text += "srun --nodes=" + nodes + " --ntasks=" + ranks + " --ntasks-per-node=" + perNode +
            " --cpus-per-task=" + threads + (onGpus ? " --gpus-per-node=" + perNode : "") +
            " \\\n    --kill-on-bad-exit=1 --wait=60 --export=ALL \\\n    ";
    text += rankCommand(first, assignments) + " &\n";
    return text + R"sh(ranks=$!
while :; do
    wait "$ranks"
    code=$?
    kill -0 "$ranks" 2>/dev/null || break
done

# A grace time before a preemption: Slurm signals the ranks alone, which have stopped without a request of anybody.
if [ -z "$ended" ] && [ "$code" -eq 14 ] && [ ! -e "$run/control/stop" ] &&
    [ "$(squeue --noheader --jobs="$job" --format=%T 2>/dev/null)" = RUNNING ]; then
    ended=1
fi
if [ -n "$ended" ] && [ "$code" -eq 14 ]; then
    rm -f -- "$run/control/stop"
    if [ "$(newest)" != "$before" ]; then
        scontrol requeue "$job" && exit 0
    else
        echo "slipway: no new checkpoint since this attempt began, so the job is not queued again" >&2
    fi
fi
exit "$code"
)sh";
}

}  // namespace slipway
