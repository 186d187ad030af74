// Options of launch and sweep for runs as Slurm jobs.
#pragma once

#include "app/cli/arguments.h"
#include "core/launch/slurm_options.h"
#include "core/spec/run_dir.h"

#include <optional>

namespace slipway {

struct SlurmArguments {
    bool slurm = false;
    SlurmOptions options;

    /// --slurm with `help`, and --login, --save-before and --sbatch.
    void declare(Arguments& arguments, SourceText help);
    /// --queue, --account, --time-limit and --devices-per-node, for commands that do not use them otherwise.
    void declarePlace(Arguments& arguments);
    /// The first given option that requires --slurm; empty: none.
    [[nodiscard]] std::string unused() const;
    /// Empty without --slurm. Errors of checkSlurmOptions(), "unknown_node" for a login node.
    [[nodiscard]] Result<std::optional<SlurmOptions>> chosen(const Home& home) const;
};

}  // namespace slipway
