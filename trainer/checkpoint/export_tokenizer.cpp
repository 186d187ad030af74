#include "trainer/checkpoint/export_tokenizer.h"

#include "core/base/file.h"
#include "core/spec/run_dir.h"
#include "core/spec/token_file.h"
#include "trainer/checkpoint/huggingface_weights.h"

#include <nlohmann/json.hpp>

#include <cstdlib>

namespace slipway::trainer {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSeparator =
    1;  ///< of core/corpus/tokenizer.h: "</s>" between documents; its models have no begin token
constexpr const char* kSpecialIds[] = {"bos_token_id", "eos_token_id", "pad_token_id"};

bool isThere(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

/// The section of a JSON object, or an empty one.
Json objectIn(const fs::path& path) {
    const Result<Json> read = readJsonFile(path);
    return read && read->is_object() ? *read : Json::object();
}

ExportTokenizer ofFolder(const fs::path& folder) {
    ExportTokenizer found;
    for (const char* name :
         {"tokenizer.json", "tokenizer.model", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
          "vocab.json", "merges.txt", "chat_template.jinja", "generation_config.json"})
        if (isThere(folder / name)) found.files.push_back(folder / name);
    const Json config = objectIn(folder / "config.json");
    Json ids = Json::object();
    for (const char* key : kSpecialIds)
        if (config.contains(key)) ids[key] = config.at(key);
    found.specialIds = dumpJson(ids, false);
    const bool any =
        isThere(folder / "tokenizer.json") || isThere(folder / "tokenizer.model") || isThere(folder / "vocab.json");
    if (!any) found.note = "The folder that the run started from, " + folder.string() + ", has no tokenizer.";
    return found;
}

/// Same rule as the trainer (trainer/loop/train.cpp).
Home homeOf(const fs::path& run) {
    const fs::path folder = fs::absolute(run).lexically_normal();
    return folder.parent_path().filename() == "runs" ? Home{folder.parent_path().parent_path()} : Home::resolve();
}

ExportTokenizer besideTokens(const fs::path& run, const Json& data) {
    ExportTokenizer found;
    found.isSentencepiece = true;
    const auto endAt = [](const Json& id) {
        return dumpJson(Json{{"bos_token_id", nullptr}, {"eos_token_id", id}}, false);
    };
    const Json end = data.value("document_end_id", Json());
    found.specialIds = endAt(end);
    const std::string tokens = data.value("tokens", "");
    if (tokens.empty()) {
        found.note = "The checkpoint does not name its token file.";
        return found;
    }
    const fs::path file = homeOf(run).tokenFile(tokens);
    const fs::path model = fs::path(file).replace_extension(".model");
    const auto opened = TokenFile::open(file);
    const Json trained = data.value("token_file", Json::object());
    const std::string hash = trained.value("tokenizer_sha256", "");
    if (!opened)
        found.note = "The token file cannot be read: " + opened.error().text();
    else if (!hash.empty() && opened->header().tokenizerHash != hash)
        found.note = file.string() + " was made with another tokenizer than the one that the run was trained with.";
    else if (hash.empty() || !isThere(model))
        found.note = "There is no tokenizer beside " + file.string() + ".";
    if (!found.note.empty()) return found;
    found.files = {model};
    if (end.is_null()) found.specialIds = endAt(kSeparator);
    return found;
}

}  // namespace

ExportTokenizer findTokenizer(const fs::path& checkpoint, const Manifest& manifest) {
    const fs::path run = fs::absolute(checkpoint).lexically_normal().parent_path().parent_path();
    const Json config = objectIn(RunDir{run}.config());
    const std::string from = config.value("checkpoint", Json::object()).value("start_from", "");
    if (!from.empty() && looksLikeHuggingFaceWeights(from)) return ofFolder(from);
    const Result<Json> data = parseJson(manifest.data.empty() ? "{}" : manifest.data, "manifest");
    return besideTokens(run, data && data->is_object() ? *data : Json::object());
}

Result<std::vector<std::string>> writeTokenizer(const ExportTokenizer& tokenizer, const fs::path& folder) {
    std::vector<std::string> written;
    for (const fs::path& file : tokenizer.files) {
        const std::string name = tokenizer.isSentencepiece ? "tokenizer.model" : file.filename().string();
        const Result<std::string> bytes = readFile(file);
        if (!bytes) return fail(bytes.error());
        if (auto done = writeFileAtomically(folder / name, *bytes); !done) return fail(done.error());
        written.push_back(name);
    }
    const auto write = [&](const std::string& name, const Json& json) -> Result<void> {
        written.push_back(name);
        return writeJsonFile(folder / name, json);
    };
    // No normalization, and no space is prepended (core/corpus/tokenizer.cpp).
    if (tokenizer.isSentencepiece && !tokenizer.files.empty())
        if (auto done = write("tokenizer_config.json", Json{{"tokenizer_class", "LlamaTokenizer"},
                                                            {"add_bos_token", false},
                                                            {"add_eos_token", false},
                                                            {"add_prefix_space", false},
                                                            {"legacy", false},
                                                            {"clean_up_tokenization_spaces", false},
                                                            {"unk_token", "<unk>"},
                                                            {"bos_token", nullptr},
                                                            {"eos_token", "</s>"}});
            !done)
            return fail(done.error());
    bool carried = false;
    for (const std::string& name : written) carried = carried || name == "generation_config.json";
    const Json ids = *parseJson(tokenizer.specialIds, "special ids");
    if (!carried && !ids.empty())
        if (auto done = write("generation_config.json", ids); !done) return fail(done.error());
    return written;
}

}  // namespace slipway::trainer
