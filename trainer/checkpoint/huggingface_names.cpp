#include "core/spec/huggingface_document.h"
#include "trainer/checkpoint/huggingface_weights.h"
#include "trainer/model/param_names.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <nlohmann/json.hpp>

#include <array>
#include <set>
#include <utility>

namespace slipway::trainer {
namespace {

std::string typeOf(const ModelSpec& model) {
    return huggingFaceDocument(model).at("model_type").get<std::string>();
}

constexpr std::string_view kRoutingBias = "gate.e_score_correction_bias";

bool hasRoutingBias(const std::string& type) {
    return type == "deepseek_v3" || type == "glm4_moe";
}

bool endsWith(const std::string& text, std::string_view end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool replaceFirst(std::string& text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) return false;
    text.replace(at, from.size(), to);
    return true;
}

HuggingFacePlace gpt2Place(std::string name) {
    static constexpr std::array kParts{".c_attn.q.", ".c_attn.k.", ".c_attn.v."};
    HuggingFacePlace place;
    for (std::size_t i = 0; i < kParts.size(); ++i)
        if (replaceFirst(name, kParts[i], ".c_attn.")) {
            place.part = static_cast<std::int64_t>(i);
            place.numParts = 3;
        }
    place.isTransposed =
        endsWith(name, ".c_attn.weight") || endsWith(name, ".c_proj.weight") || endsWith(name, ".c_fc.weight");
    place.name = std::move(name);
    return place;
}

HuggingFacePlace mixtralPlace(std::string name) {
    if (replaceFirst(name, ".mlp.", ".block_sparse_moe.") && name.find(".experts.") != std::string::npos) {
        replaceFirst(name, ".gate_proj.", ".w1.");
        replaceFirst(name, ".up_proj.", ".w3.");
        replaceFirst(name, ".down_proj.", ".w2.");
    }
    return {std::move(name)};
}

HuggingFacePlace deepSeekPlace(const MlaSpec& mla, const std::string& name) {
    HuggingFacePlace place{name};
    const bool isQuery = endsWith(name, mla.qLoraRank > 0 ? ".q_b_proj.weight" : ".q_proj.weight");
    if (!isQuery && !endsWith(name, ".kv_a_proj_with_mqa.weight")) return place;
    place.headRows = (isQuery ? mla.qkNopeHeadDim : mla.kvLoraRank) + mla.qkRopeHeadDim;
    place.pairedRows = mla.qkRopeHeadDim;
    return place;
}

HuggingFacePlace qwen2MoePlace(std::string name) {
    HuggingFacePlace place;
    if (replaceFirst(name, ".shared_experts.", ".shared_expert.") && endsWith(name, ".down_proj.weight"))
        place.scale = 2;
    place.name = std::move(name);
    return place;
}

/// x with the last pairedRows of every headRows rows seen as [d0, d1] and turned to [d1, d0].
at::Tensor turned(const HuggingFacePlace& place, const at::Tensor& x, std::int64_t d0, std::int64_t d1) {
    const std::int64_t plain = place.headRows - place.pairedRows, width = x.size(1);
    const at::Tensor heads = x.reshape({-1, place.headRows, width});
    const at::Tensor rotary = heads.narrow(1, plain, place.pairedRows).reshape({-1, d0, d1, width}).transpose(1, 2);
    return at::cat({heads.narrow(1, 0, plain), rotary.reshape({-1, place.pairedRows, width})}, 1).reshape(x.sizes());
}

tl::unexpected<Error> refusal(const std::string& type, const std::string& why) {
    return fail("unsupported_model", "Transformers has no model type that computes this model: " + why + ".", type);
}

/// What deepseek_v2 and deepseek_v3 of transformers do with latent attention and their experts.
Result<void> checkLatent(const ModelSpec& m, const std::string& type) {
    constexpr double kLatentNormEps = 1e-6;  // of q_a_layernorm and kv_a_layernorm, whatever rms_norm_eps says
    if (m.normEps != kLatentNormEps) return refusal(type, type + " norms its compressed values with an eps of 1e-6");
    if (m.qkNorm) return refusal(type, type + " has no norms of queries and keys");
    if (m.mla->qkRopeHeadDim % 2 != 0) return refusal(type, "rotary positions turn pairs, and qk_rope_head_dim is odd");
    if (!m.moe) return {};
    if (m.moe->numSharedExperts == 0) return refusal(type, type + " has shared experts");
    if (type == "deepseek_v2" && m.moe->normalizeTopK)
        return refusal(type,
                       "deepseek_v2 takes the weights of the chosen experts as they are (moe.normalize_top_k = false)");
    return {};
}

/// What glm4_moe of transformers (GLM-4.5) does with its layers.
Result<void> checkGlm(const ModelSpec& m, const std::string& type) {
    if (m.moe->numSharedExperts == 0) return refusal(type, type + " has shared experts");
    if (m.slidingWindow) return refusal(type, type + " has no sliding window");
    return {};
}

HuggingFacePlace placeOf(const ModelSpec& model, const std::string& type, const std::string& name) {
    if (model.family == Family::Gpt2) return gpt2Place(name);
    if (model.mla) return deepSeekPlace(*model.mla, name);
    if (type == "mixtral") return mixtralPlace(name);
    if (type == "qwen2_moe") return qwen2MoePlace(name);
    return {name};
}

}  // namespace

HuggingFacePlace huggingFacePlace(const ModelSpec& model, const std::string& name) {
    return placeOf(model, typeOf(model), name);
}

at::Tensor toTheirRows(const HuggingFacePlace& place, const at::Tensor& ours) {
    const at::Tensor scaled = place.scale == 1 ? ours : ours * place.scale;
    return place.pairedRows == 0 ? scaled : turned(place, scaled, 2, place.pairedRows / 2);
}

at::Tensor toOurRows(const HuggingFacePlace& place, const at::Tensor& theirs) {
    const at::Tensor scaled = place.scale == 1 ? theirs : theirs / place.scale;
    return place.pairedRows == 0 ? scaled : turned(place, scaled, place.pairedRows / 2, 2);
}

std::vector<ZeroTensor> huggingFaceZeros(const ModelSpec& model) {
    std::vector<ZeroTensor> zeros;
    if (!model.moe) return zeros;
    const std::string type = typeOf(model);
    const bool hasBias = model.moe->biasUpdateRate > 0;
    for (std::int64_t layer = model.moe->numDenseLayers; layer < model.numLayers; ++layer) {
        const std::string mlp = blockNames(model.family, layer).mlp;
        if (type == "qwen2_moe")
            zeros.push_back({mlp + "shared_expert_gate.weight",
                             {1, model.hiddenSize},
                             "the shared expert is gated, and this model has no such gate"});
        if (hasRoutingBias(type) && !hasBias)
            zeros.push_back(
                {mlp + std::string(kRoutingBias),
                 {model.moe->numExperts},
                 "the choice of experts is biased, and this model has no such bias (model.moe.bias_update_rate is 0)"});
    }
    return zeros;
}

Result<void> checkHuggingFaceModel(const ModelSpec& m) {
    const std::string type = typeOf(m);
    const auto refuse = [&](const std::string& why) { return refusal(type, why); };
    if (type == "gpt2") {
        if (m.family != Family::Gpt2 || m.normKind() != NormKind::LayerNorm) return refuse("its family is not gpt2");
        if (!m.hasBias() || !m.hasQkvBias()) return refuse("GPT-2 has biases everywhere");
        if (m.kvHeads() != m.numHeads || m.headSize() * m.numHeads != m.hiddenSize)
            return refuse("GPT-2 has one key-value head per query head, of width hidden_size / num_heads");
        if (m.qkNorm || m.slidingWindow || m.moe || m.mla) return refuse("GPT-2 has no such layers");
        return {};
    }
    static const std::set<std::string> kKnown{"llama",     "mistral",   "qwen2",       "qwen3",
                                              "mixtral",   "deepseek",  "deepseek_v2", "deepseek_v3",
                                              "qwen2_moe", "qwen3_moe", "glm4_moe"};
    if (!kKnown.contains(type)) return refuse("its nearest, " + type + ", differs in what it computes");
    if (m.family != Family::Llama) return refuse("its family is gpt2, its layers are not");
    if (m.moe && m.moe->biasUpdateRate > 0 && !hasRoutingBias(type))
        return refuse(
            "the bias of its router corrects a softmax; deepseek_v3, which has that bias, scores by a sigmoid");
    if (m.moe && !m.mla && type != "glm4_moe" && (m.moe->routedScale != 1 || m.moe->numExpertGroups > 1))
        return refuse("in " + type + " experts have no groups, and their sum no scale");
    if (!m.mla && m.rotarySize() != m.headSize() && type != "glm4_moe")
        return refuse("in " + type + " whole heads turn with the position");
    if (m.hasQkvBias() != m.hasBias() && type != "qwen2" && type != "qwen2_moe" && type != "glm4_moe")
        return refuse("only some of its layers have biases");
    if (m.hasBias() && type != "llama") return refuse(type + " has no biases");
    if (type == "glm4_moe") return checkGlm(m, type);
    if (m.slidingWindow && type != "mistral" && type != "mixtral")
        return refuse("in " + type + " the sliding window holds for some layers only");
    if (type == "mixtral" && !m.moe->normalizeTopK) return refuse("mixtral scales the weights of the chosen experts");
    if (type == "qwen3_moe" && m.moe->numSharedExperts > 0) return refuse("qwen3_moe has no shared experts");
    if (type == "qwen2_moe" && m.moe->numSharedExperts == 0) return refuse("qwen2_moe has a shared expert");
    return m.mla ? checkLatent(m, type) : Result<void>{};
}

}  // namespace slipway::trainer
