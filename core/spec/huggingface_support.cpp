#include "core/spec/huggingface_support.h"

#include "core/spec/huggingface_document.h"

#include <set>

namespace slipway {
namespace {

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

}  // namespace

bool hasRoutingBias(const std::string& type) {
    return type == "deepseek_v3" || type == "glm4_moe";
}

Result<void> checkHuggingFaceModel(const ModelSpec& m) {
    const std::string type = huggingFaceType(m);
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

Result<void> checkExportable(const ModelSpec& model) {
    const std::string type = huggingFaceType(model);
    if (type == "deepseek")
        return refusal(
            type,
            "experts with shared experts or dense layers, a softmax and no biases of queries are \"deepseek\", whose code is "
            "not part of transformers; model.qkv_bias = true makes it qwen2_moe, model.mla deepseek_v2");
    return checkHuggingFaceModel(model);
}

}  // namespace slipway
