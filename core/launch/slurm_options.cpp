#include "core/launch/slurm_options.h"

#include "core/base/json_fields.h"
#include "core/base/own_file.h"
#include "core/base/quoted.h"
#include "core/launch/job_files.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr const char* kOptionsFile = "slurm.json";

}  // namespace

Result<void> checkSlurmOptions(const SlurmOptions& options) {
    // They determine a job's identity, how it is found, and its command.
    constexpr std::array<std::string_view, 14> kOwn = {
        "--job-name", "--comment", "--array",  "--parsable", "--wrap",       "--output", "--error",
        "--nodes",    "--ntasks",  "--signal", "--requeue",  "--no-requeue", "--wait",   "--test-only"};
    for (const auto& [word, field] : {std::pair(&options.queue, "--queue"), std::pair(&options.account, "--account"),
                                      std::pair(&options.timeLimit, "--time-limit")})
        if (auto plain = checkPlainWord(*word, field); !plain) return plain;
    for (const std::string& option : options.sbatch) {
        if (auto line = checkOneLine(option, "--sbatch"); !line) return line;
        if (!option.starts_with("--") || option.size() < 4)
            return fail("bad_value", "--sbatch takes one long option of sbatch, for example --sbatch=--qos=high."_text,
                        option);
        const std::string_view name = std::string_view(option).substr(0, option.find('='));
        // sbatch accepts unambiguous prefixes of its options.
        if (std::any_of(kOwn.begin(), kOwn.end(), [&](std::string_view own) { return own.starts_with(name); }))
            return fail("bad_value", "Slipway sets %1 itself; leave it out."_text(std::string(name)), "--sbatch");
    }
    if (options.devicesPerNode < 1)
        return fail("bad_value", "A node has at least one device."_text, "--devices-per-node");
    return {};
}

std::pair<std::string, std::string> slurmDocument(const SlurmOptions& options) {
    return {kOptionsFile, dumpJson(fields::toJson(options), true)};
}

Result<std::optional<SlurmOptions>> readSlurmOptions(const RunDir& folder) {
    const fs::path path = folder.path / kOptionsFile;
    const auto json = readOwnJson(path);
    if (!json && json.error().code == "file_missing") return std::optional<SlurmOptions>();
    if (!json) return fail(json.error());
    Issues issues;
    auto options = fields::fromJson<SlurmOptions>(*json, issues);
    std::erase_if(issues, [](const Issue& issue) { return issue.code == "unknown_key"; });
    if (hasErrors(issues)) return fail("bad_value", issues, path.string());
    if (auto good = checkSlurmOptions(options); !good) return fail(good.error());
    return std::optional<SlurmOptions>(std::move(options));
}

}  // namespace slipway
