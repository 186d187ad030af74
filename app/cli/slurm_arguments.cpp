#include "app/cli/slurm_arguments.h"

#include "core/remote/node_record.h"

namespace slipway {

void SlurmArguments::declare(Arguments& arguments, SourceText help) {
    arguments.flag("--slurm", slurm, help);
    arguments.option("--login", options.login, "With --slurm: node (slipway nodes) where sbatch is; default: here"_text)
        .shownAs("NODE");
    arguments
        .option(
            "--save-before", options.warningSeconds,
            "With --slurm: seconds before the time limit at which a checkpoint is saved and the job is queued again"_text)
        .positive();
    arguments
        .option("--sbatch", options.sbatch, "With --slurm: further option of sbatch (--qos=high); may be repeated"_text)
        .shownAs("OPTION")
        .oneEach();
}

void SlurmArguments::declarePlace(Arguments& arguments) {
    arguments.option("--queue", options.queue, "With --slurm: partition"_text).shownAs("NAME");
    arguments.option("--account", options.account, "With --slurm: account"_text).shownAs("NAME");
    arguments
        .option("--time-limit", options.timeLimit,
                "With --slurm: time limit of each job (8:00:00); a trial continues in the next job"_text)
        .shownAs("TIME");
    arguments.option("--devices-per-node", options.devicesPerNode, "With --slurm: maximum ranks per node"_text)
        .positive();
}

std::string SlurmArguments::unused() const {
    if (slurm) return {};
    if (!options.login.empty()) return "--login";
    if (!options.sbatch.empty()) return "--sbatch";
    if (!options.queue.empty()) return "--queue";
    if (!options.account.empty()) return "--account";
    return options.timeLimit.empty() ? "" : "--time-limit";
}

Result<std::optional<SlurmOptions>> SlurmArguments::chosen(const Home& home) const {
    if (!slurm) return std::optional<SlurmOptions>();
    if (const auto good = checkSlurmOptions(options); !good) return fail(good.error());
    if (!options.login.empty())
        if (const auto node = findNode(home, options.login); !node) return fail(node.error());
    return std::optional(options);
}

}  // namespace slipway
