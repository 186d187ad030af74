#include "core/run/run_files.h"

#include "core/base/file.h"
#include "core/base/own_file.h"
#include "core/spec/stored_config.h"

#include <nlohmann/json.hpp>

#include <system_error>

namespace slipway {
namespace fs = std::filesystem;

Result<RunFiles> readRunFiles(const RunDir& folder) {
    const auto json = readOwnJson(folder.config());
    if (!json) return fail(json.error());
    auto stored = readStoredConfig(*json, folder.config().string());
    if (!stored) return fail(stored.error());
    RunFiles files;
    files.isLengthKnown = stored->knows("train.num_steps");
    for (const char* field : {"model.num_layers", "model.hidden_size", "model.ffn_hidden_size", "model.vocab_size",
                              "train.seq_len", "parallel.dp"})
        files.isShapeKnown = files.isShapeKnown && stored->knows(field);
    files.config = std::move(stored->acting);
    if (const auto plan = readOwnJson(folder.plan()); plan && plan->is_object() && plan->contains("cluster")) {
        Issues issues;
        const ClusterSpec cluster = clusterFromJson((*plan)["cluster"], issues);
        if (!hasErrors(issues)) files.cluster = cluster;
    }
    if (const auto text = readOwnFile(folder.launch())) {
        auto plan = parseLaunchPlan(*text, folder.launch().string());
        if (!plan) return fail(plan.error());
        files.plan = std::move(*plan);
    }
    return files;
}

Result<void> writeLaunchFile(const RunDir& folder, const LaunchPlan& plan) {
    std::error_code code;
    fs::remove(folder.stopFile(), code);
    fs::remove(folder.killFile(), code);
    return writeJsonFile(folder.launch(), toJson(plan));
}

}  // namespace slipway
