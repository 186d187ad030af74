#include "trainer/checkpoint/huggingface_weights.h"

#include "core/base/file.h"
#include "core/spec/huggingface_document.h"
#include "trainer/checkpoint/agreement.h"
#include "trainer/checkpoint/checkpoint_reader.h"
#include "trainer/checkpoint/shard_runs.h"
#include "trainer/comm/gather_text.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <map>
#include <set>
#include <sstream>

namespace slipway::trainer {
namespace {

constexpr const char* kSingleFile = "model.safetensors";
constexpr const char* kIndexFile = "model.safetensors.index.json";

bool isWeight(const StateTensor& entry) {
    return entry.name == entry.shard.name;
}

bool endsWith(const std::string& text, std::string_view end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Buffers that old files carry and that are computed from the config.
bool isBuffer(const std::string& name) {
    return endsWith(name, ".attn.bias") || endsWith(name, ".attn.masked_bias") || endsWith(name, "rotary_emb.inv_freq");
}

/// All tensors of a folder by name.
class WeightFiles {
public:
    static Result<WeightFiles> open(const std::filesystem::path& folder) {
        WeightFiles weights;
        weights.m_folder = folder;
        std::set<std::string> files{kSingleFile};
        std::error_code ignored;
        if (std::filesystem::exists(folder / kIndexFile, ignored)) {
            const Result<Json> index = readJsonFile(folder / kIndexFile);
            if (!index) return fail(index.error());
            files.clear();
            if (!index->contains("weight_map") || !index->at("weight_map").is_object())
                return fail("bad_safetensors", "The index has no \"weight_map\".", (folder / kIndexFile).string());
            for (const auto& [name, file] : index->at("weight_map").items()) {
                if (!file.is_string() || file.get<std::string>().find('/') != std::string::npos)
                    return fail("bad_safetensors", "The index names something that is no file of its folder.",
                                (folder / kIndexFile).string());
                files.insert(file.get<std::string>());
            }
        }
        for (const std::string& file : files) {
            Result<SafetensorsFile> opened = SafetensorsFile::open(folder / file);
            if (!opened) return fail(opened.error());
            for (const std::string& name : opened->names()) weights.m_place[name] = weights.m_files.size();
            weights.m_files.push_back(std::move(*opened));
        }
        return weights;
    }

    /// The name as it stands in the files, which may lack the first component ("transformer.", "model."); empty when absent.
    [[nodiscard]] std::string findName(const std::string& name) const {
        if (m_place.contains(name)) return name;
        const std::string rest = name.substr(name.find('.') + 1);
        return m_place.contains(rest) ? rest : std::string();
    }
    [[nodiscard]] Result<at::Tensor> tensor(const std::string& name) const {
        return m_files[m_place.at(name)].tensor(name);
    }
    [[nodiscard]] const std::map<std::string, std::size_t>& names() const { return m_place; }

private:
    std::filesystem::path m_folder;
    std::vector<SafetensorsFile> m_files;
    std::map<std::string, std::size_t> m_place;
};

tl::unexpected<Error> mismatch(const std::string& message, const std::filesystem::path& folder) {
    return fail("weights_mismatch", message, folder.string());
}

Result<void> fillWeight(const WeightFiles& weights, const HuggingFacePlace& place, const std::string& fileName,
                        const std::filesystem::path& folder, StateTensor& entry) {
    Result<at::Tensor> found = weights.tensor(fileName);
    if (!found) return fail(found.error());
    at::Tensor whole = *found;
    if (place.isTransposed && whole.dim() == 2) whole = whole.t();
    if (place.numParts > 1 && whole.size(0) % place.numParts == 0) {
        const std::int64_t rows = whole.size(0) / place.numParts;
        whole = whole.narrow(0, place.part * rows, rows);
    }
    if (whole.sizes() != at::IntArrayRef(entry.shard.globalShape))
        return mismatch("\"" + fileName + "\" has another shape than this model's \"" + entry.name + "\".", folder);
    whole = toOurRows(place, whole);
    for (const ShardSlice& slice : entry.shard.slices) whole = whole.narrow(slice.dim, slice.offset, slice.length);
    at::Tensor mine = whole.reshape({-1});
    if (entry.shard.flatOffset) mine = mine.narrow(0, *entry.shard.flatOffset, entry.tensor.numel());
    entry.tensor.copy_(mine.view(entry.tensor.sizes()));
    return {};
}

Result<void> fillAll(const WeightFiles& weights, const CheckpointContext& c, const std::filesystem::path& folder,
                     std::vector<StateTensor>& state, std::string& used) {
    for (StateTensor& entry : state) {
        if (!isWeight(entry)) continue;
        const HuggingFacePlace place = huggingFacePlace(c.config.model, entry.name);
        const std::string name = weights.findName(place.name);
        if (name.empty()) return mismatch("There is no \"" + place.name + "\", which this model needs.", folder);
        if (auto filled = fillWeight(weights, place, name, folder, entry); !filled) return filled;
        used += name + "\n";
    }
    return {};
}

/// Routing that a config.json beside the weights asks for and that is computed in another way here. The weights alone do not tell.
Result<void> checkRouting(const ModelSpec& model, const std::filesystem::path& folder) {
    std::error_code ignored;
    if (!model.moe || !std::filesystem::exists(folder / "config.json", ignored)) return {};
    const Result<Json> config = readJsonFile(folder / "config.json");
    if (!config) return fail(config.error());
    const auto refuse = [&](const char* key, const char* why) {
        return mismatch(
            "\"" + std::string(key) + "\" of its config.json is " + dumpJson(config->at(key), false) + ": " + why,
            folder);
    };
    const auto has = [&](const char* key) { return config->contains(key) && !config->at(key).is_null(); };
    if (has("scoring_func") && config->at("scoring_func") != "softmax")
        return refuse("scoring_func", "this router's scores are a softmax.");
    if (has("routed_scaling_factor") && config->at("routed_scaling_factor") != 1.0)
        return refuse("routed_scaling_factor", "the routed experts are not scaled here.");
    if (has("topk_method") && config->at("topk_method") == "group_limited_greedy")
        return refuse("topk_method", "a token's experts may be in any group here.");
    if (has("norm_topk_prob") && config->at("norm_topk_prob") != model.moe->normalizeTopK)
        return refuse("norm_topk_prob", "model.moe.normalize_top_k says otherwise.");
    return {};
}

/// What our model does without must be there and change nothing.
Result<void> checkZeros(const WeightFiles& weights, const ModelSpec& model, const std::filesystem::path& folder,
                        std::set<std::string>& taken) {
    for (const ZeroTensor& zero : huggingFaceZeros(model)) {
        const std::string name = weights.findName(zero.name);
        if (name.empty()) return mismatch("There is no \"" + zero.name + "\", which this model type has.", folder);
        const Result<at::Tensor> found = weights.tensor(name);
        if (!found) return fail(found.error());
        if (found->count_nonzero().item<std::int64_t>() != 0)
            return mismatch(
                "\"" + name + "\" is not zero: the shared expert is gated, and this model has no such gate.", folder);
        taken.insert(name);
    }
    return {};
}

}  // namespace

bool looksLikeHuggingFaceWeights(const std::filesystem::path& folder) {
    std::error_code ignored;
    return std::filesystem::exists(folder / kSingleFile, ignored) ||
           std::filesystem::exists(folder / kIndexFile, ignored);
}

Result<void> loadHuggingFaceWeights(const CheckpointContext& c, const std::filesystem::path& folder,
                                    std::vector<StateTensor>& state) {
    std::string used;
    Result<void> mine = checkHuggingFaceModel(c.config.model);
    std::optional<WeightFiles> weights;
    if (mine) {
        Result<WeightFiles> opened = WeightFiles::open(folder);
        if (opened)
            weights = std::move(*opened);
        else
            mine = fail(opened.error());
    }
    if (weights) mine = checkRouting(c.config.model, folder);
    if (weights && mine) mine = fillAll(*weights, c, folder, state, used);
    if (auto all = agree(*c.mesh.world, c.device, mine); !all) return all;
    // What no rank took has no place in this model: it would be lost without a word.
    std::set<std::string> taken;
    for (const std::string& text : gatherTexts(*c.mesh.world, used, c.device)) {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) taken.insert(line);
    }
    if (auto zeros = checkZeros(*weights, c.config.model, folder, taken); !zeros) return zeros;
    for (const auto& [name, file] : weights->names()) {
        const bool isTiedHead = c.config.model.tieEmbeddings && name == "lm_head.weight";
        if (!taken.contains(name) && !isTiedHead && !isBuffer(name))
            return mismatch(
                "\"" + name + "\" has no place in this model; is model the one of the config.json beside it?", folder);
    }
    return {};
}

}  // namespace slipway::trainer
