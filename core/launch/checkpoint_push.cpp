#include "core/launch/checkpoint_push.h"

#include "core/base/ids.h"
#include "core/launch/checkpoint_files.h"

#include <nlohmann/json.hpp>

#include <system_error>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr double kHashSeconds = 900;  // the node reads all of a large file

}  // namespace

void addCheckpointPush(Errands& errands, const RunDir& folder, std::int64_t step, const std::string& remoteHome,
                       const std::string& run) {
    const fs::path here = folder.checkpoint(step);
    const auto files = checkpointFiles(here);
    if (!files) return;
    const auto missing = std::make_shared<std::vector<FilePush>>();
    const auto addLook = [&](const std::string& name, bool isLast) {
        const auto hash = std::make_shared<FileHash>(here / name);
        const std::string path = (here / name).lexically_relative(folder.path).string();
        Errand look;
        look.patience = kHashSeconds;
        look.make = [=]() -> Result<std::optional<Errand::Ask>> {
            const auto known = hash->poll();
            if (!known) return fail(known.error());
            if (!*known) return std::optional<Errand::Ask>();
            return Errand::Ask{
                std::make_shared<const Json>(Json{{"do", "hash"}, {"home", remoteHome}, {"run", run}, {"path", path}}),
                ""};
        };
        look.take = [=, &errands](const Frame& frame, const Error* error) -> Result<bool> {
            const bool isThere =
                error == nullptr && frame.header->contains("sha256") && (*frame.header)["sha256"] == hash->sha256();
            if (!isThere) missing->push_back({hash, remoteHome, "runs/" + run + "/" + path, false, {}, true});
            if (isLast)
                for (FilePush& push : *missing) addFilePush(errands, std::move(push));
            return true;
        };
        errands.add(std::move(look));
    };
    for (const CheckpointFile& file : *files) addLook(file.name, false);
    addLook(kCheckpointManifest, true);
}

Result<std::string> addStartPush(Errands& errands, const std::string& startFrom, const std::string& remoteHome,
                                 const std::string& run) {
    std::error_code code;
    fs::path folder = startFrom;
    if (startFrom.empty() || !fs::is_directory(folder, code)) return std::string();
    if (fs::is_directory(RunDir{folder}.checkpoints(), code)) {
        const auto step = newestWholeCheckpoint(RunDir{folder});
        if (!step)
            return fail("checkpoint_missing", "The run folder has no complete checkpoint to start from."_text,
                        startFrom);
        folder = RunDir{folder}.checkpoint(*step);
    }
    const std::string there = "runs/" + run + "/start_from";
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder, code))
        if (entry.is_regular_file() && isSafeId(entry.path().filename().string())) files.push_back(entry.path());
    if (files.empty()) return fail("checkpoint_missing", "The folder has no files to start from."_text, startFrom);
    for (const fs::path& file : files)
        addFilePush(errands, {std::make_shared<FileHash>(file), remoteHome, there + "/" + file.filename().string()});
    return there;
}

}  // namespace slipway
