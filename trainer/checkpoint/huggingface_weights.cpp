#include "trainer/checkpoint/huggingface_weights.h"

#include "core/base/file.h"
#include "core/spec/huggingface_document.h"
#include "core/spec/huggingface_positions.h"
#include "core/spec/huggingface_support.h"
#include "core/spec/rotary.h"
#include "trainer/checkpoint/agreement.h"
#include "trainer/checkpoint/checkpoint_reader.h"
#include "trainer/checkpoint/shard_runs.h"
#include "trainer/comm/gather_text.h"
#include "trainer/model/param_names.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>

namespace slipway::trainer {
namespace {

constexpr const char* kSingleFile = "model.safetensors";
constexpr const char* kHead = "lm_head.weight";
constexpr const char* kIndexFile = "model.safetensors.index.json";

bool isWeight(const StateTensor& entry) {
    return entry.name == entry.shard.name;
}

bool endsWith(const std::string& text, std::string_view end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Buffers in old files that are computed from the config.
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

    /// The name in the files, which may lack the first component ("transformer.", "model."); empty if
    /// absent.
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

/// Contents of the config.json beside the weights; null without one.
Result<Json> configBeside(const std::filesystem::path& folder) {
    std::error_code ignored;
    if (!std::filesystem::exists(folder / "config.json", ignored)) return Json();
    return readJsonFile(folder / "config.json");
}

std::int64_t wholeOr(const Json& config, const char* key, std::int64_t otherwise) {
    return config.is_object() && config.contains(key) && config.at(key).is_number_integer()
               ? config.at(key).get<std::int64_t>()
               : otherwise;
}

/// A weight of the files in a format of at least 16 bits. `used` collects the names read.
Result<at::Tensor> readWeight(const WeightFiles& weights, const std::string& name, const Json& config,
                              const std::filesystem::path& folder, std::string& used) {
    used += name + "\n";
    Result<at::Tensor> found = weights.tensor(name);
    if (!found || found->element_size() > 1 || !found->is_floating_point()) return found;
    const std::string factors = name + "_scale_inv";
    if (!weights.names().contains(factors))
        return mismatch("\"" + name + "\" has 8-bit numbers and no \"" + factors + "\" beside it.", folder);
    used += factors + "\n";
    const Result<at::Tensor> scales = weights.tensor(factors);
    if (!scales) return fail(scales.error());
    constexpr std::int64_t kPublishedBlock = 128;
    std::int64_t block[2] = {kPublishedBlock, kPublishedBlock};
    const Json quantization = config.is_object() ? config.value("quantization_config", Json()) : Json();
    if (quantization.is_object() && quantization.contains("weight_block_size")) {
        const Json& sizes = quantization.at("weight_block_size");
        if (!sizes.is_array() || sizes.size() != 2 || !sizes[0].is_number_integer() || !sizes[1].is_number_integer())
            return mismatch("weight_block_size of its config.json is not two numbers.", folder);
        for (std::size_t i = 0; i < 2; ++i) block[i] = sizes[i].get<std::int64_t>();
    }
    auto whole = fromBlocks(*found, *scales, block[0], block[1]);
    if (!whole) return mismatch("\"" + factors + "\" " + whole.error().message, folder);
    return whole;
}

Result<void> fillWeight(const at::Tensor& read, const HuggingFacePlace& place, const std::string& fileName,
                        const std::filesystem::path& folder, StateTensor& entry) {
    at::Tensor whole = read;
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
                     const Json& config, std::vector<StateTensor>& state, std::string& used) {
    for (StateTensor& entry : state) {
        if (!isWeight(entry)) continue;
        const HuggingFacePlace place = huggingFacePlace(c.config.model, entry.name);
        const std::string name = weights.findName(place.name);
        if (name.empty()) return mismatch("There is no \"" + place.name + "\", which this model needs.", folder);
        const Result<at::Tensor> read = readWeight(weights, name, config, folder, used);
        if (!read) return fail(read.error());
        if (auto filled = fillWeight(*read, place, name, folder, entry); !filled) return filled;
    }
    return {};
}

/// The routing in a config.json beside the weights must be the model's; the weights alone do not show it. Missing keys
/// have the defaults of the file's type (core/interop/huggingface_routing.cpp).
Result<void> checkRouting(const ModelSpec& model, const Json& config, const std::filesystem::path& folder) {
    if (!model.moe || !config.is_object()) return {};
    const MoeSpec& moe = *model.moe;
    const auto has = [&](const char* key) { return config.contains(key) && !config.at(key).is_null(); };
    const auto is = [&](const char* key, const char* word) { return has(key) && config.at(key) == word; };
    const auto refuse = [&](const char* key, const std::string& ours) {
        return mismatch("\"" + std::string(key) + "\" of its config.json is " +
                            (has(key) ? dumpJson(config.at(key), false) : "not there, its type has its own") + ": " +
                            ours + " says otherwise.",
                        folder);
    };
    const bool isV3 = is("model_type", "deepseek_v3") || is("model_type", "kimi_k2");
    const bool isSigmoid = has("scoring_func") ? is("scoring_func", "sigmoid") : isV3 || is("model_type", "glm4_moe");
    if (isSigmoid != (moe.routerScore == RouterScore::Sigmoid)) return refuse("scoring_func", "model.moe.router_score");
    const Json scale = has("routed_scaling_factor") ? config.at("routed_scaling_factor") : Json(isV3 ? 2.5 : 1.0);
    if (scale != moe.routedScale) return refuse("routed_scaling_factor", "model.moe.routed_scale");
    const bool inGroups = isSigmoid || is("topk_method", "group_limited_greedy");
    const std::int64_t groups = inGroups ? wholeOr(config, "n_group", isV3 ? 8 : 1) : 1;
    const std::int64_t chosen = inGroups ? wholeOr(config, "topk_group", isV3 ? 4 : 1) : 1;
    const bool isChoice = groups > 1 && chosen < groups;
    if ((isChoice ? groups : 1) != moe.numExpertGroups)
        return refuse(isSigmoid ? "n_group" : "topk_method", "model.moe.num_expert_groups");
    if (isChoice && chosen != moe.topKGroups) return refuse("topk_group", "model.moe.top_k_groups");
    if (has("norm_topk_prob") && config.at("norm_topk_prob") != moe.normalizeTopK)
        return refuse("norm_topk_prob", "model.moe.normalize_top_k");
    return {};
}

/// Heads with a different rotary share, or frequencies with a different scaling, make another model of
/// the same tensors.
Result<void> checkPositions(const ModelSpec& model, const Json& config, const std::filesystem::path& folder) {
    if (!config.is_object() || model.positionKind() != PositionKind::Rope) return {};
    const HuggingFacePositions theirs = huggingFacePositions(config);
    const auto refuse = [&](const std::string& what, const std::string& field) {
        return mismatch(what + " of its config.json is not what " + field + " says.", folder);
    };
    if (!theirs.unknown.empty())
        return mismatch("rope_scaling of its config.json is " + theirs.unknown + ", which is not trained here.",
                        folder);
    const auto turning = static_cast<std::int64_t>(theirs.turning * static_cast<double>(model.headSize()));
    if (!model.mla && turning != model.rotarySize()) return refuse("partial_rotary_factor", "model.rotary_dim");
    ModelSpec other = model;
    other.ropeScaling = theirs.scaling;
    if (rotaryFrequencies(other) != rotaryFrequencies(model) || rotaryMagnitude(other) != rotaryMagnitude(model) ||
        attentionMagnitude(other) != attentionMagnitude(model))
        return refuse("rope_scaling", "model.rope_scaling");
    return {};
}

/// With a different number of heads, base of the positions or epsilon, the same tensors are another model.
Result<void> checkNumbers(const RunConfig& run, const Json& config, const std::filesystem::path& folder) {
    if (!config.is_object()) return {};
    const ModelSpec& model = run.model;
    const Json rope = config.value("rope_parameters", Json());
    const auto refuse = [&](const char* key, const Json& theirs, const std::string& ours) {
        return mismatch(
            "\"" + std::string(key) + "\" of its config.json is " + dumpJson(theirs, false) + ": " + ours + ".",
            folder);
    };
    struct Number {
        const char *key, *field;
        double ours;
        bool counts = true;
    };
    const bool turns = model.positionKind() == PositionKind::Rope;
    for (const Number& n :
         {Number{"num_attention_heads", "model.num_heads", static_cast<double>(model.numHeads)},
          {"n_head", "model.num_heads", static_cast<double>(model.numHeads)},
          {"num_key_value_heads", "model.num_kv_heads", static_cast<double>(model.kvHeads()), !model.mla},
          {"rms_norm_eps", "model.norm_eps", model.normEps},
          {"layer_norm_epsilon", "model.norm_eps", model.normEps},
          {"rope_theta", "model.rope_theta", model.ropeTheta, turns}})
        for (const Json* place : {&rope, &config}) {
            if (!n.counts || !place->is_object() || !place->contains(n.key) || !place->at(n.key).is_number()) continue;
            const auto theirs = place->at(n.key).get<double>();
            constexpr double kRounded = 1e-6;  // for files written from fp32 numbers
            if (std::abs(theirs - n.ours) > kRounded * std::abs(n.ours))
                return refuse(n.key, place->at(n.key), std::string(n.field) + " is " + dumpJson(Json(n.ours), false));
        }
    // Windows longer than the sequences have no effect; Qwen's files name one that is disabled.
    const Json type = config.value("model_type", Json());
    const std::int64_t window = type == "mistral" || type == "mixtral" || type == "starcoder2" ||
                                        config.value("use_sliding_window", Json()) == true
                                    ? wholeOr(config, "sliding_window", run.train.seqLen)
                                    : run.train.seqLen;
    if (window < run.train.seqLen && model.slidingWindow != window)
        return refuse("sliding_window", Json(window), "model.sliding_window is another");
    return {};
}

/// The layers that predict further tokens follow the model's own.
bool isFurtherLayer(const std::string& name, const ModelSpec& model, const Json& config) {
    const std::int64_t further = wholeOr(config, "num_nextn_predict_layers", 0);
    for (std::int64_t layer = model.numLayers; layer < model.numLayers + std::min<std::int64_t>(further, 16); ++layer)
        if (name.rfind("model.layers." + std::to_string(layer) + ".", 0) == 0) return true;
    return false;
}

/// Files of tied models may repeat their table as the head. A different head belongs to another model.
Result<void> checkTiedHead(const WeightFiles& weights, const ModelSpec& model, const std::filesystem::path& folder) {
    const std::string table = huggingFacePlace(model, modelNames(model.family).embedding).name;
    const Result<at::Tensor> head = weights.tensor(kHead), rows = weights.tensor(weights.findName(table));
    if (!head) return fail(head.error());
    if (!rows) return fail(rows.error());
    if (head->scalar_type() == rows->scalar_type() && at::equal(*head, *rows)) return {};
    return mismatch("\"" + std::string(kHead) + "\" is not the table of embeddings, and model.tie_embeddings is true.",
                    folder);
}

/// Tensors that our model lacks must be present and have no effect.
Result<void> checkZeros(const WeightFiles& weights, const ModelSpec& model, const std::filesystem::path& folder,
                        std::set<std::string>& taken) {
    for (const ZeroTensor& zero : huggingFaceZeros(model)) {
        const std::string name = weights.findName(zero.name);
        if (name.empty()) return mismatch("There is no \"" + zero.name + "\", which this model type has.", folder);
        const Result<at::Tensor> found = weights.tensor(name);
        if (!found) return fail(found.error());
        if (found->count_nonzero().item<std::int64_t>() != 0)
            return mismatch("\"" + name + "\" is not zero: " + zero.why + ".", folder);
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

Result<at::Tensor> fromBlocks(const at::Tensor& matrix, const at::Tensor& factors, std::int64_t b0, std::int64_t b1) {
    const auto refuse = [](const std::string& why) { return fail("weights_mismatch", why); };
    if (b0 < 1 || b1 < 1 || matrix.dim() != 2 || factors.dim() != 2) return refuse("is no matrix of blocks' factors.");
    const std::int64_t rows = matrix.size(0), columns = matrix.size(1);
    if (factors.size(0) != (rows + b0 - 1) / b0 || factors.size(1) != (columns + b1 - 1) / b1)
        return refuse("has not one factor for each block of " + std::to_string(b0) + " x " + std::to_string(b1) + ".");
    const at::Tensor each = factors.to(at::kFloat).repeat_interleave(b0, 0).repeat_interleave(b1, 1);
    return matrix.to(at::kFloat) * each.narrow(0, 0, rows).narrow(1, 0, columns);
}

Result<std::vector<std::string>> loadHuggingFaceWeights(const CheckpointContext& c, const std::filesystem::path& folder,
                                                        std::vector<StateTensor>& state) {
    std::string used;
    Result<void> mine = checkHuggingFaceModel(c.config.model);
    std::optional<WeightFiles> weights;
    Json config;
    if (mine) {
        Result<WeightFiles> opened = WeightFiles::open(folder);
        Result<Json> beside = configBeside(folder);
        if (!opened)
            mine = fail(opened.error());
        else if (!beside)
            mine = fail(beside.error());
        else
            weights = std::move(*opened), config = std::move(*beside);
    }
    if (weights) mine = checkRouting(c.config.model, config, folder);
    if (weights && mine) mine = checkPositions(c.config.model, config, folder);
    if (weights && mine) mine = checkNumbers(c.config, config, folder);
    if (weights && mine) mine = fillAll(*weights, c, folder, config, state, used);
    if (auto all = agree(*c.mesh.world, c.device, mine); !all) return fail(all.error());
    // Tensors that no rank used do not exist in this model: they would be lost silently.
    std::set<std::string> taken;
    for (const std::string& text : gatherTexts(*c.mesh.world, used, c.device)) {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) taken.insert(line);
    }
    if (auto zeros = checkZeros(*weights, c.config.model, folder, taken); !zeros) return fail(zeros.error());
    std::vector<std::string> leftOut;
    for (const auto& [name, file] : weights->names()) {
        if (taken.contains(name) || isBuffer(name)) continue;
        if (c.config.model.tieEmbeddings && name == kHead) {
            if (auto same = checkTiedHead(*weights, c.config.model, folder); !same) return fail(same.error());
            continue;
        }
        if (!isFurtherLayer(name, c.config.model, config))
            return mismatch(
                "\"" + name + "\" has no place in this model; is model the one of the config.json beside it?", folder);
        leftOut.push_back(name);
    }
    return leftOut;
}

}  // namespace slipway::trainer
