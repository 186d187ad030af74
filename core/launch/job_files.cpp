// Keys of the documents: docs.skypilot.co (SkyPilot YAML), jobset.sigs.k8s.io (v1alpha2), kueue.sigs.k8s.io (queue label),
// dstack.ai (.dstack.yml, type task).
#include "core/launch/job_files.h"

#include "core/base/ids.h"
#include "core/base/json.h"
#include "core/base/quoted.h"
#include "core/launch/job_script.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace slipway {
namespace {

/// The script as a literal block of YAML.
std::string block(const std::string& script, std::size_t indent) {
    const std::string space(indent, ' ');
    std::string text = "|\n";
    for (std::size_t at = 0; at < script.size();) {
        const std::size_t end = std::min(script.find('\n', at), script.size());
        if (end > at) text += space + script.substr(at, end - at);
        text += '\n';
        at = end + 1;
    }
    return text;
}

/// Kubernetes replaces $(NAME) in arguments and takes $$ for $.
std::string forKubernetes(const std::string& script) {
    std::string text;
    for (std::size_t i = 0; i < script.size(); ++i) {
        const char next = i + 1 < script.size() ? script[i + 1] : '\0';
        text += script[i];
        if (script[i] == '$' && (next == '$' || next == '(')) text += '$';
    }
    return text;
}

std::string head(const JobRun& run, const JobShape& shape, const std::string& command) {
    return "# Run " + yamlQuoted(run.config.name) + " of Slipway: " + std::to_string(shape.nodes) + " x " +
           std::to_string(shape.ranksPerNode) + " ranks; the home folder is shared by the nodes.\n# " + command + "\n";
}

std::string torchrunFile(const JobRun& run, const JobShape& shape) {
    std::string text = "#!/bin/bash\n# Run " + yamlQuoted(run.config.name) +
                       " of Slipway: " + std::to_string(shape.nodes) + " x " + std::to_string(shape.ranksPerNode) +
                       " ranks; the run folder is shared by the nodes.\n";
    if (shape.nodes == 1) {
        text += "set -eu\nNODE_RANK=0 MASTER_ADDR=127.0.0.1\n";
    } else {
        text += "# On each node, with the address of the first one:\n";
        for (std::int64_t node = 0; node < shape.nodes; ++node)
            text += "#   bash FILE " + std::to_string(node) + " ADDRESS\n";
        text +=
            "set -eu\nNODE_RANK=\"${1:?number of this node, from 0}\" MASTER_ADDR=\"${2:?address of the first node}\"\n";
    }
    return text + torchrunText(run, shape);
}

std::string skyPilotFile(const JobRun& run, const JobShape& shape, const JobFileOptions& options) {
    std::string text = head(run, shape, "sky jobs launch FILE") + "name: " + yamlQuoted(jobName(run)) +
                       "\nnum_nodes: " + std::to_string(shape.nodes) + "\n";
    std::string resources;
    if (run.config.train.device == DeviceKind::Gpu)
        resources +=
            "  accelerators: " + yamlQuoted(options.accelerator + ":" + std::to_string(shape.ranksPerNode)) + "\n";
    if (!options.image.empty()) resources += "  image_id: " + yamlQuoted("docker:" + options.image) + "\n";
    if (!resources.empty()) text += "resources:\n" + resources;
    return text + "run: " +
           block(
               "set -eu\nexport NODE_RANK=\"$SKYPILOT_NODE_RANK\"\n"
               "export MASTER_ADDR=\"$(printf '%s\\n' \"$SKYPILOT_NODE_IPS\" | head -n 1)\"\n" +
                   torchrunText(run, shape),
               2);
}

std::string dstackFile(const JobRun& run, const JobShape& shape, const JobFileOptions& options) {
    std::string text = head(run, shape, "dstack apply -f FILE") + "type: task\nname: " + yamlQuoted(jobName(run)) +
                       "\nnodes: " + std::to_string(shape.nodes) + "\n";
    if (!options.image.empty()) text += "image: " + yamlQuoted(options.image) + "\n";
    text += "commands:\n  - " + block(
                                    "set -eu\nexport NODE_RANK=\"$DSTACK_NODE_RANK\"\n"
                                    "export MASTER_ADDR=\"$DSTACK_MASTER_NODE_IP\"\n" +
                                        torchrunText(run, shape),
                                    4);
    if (run.config.train.device == DeviceKind::Gpu)
        text +=
            "resources:\n  gpu: " + yamlQuoted(options.accelerator + ":" + std::to_string(shape.ranksPerNode)) + "\n";
    return text;
}

std::string jobSetFile(const JobRun& run, const JobShape& shape, const JobFileOptions& options) {
    const std::string name = jobName(run), nodes = std::to_string(shape.nodes);
    const std::string home = run.folder.path.parent_path().parent_path().string();
    std::string text = head(run, shape, "kubectl create -f FILE") +
                       "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata:\n  name: " + yamlQuoted(name) +
                       "\n  labels:\n    slipway/run: " + yamlQuoted(run.plan.runId) + "\n";
    if (!options.queue.empty()) text += "    kueue.x-k8s.io/queue-name: " + yamlQuoted(options.queue) + "\n";
    text +=
        "spec:\n  failurePolicy:\n    maxRestarts: 3\n  replicatedJobs:\n    - name: ranks\n      replicas: 1\n"
        "      template:\n        spec:\n          parallelism: " +
        nodes + "\n          completions: " + nodes +
        "\n          completionMode: Indexed\n          backoffLimit: 0\n          template:\n            spec:\n"
        "              restartPolicy: Never\n              containers:\n                - name: trainer\n"
        "                  image: " +
        yamlQuoted(options.image) +
        "\n                  command: [\"/bin/bash\", \"-c\"]\n                  args:\n                    - ";
    const std::string script = "set -eu\nexport NODE_RANK=\"$JOB_COMPLETION_INDEX\"\nexport MASTER_ADDR=" +
                               shellQuoted(name + "-ranks-0-0." + name) + "\n" + torchrunText(run, shape);
    text += block(forKubernetes(script), 22);
    if (run.config.train.device == DeviceKind::Gpu)
        text += "                  resources:\n                    limits:\n                      nvidia.com/gpu: " +
                std::to_string(shape.ranksPerNode) + "\n";
    return text +
           "                  volumeMounts:\n                    - name: home\n                      mountPath: " +
           yamlQuoted(home) +
           "\n                    - name: shm\n                      mountPath: /dev/shm\n"
           "              volumes:\n                - name: home\n                  persistentVolumeClaim:\n"
           "                    claimName: " +
           yamlQuoted(options.volumeClaim) +
           "\n                - name: shm\n                  emptyDir:\n                    medium: Memory\n";
}

Result<JobShape> shapeOf(const std::vector<JobRun>& runs) {
    std::optional<JobShape> shape;
    for (const JobRun& run : runs) {
        if (run.plan.nodes.empty()) return fail("usage", "There are no nodes to run on."_text, "nodes");
        const JobShape here{static_cast<std::int64_t>(run.plan.nodes.size()),
                            static_cast<std::int64_t>(run.plan.nodes.front().ranks.size())};
        for (const NodePlan& node : run.plan.nodes)
            if (static_cast<std::int64_t>(node.ranks.size()) != here.ranksPerNode)
                return fail("usage", "%1 ranks do not fill nodes of %2 devices; change --devices-per-node."_text(
                                         run.config.parallel.worldSize(), here.ranksPerNode));
        if (shape && (shape->nodes != here.nodes || shape->ranksPerNode != here.ranksPerNode))
            return fail("usage",
                        "The runs of an array need the same number of ranks; write a file for each number."_text);
        shape = here;
    }
    if (!shape) return fail("usage", "There are no nodes to run on."_text, "nodes");
    return *shape;
}

Result<void> check(JobFileKind kind, const std::vector<JobRun>& runs, const JobFileOptions& options) {
    for (const auto& [word, field] :
         {std::pair(&options.queue, "--queue"), std::pair(&options.account, "--account"),
          std::pair(&options.timeLimit, "--time-limit"), std::pair(&options.accelerator, "--accelerator"),
          std::pair(&options.volumeClaim, "--volume-claim")})
        if (auto plain = checkPlainWord(*word, field); !plain) return plain;
    if (auto line = checkOneLine(options.image, "--image"); !line) return line;
    if (kind != JobFileKind::Slurm && runs.size() > 1)
        return fail("usage", "Only Slurm takes several runs in one file, as an array."_text, "--write");
    const bool needsName = kind == JobFileKind::SkyPilot || kind == JobFileKind::Dstack;
    for (const JobRun& run : runs) {
        if (!isSafeId(run.plan.runId)) return fail("bad_id", "\"%1\" is not a run id."_text(run.plan.runId));
        if (needsName && run.config.train.device == DeviceKind::Gpu && options.accelerator.empty())
            return fail("usage", "Name the GPU with --accelerator, as this scheduler calls it (H100)."_text,
                        "--accelerator");
        if (kind == JobFileKind::JobSet && options.image.empty())
            return fail("usage", "Name the container with --image; a JobSet has no default."_text, "--image");
        if (auto line = checkOneLine(run.config.name, "name"); !line) return line;
        if (auto line = checkOneLine(run.folder.path.string(), "--home"); !line) return line;
        const RankCommand& command = run.plan.nodes.front().ranks.front();
        for (const auto* values : {&command.arguments, &command.environment})
            for (const std::string& value : *values)
                if (auto line = checkOneLine(value, "launch.json"); !line) return line;
        std::string document = dumpJson(toJson(run.config), false);
        if (auto line = checkOneLine(document, "config"); !line) return line;
        if (kind == JobFileKind::Dstack && (document + run.folder.path.string()).find("${{") != std::string::npos)
            return fail("bad_value",
                        "dstack replaces \"${{\" in its files; remove it from the config and from paths."_text);
    }
    return {};
}

}  // namespace

Result<void> checkPlainWord(const std::string& word, const std::string& field) {
    if (word.empty() ||
        (word.front() != '-' && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                       "0123456789._-:,") == std::string::npos))
        return {};
    return fail("bad_value", "%1 may have letters, digits and . _ - : , only, and not begin with a hyphen."_text(field),
                field);
}

std::optional<JobFileKind> jobFileKindFrom(std::string_view word) {
    const auto found = std::find(kJobFileWords.begin(), kJobFileWords.end(), word);
    if (found == kJobFileWords.end()) return {};
    return static_cast<JobFileKind>(found - kJobFileWords.begin());
}

Result<std::string> jobFile(JobFileKind kind, const std::vector<JobRun>& runs, const JobFileOptions& options) {
    const auto shape = shapeOf(runs);
    if (!shape) return fail(shape.error());
    if (auto checked = check(kind, runs, options); !checked) return fail(checked.error());
    const JobRun& run = runs.front();
    switch (kind) {
        case JobFileKind::Torchrun: return torchrunFile(run, *shape);
        case JobFileKind::Slurm: return slurmText(runs, *shape, options);
        case JobFileKind::SkyPilot: return skyPilotFile(run, *shape, options);
        case JobFileKind::JobSet: return jobSetFile(run, *shape, options);
        case JobFileKind::Dstack: break;
    }
    return dstackFile(run, *shape, options);
}

}  // namespace slipway
