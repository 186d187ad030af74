// launch --write: a file for another scheduler instead of a start.
#pragma once

#include "app/cli/command.h"
#include "core/launch/job_files.h"
#include "core/spec/run_config.h"

#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// The options of launch that only apply to --write.
struct JobFileArguments {
    std::optional<std::string> kind;
    std::string output, trainer;
    std::int64_t devicesPerNode = 8;
    JobFileOptions options;

    void declare(Arguments& arguments);
};

/// Writes the file of these configs (several: a Slurm array) to --output or to the command's output.
Result<int> writeJobFile(CliContext& context, const std::vector<RunConfig>& configs, const JobFileArguments& arguments);

}  // namespace slipway
