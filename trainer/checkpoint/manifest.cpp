#include "trainer/checkpoint/manifest.h"

#include "trainer/checkpoint/safetensors.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace slipway::trainer {
namespace {

constexpr std::string_view kPrefix = "step_";

std::int64_t stepOf(const std::filesystem::path& folder) {
    const std::string name = folder.filename().string();
    if (name.rfind(kPrefix, 0) != 0) return -1;
    std::int64_t step = -1;
    const auto [end, error] = std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), step);
    return error == std::errc() && end == name.data() + name.size() ? step : -1;
}

struct Found {
    std::int64_t step;
    std::filesystem::path folder;
};

// Newest first.
std::vector<Found> stepFolders(const std::filesystem::path& checkpoints) {
    std::vector<Found> found;
    std::error_code code;
    for (std::filesystem::directory_iterator it(checkpoints, code), end; !code && it != end; it.increment(code)) {
        if (const std::int64_t step = stepOf(it->path()); step >= 0) found.push_back({step, it->path()});
    }
    std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.step > b.step; });
    return found;
}

std::string hashOf(const Json& manifest) {
    const std::string text = dumpJson(manifest, false);
    ByteHash hash;
    hash.add(text.data(), text.size());
    return hash.hex();
}

}  // namespace

Json toJson(const ManifestFile& file) {
    Json tensors = Json::array();
    for (const ManifestTensor& tensor : file.tensors)
        tensors.push_back(
            Json{{"tensor", tensor.name}, {"state", tensor.state}, {"shard", slipway::toJson(tensor.shard)}});
    return Json{{"rank", file.rank},
                {"file", file.name},
                {"bytes", file.bytes},
                {"hash", file.hash},
                {"tensors", std::move(tensors)}};
}

Result<ManifestFile> manifestFileFromJson(const Json& json, const std::string& where) {
    try {
        ManifestFile file{json.at("rank").get<std::int64_t>(),
                          json.at("file").get<std::string>(),
                          json.at("bytes").get<std::uint64_t>(),
                          json.at("hash").get<std::string>(),
                          {}};
        if (file.name.find('/') != std::string::npos)
            return fail("bad_manifest", "A checkpoint's files lie in its own folder.", where);
        for (const Json& entry : json.at("tensors")) {
            Result<ParamShard> shard = paramShardFromJson(entry.at("shard"), where);
            if (!shard) return fail(shard.error());
            const auto name = entry.at("tensor").get<std::string>();
            file.tensors.push_back({name, std::move(*shard), entry.value("state", name)});
        }
        return file;
    } catch (const nlohmann::json::exception& error) {
        return fail("bad_manifest", std::string("The checkpoint's manifest is malformed: ") + error.what(), where);
    }
}

Json toJson(const Manifest& m) {
    Json files = Json::array();
    for (const ManifestFile& file : m.files) files.push_back(toJson(file));
    Json out{{"schema", m.schema}, {"step", m.step}, {"num_updates", m.numUpdates}, {"data_position", m.dataPosition},
             {"tokens", m.tokens}, {"seed", m.seed}};
    if (!m.loopState.empty()) out["loop_state"] = Json::parse(m.loopState);
    out["config_hash"] = m.configHash;
    out["model"] = Json::parse(m.model);
    out["parallel"] = Json::parse(m.parallel);
    out["precision"] = m.precision;
    if (!m.optimizer.empty()) out["optimizer"] = m.optimizer;
    if (!m.data.empty()) out["data"] = Json::parse(m.data);
    out["files"] = std::move(files);
    out["hash"] = hashOf(out);
    return out;
}

Result<Manifest> readManifest(const std::filesystem::path& folder) {
    const std::filesystem::path path = folder / "manifest.json";
    const Result<Json> json = readJsonFile(path);
    if (!json) return fail(json.error());
    try {
        Manifest m;
        m.schema = json->at("schema").get<std::int64_t>();
        if (m.schema != 1)
            return fail("bad_manifest",
                        "The checkpoint has schema " + std::to_string(m.schema) + "; this version reads 1.",
                        path.string());
        if (json->contains("hash")) {
            Json rest = *json;
            rest.erase("hash");
            if (json->at("hash") != hashOf(rest))
                return fail("bad_manifest", "The checkpoint's manifest was changed: its hash differs.", path.string());
            m.isHashed = true;
        }
        m.step = json->at("step").get<std::int64_t>();
        m.numUpdates = json->at("num_updates").get<std::int64_t>();
        m.dataPosition = json->at("data_position").get<std::int64_t>();
        m.tokens = json->at("tokens").get<std::int64_t>();
        m.seed = json->at("seed").get<std::int64_t>();
        if (json->contains("loop_state")) m.loopState = dumpJson(json->at("loop_state"), false);
        m.configHash = json->at("config_hash").get<std::string>();
        m.model = dumpJson(json->at("model"), false);
        m.parallel = dumpJson(json->at("parallel"), false);
        m.precision = json->at("precision").get<std::string>();
        m.optimizer = json->value("optimizer", "");
        if (json->contains("data")) m.data = dumpJson(json->at("data"), false);
        for (const Json& entry : json->at("files")) {
            Result<ManifestFile> file = manifestFileFromJson(entry, path.string());
            if (!file) return fail(file.error());
            m.files.push_back(std::move(*file));
        }
        return m;
    } catch (const nlohmann::json::exception& error) {
        return fail("bad_manifest", std::string("The checkpoint's manifest is malformed: ") + error.what(),
                    path.string());
    }
}

namespace {

// Whether all files here have the recorded length.
bool isCompleteHere(const std::filesystem::path& folder) {
    const Result<Manifest> manifest = readManifest(folder);
    return manifest && std::ranges::all_of(manifest->files, [&](const ManifestFile& file) {
               std::error_code code;
               const std::uintmax_t bytes = std::filesystem::file_size(folder / file.name, code);
               return code || bytes == file.bytes;
           });
}

}  // namespace

bool isComplete(const std::filesystem::path& folder) {
    const Result<Manifest> manifest = readManifest(folder);
    if (!manifest) return false;
    return std::all_of(manifest->files.begin(), manifest->files.end(), [&](const ManifestFile& file) {
        std::error_code code;
        const std::uintmax_t bytes = std::filesystem::file_size(folder / file.name, code);
        return !code && bytes == file.bytes;
    });
}

std::vector<std::int64_t> completeCheckpoints(const std::filesystem::path& checkpoints) {
    std::vector<std::int64_t> steps;
    for (const Found& found : stepFolders(checkpoints))
        if (isComplete(found.folder)) steps.push_back(found.step);
    return steps;
}

std::vector<std::int64_t> sealedCheckpoints(const std::filesystem::path& checkpoints) {
    std::vector<std::int64_t> steps;
    std::error_code ignored;
    for (const Found& found : stepFolders(checkpoints))
        if (std::filesystem::exists(found.folder / "manifest.json", ignored)) steps.push_back(found.step);
    return steps;
}

void retireCheckpointsAfter(const std::filesystem::path& checkpoints, std::int64_t step) {
    for (const Found& found : stepFolders(checkpoints)) {
        std::error_code ignored;
        if (found.step > step)
            std::filesystem::rename(found.folder / "manifest.json", found.folder / "manifest.retired.json", ignored);
    }
}

void pruneCheckpoints(const std::filesystem::path& checkpoints, std::int64_t keep, std::int64_t keepEverySteps) {
    std::int64_t complete = 0;
    for (const Found& found : stepFolders(checkpoints)) {
        const bool whole = isCompleteHere(found.folder);
        if (whole && ++complete <= std::max<std::int64_t>(keep, 1)) continue;
        if (whole && keepEverySteps > 0 && found.step % keepEverySteps == 0) continue;
        if (!whole && complete == 0) continue;  // possibly still being written
        // The manifest is removed first: a half-removed checkpoint must not look complete.
        std::error_code ignored;
        std::filesystem::remove(found.folder / "manifest.json", ignored);
        std::filesystem::remove_all(found.folder, ignored);
    }
}

void pruneCheckpointParts(const std::filesystem::path& checkpoints, std::int64_t keep, std::int64_t keepEverySteps) {
    std::int64_t newer = 0;
    for (const Found& found : stepFolders(checkpoints)) {
        if (++newer <= std::max<std::int64_t>(keep, 1)) continue;
        if (keepEverySteps > 0 && found.step % keepEverySteps == 0) continue;
        std::error_code ignored;
        std::filesystem::remove_all(found.folder, ignored);
    }
}

}  // namespace slipway::trainer
