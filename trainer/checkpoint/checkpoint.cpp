#include "trainer/checkpoint/checkpoint.h"

#include "trainer/checkpoint/agreement.h"
#include "trainer/checkpoint/checkpoint_reader.h"
#include "trainer/checkpoint/checkpoint_writer.h"
#include "trainer/comm/gather_text.h"

#include <nlohmann/json.hpp>

#include <sstream>

namespace slipway::trainer {
namespace {

constexpr const char *kTokenFile = "token_file", *kDocumentEnd = "document_end_id", *kIgnored = "ignore_token_id";

// Keys of two objects with different values: "num_layers, rope_theta".
std::string differences(const Json& a, const Json& b) {
    std::string keys;
    const auto add = [&](const std::string& key) { keys += (keys.empty() ? "" : ", ") + key; };
    for (const auto& [key, value] : a.items())
        if (!b.contains(key) || b.at(key) != value) add(key);
    for (const auto& [key, value] : b.items())
        if (!a.contains(key)) add(key);
    return keys;
}

// Checks the settings that must be equal in any layout.
Result<void> checkMatches(const CheckpointContext& c, const Manifest& m, const std::string& folder) {
    const RunConfig& config = c.config;
    const auto mismatch = [&](const std::string& what) {
        return fail("resume_mismatch",
                    "The checkpoint was written with another " + what +
                        "; use the same, or start from exported weights (slipway-trainer export).",
                    folder);
    };
    const std::string model = dumpJson(slipway::toJson(config.model), false);
    if (m.model != model) return mismatch("model (" + differences(Json::parse(m.model), Json::parse(model)) + ")");
    if (const std::string kind(wordOf(config.optimizer.kind)); !m.optimizer.empty() && m.optimizer != kind)
        return mismatch("optimizer (" + m.optimizer + ", here " + kind + ")");
    if (m.seed != config.train.seed) return mismatch("train.seed, which orders the data");
    if (m.data.empty()) return {};
    // Checkpoints of older versions do not record the contents of the file or the meaning of its tokens.
    Json theirs = Json::parse(m.data), ours = Json::parse(dataText(c));
    // A node names the file by the hash of its content; its header is the same everywhere.
    if (theirs.contains(kTokenFile) && ours.contains(kTokenFile)) {
        theirs.erase("tokens");
        ours.erase("tokens");
    }
    for (const char* key : {kTokenFile, kDocumentEnd, kIgnored}) {
        if (!theirs.contains(key)) ours.erase(key);
        if (!ours.contains(key)) theirs.erase(key);
    }
    if (theirs != ours)
        return mismatch("data section (" + differences(theirs, ours) +
                        "): its position in the data means nothing here");
    return {};
}

Result<Manifest> readFolder(const CheckpointContext& c, const std::string& folder, std::vector<StateTensor>& state) {
    const auto share = [&](const Result<void>& mine) { return agree(*c.mesh.world, c.device, mine); };
    const Result<CheckpointReader> reader = CheckpointReader::open(folder);
    Result<void> mine;
    if (!reader)
        mine = fail(reader.error());
    else if (mine = checkMatches(c, reader->manifest(), folder); mine)
        mine =
            reader->check(static_cast<std::size_t>(c.mesh.worldRank), static_cast<std::size_t>(c.mesh.world->size()));
    // No rank reads before every file has been verified.
    if (auto all = share(mine); !all) return fail(all.error());
    for (StateTensor& entry : state) {
        mine = reader->fill(entry);
        if (!mine) break;
    }
    if (auto all = share(mine); !all) return fail(all.error());
    return reader->manifest();
}

// The folder in which this rank looks: nodes have their own homes.
std::filesystem::path baseOf(const CheckpointContext& c, const std::string& which) {
    return which == "latest" ? c.dir.path : std::filesystem::path(which);
}

// Folders to try below baseOf(), newest first, one a line. Rank 0 lists them, so that all ranks see the same list.
std::string candidates(const CheckpointContext& c, const std::string& which, std::int64_t newest) {
    std::error_code ignored;
    if (which != "latest" && std::filesystem::exists(std::filesystem::path(which) / "manifest.json", ignored))
        return ".\n";
    const RunDir dir{baseOf(c, which)};
    std::string folders;
    for (const std::int64_t step : sealedCheckpoints(dir.checkpoints()))
        if (which != "latest" || step <= newest)
            folders += dir.checkpoint(step).lexically_relative(dir.path).string() + "\n";
    return folders;
}

}  // namespace

bool isCheckpointDue(const CheckpointSpec& spec, std::int64_t step, std::int64_t numSteps, bool isStopAsked) {
    const bool isLast = step == numSteps;
    return (spec.everySteps > 0 && (step % spec.everySteps == 0 || isLast)) || (isStopAsked && !isLast);
}

std::string dataText(const CheckpointContext& context) {
    const RunConfig& config = context.config;
    const auto tokenOrNull = [](const std::optional<std::int64_t>& id) { return id ? Json(*id) : Json(nullptr); };
    Json json{{"tokens", config.data.tokens}, {"seq_len", config.train.seqLen}};
    // Document ends and counted targets: the same tokens with other settings are different training data.
    json[kDocumentEnd] = tokenOrNull(config.data.documentEndId);
    json[kIgnored] = tokenOrNull(config.data.ignoreTokenId);
    // Held-out tokens are not drawn: the rest has a different order.
    if (config.train.eval.everySteps > 0) json["held_out_tokens"] = config.train.eval.tokens;
    // A file of the same name with different contents also has a different order.
    if (const TokenFileHeader* file = context.tokenFile)
        json[kTokenFile] = Json{{"num_tokens", file->numTokens},
                                {"vocab_size", file->vocabSize},
                                {"tokenizer_sha256", file->tokenizerHash},
                                {"unigram_entropy", file->unigramEntropy}};
    return dumpJson(json, false);
}

Result<void> saveCheckpoint(const CheckpointContext& c, const CheckpointMark& mark,
                            const std::vector<StateTensor>& state) {
    CheckpointWriter writer(c);
    if (auto begun = writer.begin(mark, state); !begun) return begun;
    if (const auto finished = writer.finish(); !finished) return fail(finished.error());
    return {};
}

Result<LoadedCheckpoint> loadCheckpoint(const CheckpointContext& c, const std::string& which,
                                        std::vector<StateTensor>& state, std::int64_t newest) {
    LoadedCheckpoint loaded;
    const std::string mine = c.mesh.worldRank == 0 ? candidates(c, which, newest) : std::string();
    std::istringstream folders(gatherTexts(*c.mesh.world, mine, c.device).front());
    std::optional<Error> last;
    for (std::string name; std::getline(folders, name);) {
        const std::filesystem::path base = baseOf(c, which);
        const std::string folder = (name == "." ? base : base / name).string();
        const Result<Manifest> m = readFolder(c, folder, state);
        if (m) {
            loaded.mark = CheckpointMark{m->step, m->numUpdates, m->dataPosition, m->tokens, m->loopState};
            loaded.from = folder;
            loaded.isUnverified = !m->isHashed;
            return loaded;
        }
        if (m.error().code != "checkpoint_damaged") return fail(m.error());
        loaded.damaged.push_back(m.error().text());
        last = m.error();
    }
    if (last) return fail(*last);
    if (which != "latest") return fail("checkpoint_missing", "There is no whole checkpoint in this folder.", which);
    return loaded;
}

}  // namespace slipway::trainer
