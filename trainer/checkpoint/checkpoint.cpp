#include "trainer/checkpoint/checkpoint.h"

#include "core/base/file.h"
#include "trainer/checkpoint/safetensors.h"
#include "trainer/comm/gather_text.h"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace slipway::trainer {
namespace {

std::string fileName(std::int64_t rank) {
    char text[40];
    std::snprintf(text, sizeof text, "rank_%05lld.safetensors", static_cast<long long>(rank));
    return text;
}

// The rank whose file this rank reads: itself, or its first replica.
std::int64_t writerOf(const CheckpointContext& c) {
    if (c.zeroSharded) return c.mesh.worldRank;
    Coordinates at = c.mesh.at;
    at.dp = 0;
    at.cp = 0;
    return c.mesh.layout.rankOf(at);
}

// The sections of the config that shape the tensors, as compact text.
std::string modelText(const RunConfig& config) {
    return dumpJson(slipway::toJson(config.model), false);
}
std::string parallelText(const RunConfig& config) {
    return dumpJson(slipway::toJson(config).at("parallel"), false);
}

// Text for gatherTexts: what this rank wrote, or its error.
std::string report(const Result<ManifestFile>& written) {
    if (written) return dumpJson(toJson(*written), false);
    return dumpJson(
        Json{{"code", written.error().code}, {"message", written.error().message}, {"where", written.error().where}},
        false);
}

// The first error among the ranks' reports; files otherwise (ranks that write nothing report an empty text).
Result<std::vector<ManifestFile>> readReports(const std::vector<std::string>& reports) {
    std::vector<ManifestFile> files;
    for (std::size_t rank = 0; rank < reports.size(); ++rank) {
        if (reports[rank].empty()) continue;
        const Result<Json> json = parseJson(reports[rank], "report of rank " + std::to_string(rank));
        if (!json) return fail(json.error());
        if (json->contains("code"))
            return fail(json->at("code").get<std::string>(), json->at("message").get<std::string>(),
                        json->at("where").get<std::string>());
        Result<ManifestFile> file = manifestFileFromJson(*json, "report of rank " + std::to_string(rank));
        if (!file) return fail(file.error());
        files.push_back(std::move(*file));
    }
    return files;
}

Result<ManifestFile> writeShard(const CheckpointContext& c, const std::filesystem::path& folder,
                                const CheckpointMark& mark, const std::vector<StateTensor>& state) {
    if (auto made = makeFolders(folder); !made) return fail(made.error());
    ManifestFile file{c.mesh.worldRank, fileName(c.mesh.worldRank), 0, {}, {}};
    std::vector<NamedTensor> tensors;
    for (const StateTensor& entry : state) {
        tensors.push_back({entry.name, entry.tensor});
        file.tensors.push_back({entry.name, entry.shard});
    }
    const Result<WrittenFile> written =
        writeSafetensors(folder / file.name, tensors, {{"format", "pt"}, {"step", std::to_string(mark.step)}});
    if (!written) return fail(written.error());
    file.bytes = written->bytes;
    file.hash = written->hash;
    return file;
}

Result<void> writeManifest(const CheckpointContext& c, const std::filesystem::path& folder, const CheckpointMark& mark,
                           std::vector<ManifestFile> files) {
    Manifest manifest;
    manifest.step = mark.step;
    manifest.numUpdates = mark.numUpdates;
    manifest.dataPosition = mark.dataPosition;
    manifest.tokens = mark.tokens;
    manifest.seed = c.config.train.seed;
    manifest.configHash = configHash(c.config);
    manifest.model = modelText(c.config);
    manifest.parallel = parallelText(c.config);
    manifest.precision = std::string(wordOf(c.config.train.precision));
    manifest.files = std::move(files);
    return writeJsonFile(folder / "manifest.json", toJson(manifest));
}

// Lets all ranks return what rank 0 (or the first rank that failed) found.
Result<void> agree(const CheckpointContext& c, const Result<void>& mine) {
    std::string text;
    if (!mine)
        text = dumpJson(
            Json{{"code", mine.error().code}, {"message", mine.error().message}, {"where", mine.error().where}}, false);
    const auto all = readReports(gatherTexts(*c.mesh.world, text, c.device));
    if (!all) return fail(all.error());
    return {};
}

Result<void> checkMatches(const CheckpointContext& c, const Manifest& m, const std::filesystem::path& folder) {
    const auto mismatch = [&](const std::string& what) {
        return fail("resume_mismatch",
                    "The checkpoint was written with another " + what + "; resume with the config it was written with.",
                    folder.string());
    };
    if (m.model != modelText(c.config)) return mismatch("model");
    if (m.parallel != parallelText(c.config)) return mismatch("parallel layout");
    if (m.precision != wordOf(c.config.train.precision)) return mismatch("precision");
    return {};
}

Result<void> readShard(const CheckpointContext& c, const std::filesystem::path& folder, const Manifest& manifest,
                       std::vector<StateTensor>& state) {
    const std::int64_t writer = writerOf(c);
    for (const ManifestFile& entry : manifest.files) {
        if (entry.rank != writer) continue;
        const Result<SafetensorsFile> file = SafetensorsFile::open(folder / entry.name);
        if (!file) return fail("checkpoint_damaged", file.error().message, file.error().where);
        if (file->bytes() != entry.bytes || file->hash() != entry.hash) {
            return fail("checkpoint_damaged", "The file is not what the manifest says: its length or hash differs.",
                        (folder / entry.name).string());
        }
        for (StateTensor& tensor : state) {
            if (auto read = file->read(tensor.name, tensor.tensor); !read) return read;
        }
        return {};
    }
    return fail("checkpoint_damaged", "The checkpoint has no file of rank " + std::to_string(writer) + ".",
                folder.string());
}

Result<CheckpointMark> readFolder(const CheckpointContext& c, const std::filesystem::path& folder,
                                  std::vector<StateTensor>& state) {
    Result<Manifest> manifest = readManifest(folder);
    Result<void> mine;
    if (!manifest)
        mine = fail("checkpoint_damaged", manifest.error().message, manifest.error().where);
    else if (mine = checkMatches(c, *manifest, folder); mine)
        mine = readShard(c, folder, *manifest, state);
    if (auto all = agree(c, mine); !all) return fail(all.error());
    return CheckpointMark{manifest->step, manifest->numUpdates, manifest->dataPosition, manifest->tokens};
}

}  // namespace

Result<void> saveCheckpoint(const CheckpointContext& c, const CheckpointMark& mark,
                            const std::vector<StateTensor>& state) {
    const std::filesystem::path folder = c.dir.checkpoint(mark.step);
    std::string text;
    if (writerOf(c) == c.mesh.worldRank) text = report(writeShard(c, folder, mark, state));
    Result<std::vector<ManifestFile>> files = readReports(gatherTexts(*c.mesh.world, text, c.device));

    Result<void> done;
    if (!files) done = fail(files.error());
    if (c.mesh.worldRank == 0 && files) {
        done = writeManifest(c, folder, mark, std::move(*files));
        if (done) {
            retireCheckpointsAfter(c.dir.checkpoints(), mark.step);
            pruneCheckpoints(c.dir.checkpoints(), c.config.checkpoint.keep);
        }
    }
    if (c.mesh.worldRank == 0 && !done) {
        std::error_code ignored;
        std::filesystem::remove_all(folder, ignored);
    }
    return agree(c, done);
}

Result<LoadedCheckpoint> loadCheckpoint(const CheckpointContext& c, const std::string& which,
                                        std::vector<StateTensor>& state) {
    LoadedCheckpoint loaded;
    if (which != "latest") {
        const Result<CheckpointMark> mark = readFolder(c, which, state);
        if (!mark) return fail(mark.error());
        loaded.mark = *mark;
        return loaded;
    }
    // Rank 0 looks, so that all ranks see the same list.
    std::string text;
    if (c.mesh.worldRank == 0) {
        for (const std::int64_t step : completeCheckpoints(c.dir.checkpoints())) text += std::to_string(step) + " ";
    }
    const std::string steps = gatherTexts(*c.mesh.world, text, c.device).front();
    std::optional<Error> last;
    for (std::size_t at = 0; at < steps.size(); at = steps.find(' ', at) + 1) {
        const std::int64_t step = std::stoll(steps.substr(at));
        const Result<CheckpointMark> mark = readFolder(c, c.dir.checkpoint(step), state);
        if (mark) {
            loaded.mark = *mark;
            return loaded;
        }
        if (mark.error().code != "checkpoint_damaged") return fail(mark.error());
        loaded.damaged.push_back(mark.error().text());
        last = mark.error();
    }
    if (last) return fail(*last);
    return loaded;
}

}  // namespace slipway::trainer
