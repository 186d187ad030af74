#include "core/launch/checkpoint_files.h"

#include "core/base/ids.h"
#include "core/base/own_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <functional>
#include <system_error>

namespace slipway {
namespace fs = std::filesystem;
namespace {

std::vector<std::int64_t> stepsWithManifest(const RunDir& folder) {
    std::vector<std::int64_t> steps;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folder.checkpoints(), code))
        if (const auto step = checkpointStep(entry.path().filename().string()))
            if (fs::exists(entry.path() / kCheckpointManifest, code)) steps.push_back(*step);
    std::sort(steps.begin(), steps.end(), std::greater<>());
    return steps;
}

bool isWhole(const fs::path& folder) {
    const auto files = checkpointFiles(folder);
    return files && std::ranges::all_of(*files, [&](const CheckpointFile& file) {
               std::error_code code;
               return fs::file_size(folder / file.name, code) == file.bytes && !code;
           });
}

}  // namespace

Result<std::vector<CheckpointFile>> checkpointFiles(const fs::path& folder) {
    const fs::path path = folder / kCheckpointManifest;
    const auto json = readOwnJson(path);
    if (!json) return fail(json.error());
    std::vector<CheckpointFile> files;
    const auto bad = [&] {
        return fail("bad_manifest", "The manifest of the checkpoint does not name its files."_text, path.string());
    };
    if (!json->is_object() || !json->contains("files") || !(*json)["files"].is_array()) return bad();
    for (const Json& entry : (*json)["files"]) {
        try {
            files.push_back({entry.at("file").get<std::string>(), entry.at("bytes").get<std::uint64_t>(),
                             entry.at("rank").get<std::int64_t>()});
        } catch (const nlohmann::json::exception&) {
            return bad();
        }
        if (!isSafeId(files.back().name) || files.back().name == kCheckpointManifest) return bad();
    }
    return files;
}

std::optional<std::int64_t> checkpointStep(const std::string& name) {
    constexpr std::string_view kPrefix = "step_";
    std::int64_t step = 0;
    if (!name.starts_with(kPrefix)) return {};
    const auto [end, error] = std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), step);
    if (error != std::errc{} || end != name.data() + name.size() || step < 0) return {};
    return step;
}

std::optional<std::int64_t> newestCheckpoint(const RunDir& folder) {
    const auto steps = stepsWithManifest(folder);
    return steps.empty() ? std::nullopt : std::optional(steps.front());
}

std::optional<std::int64_t> newestWholeCheckpoint(const RunDir& folder) {
    for (const std::int64_t step : stepsWithManifest(folder))
        if (isWhole(folder.checkpoint(step))) return step;
    return {};
}

}  // namespace slipway
