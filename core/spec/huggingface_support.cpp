#include "core/spec/huggingface_support.h"

#include "core/spec/huggingface_document.h"

#include <set>

namespace slipway {
namespace {

tl::unexpected<Error> refusal(const std::string& type, const Message& why) {
    return fail("unsupported_model", "Transformers has no model type that computes this model: %1."_text(why), type);
}

/// Checks latent attention and its experts against deepseek_v2 and deepseek_v3 of transformers.
Result<void> checkLatent(const ModelSpec& m, const std::string& type) {
    constexpr double kLatentNormEps = 1e-6;  // of q_a_layernorm and kv_a_layernorm, regardless of rms_norm_eps
    if (m.normEps != kLatentNormEps)
        return refusal(type, "%1 normalises its compressed values with an epsilon of 1e-6"_text(type));
    if (m.qkNorm) return refusal(type, "%1 has no norms of queries and keys"_text(type));
    if (m.mla->qkRopeHeadDim % 2 != 0) return refusal(type, "rotary embeddings need an even qk_rope_head_dim"_text);
    if (!m.moe) return {};
    if (m.moe->numSharedExperts == 0) return refusal(type, "%1 has shared experts"_text(type));
    if (type == "deepseek_v2" && m.moe->normalizeTopK)
        return refusal(
            type,
            "deepseek_v2 does not normalise the weights of the chosen experts (moe.normalize_top_k = false)"_text);
    return {};
}

/// Checks the layers against glm4_moe of transformers (GLM-4.5).
Result<void> checkGlm(const ModelSpec& m, const std::string& type) {
    if (m.moe->numSharedExperts == 0) return refusal(type, "%1 has shared experts"_text(type));
    if (m.slidingWindow) return refusal(type, "%1 has no sliding window"_text(type));
    return {};
}

}  // namespace

bool hasRoutingBias(const std::string& type) {
    return type == "deepseek_v3" || type == "glm4_moe";
}

Result<void> checkHuggingFaceModel(const ModelSpec& m) {
    const std::string type = huggingFaceType(m);
    const auto refuse = [&](const Message& why) { return refusal(type, why); };
    if (type == "gpt2") {
        if (m.family != Family::Gpt2 || m.normKind() != NormKind::LayerNorm)
            return refuse("its family is not gpt2"_text);
        if (!m.hasBias() || !m.hasQkvBias()) return refuse("every GPT-2 layer has biases"_text);
        if (m.kvHeads() != m.numHeads || m.headSize() * m.numHeads != m.hiddenSize)
            return refuse("GPT-2 has one key-value head per query head, of width hidden_size / num_heads"_text);
        if (m.qkNorm || m.slidingWindow || m.moe || m.mla) return refuse("GPT-2 has no such layers"_text);
        return {};
    }
    static const std::set<std::string> kKnown{"llama",     "mistral",   "qwen2",       "qwen3",
                                              "mixtral",   "deepseek",  "deepseek_v2", "deepseek_v3",
                                              "qwen2_moe", "qwen3_moe", "glm4_moe"};
    if (!kKnown.contains(type)) return refuse("the nearest type, %1, computes something else"_text(type));
    if (m.family != Family::Llama) return refuse("its family is gpt2, but its layers are not GPT-2's"_text);
    if (m.moe && m.moe->biasUpdateRate > 0 && !hasRoutingBias(type))
        return refuse("its router bias corrects a softmax; deepseek_v3, the type with that bias, uses a sigmoid"_text);
    if (m.moe && !m.mla && type != "glm4_moe" && (m.moe->routedScale != 1 || m.moe->numExpertGroups > 1))
        return refuse("%1 has neither expert groups nor a routed scale"_text(type));
    if (!m.mla && m.rotarySize() != m.headSize() && type != "glm4_moe")
        return refuse("%1 rotates whole heads"_text(type));
    if (m.hasQkvBias() != m.hasBias() && type != "qwen2" && type != "qwen2_moe" && type != "glm4_moe")
        return refuse("only some of its layers have biases"_text);
    if (m.hasBias() && type != "llama") return refuse("%1 has no biases"_text(type));
    if (type == "glm4_moe") return checkGlm(m, type);
    if (m.slidingWindow && type != "mistral" && type != "mixtral")
        return refuse("%1 applies the sliding window to some layers only"_text(type));
    if (type == "mixtral" && !m.moe->normalizeTopK)
        return refuse("mixtral normalises the weights of the chosen experts"_text);
    if (type == "qwen3_moe" && m.moe->numSharedExperts > 0) return refuse("qwen3_moe has no shared experts"_text);
    if (type == "qwen2_moe" && m.moe->numSharedExperts == 0) return refuse("qwen2_moe has a shared expert"_text);
    return m.mla ? checkLatent(m, type) : Result<void>{};
}

Result<void> checkExportable(const ModelSpec& model) {
    const std::string type = huggingFaceType(model);
    if (type == "deepseek")
        return refusal(
            type,
            "experts with shared experts or dense layers, a softmax and no biases of queries are \"deepseek\", whose code is "
            "not part of transformers; model.qkv_bias = true makes it qwen2_moe, model.mla deepseek_v2"_text);
    return checkHuggingFaceModel(model);
}

}  // namespace slipway
