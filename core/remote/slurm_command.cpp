#include "core/remote/slurm_command.h"

#include "core/process/program_path.h"

#include <algorithm>
#include <array>
#include <string_view>

extern char** environ;

namespace slipway {
namespace fs = std::filesystem;

Result<ProcessSpec> slurmCommand(const std::vector<std::string>& arguments) {
    constexpr std::array<std::string_view, 4> kPrograms = {"sbatch", "squeue", "sacct", "scancel"};
    if (arguments.empty() || std::find(kPrograms.begin(), kPrograms.end(), arguments.front()) == kPrograms.end())
        return fail("bad_value", "This is not one of Slurm's programs that Slipway runs."_text, "slurm");
    constexpr std::array<std::string_view, 5> kDefaults = {"SBATCH_", "SQUEUE_", "SACCT_", "SCANCEL_", "SLURM_"};
    constexpr std::array<std::string_view, 4> kOfTheCluster = {
        "SLURM_CONF=", "SLURM_CLUSTERS=", "SLURM_JWT=", "SLURM_CONF_SERVER="};
    const fs::path program = programInPath(arguments.front());
    if (program.empty())
        return fail(
            "slurm_missing",
            "%1 was not found in PATH; start slipway on a computer that has Slurm, or name a login node with --login."_text(
                arguments.front()));
    ProcessSpec spec;
    spec.arguments = arguments;
    spec.arguments.front() = program.string();
    spec.environment.emplace();
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        const auto begins = [&](std::string_view prefix) { return text.starts_with(prefix); };
        if (std::none_of(kDefaults.begin(), kDefaults.end(), begins) ||
            std::any_of(kOfTheCluster.begin(), kOfTheCluster.end(), begins))
            spec.environment->push_back(text);
    }
    spec.environment->emplace_back("SLURM_BITSTR_LEN=0");  // lists of an array's elements are not cut off
    spec.captureOutput = true;
    spec.newSession = true;
    return spec;
}

}  // namespace slipway
