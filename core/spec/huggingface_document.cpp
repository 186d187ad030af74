#include "core/spec/huggingface_document.h"

#include "core/spec/huggingface_positions.h"

#include <nlohmann/json.hpp>

namespace slipway {
namespace {

std::string typeFor(const ModelSpec& m) {
    const bool llama = m.normKind() == NormKind::RmsNorm && m.positionKind() == PositionKind::Rope &&
                       m.activationKind() == Activation::SwiGlu;
    const bool isSigmoid = m.moe && m.moe->routerScore == RouterScore::Sigmoid;
    if (llama && m.mla) return isSigmoid ? "deepseek_v3" : "deepseek_v2";
    if (llama && isSigmoid) return "glm4_moe";
    if (llama && m.moe) {
        if (m.qkNorm) return "qwen3_moe";
        if (m.hasQkvBias()) return "qwen2_moe";
        return m.moe->numSharedExperts > 0 || m.moe->numDenseLayers > 0 ? "deepseek" : "mixtral";
    }
    if (llama) {
        if (m.qkNorm) return "qwen3";
        if (m.hasQkvBias() && !m.hasBias()) return "qwen2";
        return m.slidingWindow ? "mistral" : "llama";
    }
    if (m.activationKind() == Activation::Gelu && m.positionKind() == PositionKind::Learned) return "gpt2";
    if (m.hasBias() && m.kvHeads() == m.numHeads && !m.headDim) return "gpt_neox";
    return "starcoder2";
}

Json gpt2Document(const ModelSpec& m) {
    return {{"architectures", {"GPT2LMHeadModel"}},
            {"model_type", "gpt2"},
            {"n_layer", m.numLayers},
            {"n_embd", m.hiddenSize},
            {"n_inner", m.ffnHiddenSize},
            {"n_head", m.numHeads},
            {"n_positions", m.maxSeqLen},
            {"vocab_size", m.vocabSize},
            {"activation_function", "gelu_new"},
            {"layer_norm_epsilon", m.normEps},
            {"tie_word_embeddings", m.tieEmbeddings}};
}

const char* architectureOf(const std::string& type) {
    if (type == "mixtral") return "MixtralForCausalLM";
    if (type == "mistral") return "MistralForCausalLM";
    if (type == "qwen2") return "Qwen2ForCausalLM";
    if (type == "qwen3") return "Qwen3ForCausalLM";
    if (type == "qwen2_moe") return "Qwen2MoeForCausalLM";
    if (type == "qwen3_moe") return "Qwen3MoeForCausalLM";
    if (type == "deepseek") return "DeepseekForCausalLM";
    if (type == "deepseek_v2") return "DeepseekV2ForCausalLM";
    if (type == "deepseek_v3") return "DeepseekV3ForCausalLM";
    if (type == "glm4_moe") return "Glm4MoeForCausalLM";
    if (type == "gpt_neox") return "GPTNeoXForCausalLM";
    if (type == "starcoder2") return "Starcoder2ForCausalLM";
    return "LlamaForCausalLM";
}

void addRouting(const MoeSpec& moe, Json& out) {
    const bool isSigmoid = moe.routerScore == RouterScore::Sigmoid;
    const bool inGroups = moe.numExpertGroups > 1;
    out["scoring_func"] = std::string(wordOf(moe.routerScore));
    out["n_group"] = moe.numExpertGroups;
    out["topk_group"] = inGroups ? moe.topKGroups : 1;
    // "noaux_tc" implies the routing bias and the groups.
    out["topk_method"] = isSigmoid && moe.biasUpdateRate > 0 ? "noaux_tc"
                         : inGroups                          ? "group_limited_greedy"
                                                             : "greedy";
    out["routed_scaling_factor"] = moe.routedScale;
    if (isSigmoid) out["num_nextn_predict_layers"] = 0;
}

void addExperts(const ModelSpec& m, const std::string& type, Json& out) {
    const MoeSpec& moe = *m.moe;
    out[type == "mixtral"          ? "num_local_experts"
        : type.starts_with("qwen") ? "num_experts"
                                   : "n_routed_experts"] = moe.numExperts;
    out["num_experts_per_tok"] = moe.topK;
    if (type != "mixtral") {
        out["moe_intermediate_size"] = moe.expertFfnHiddenSize;
        out["norm_topk_prob"] = moe.normalizeTopK;  // always true for mixtral
    }
    if (type.starts_with("deepseek") || type == "glm4_moe") {
        if (type != "deepseek") addRouting(moe, out);
        out["n_shared_experts"] = moe.numSharedExperts;
        out["first_k_dense_replace"] = moe.numDenseLayers;
        out["moe_layer_freq"] = 1;
        out["aux_loss_alpha"] = moe.auxLossCoefficient;
        return;
    }
    out["router_aux_loss_coef"] = moe.auxLossCoefficient;
    if (type == "mixtral") return;
    out["decoder_sparse_step"] = 1;
    Json dense = Json::array();
    for (std::int64_t layer = 0; layer < moe.numDenseLayers; ++layer) dense.push_back(layer);
    out["mlp_only_layers"] = std::move(dense);
    if (type == "qwen2_moe") out["shared_expert_intermediate_size"] = moe.numSharedExperts * moe.expertFfnHiddenSize;
}

}  // namespace

std::string huggingFaceType(const ModelSpec& model) {
    return typeFor(model);
}

Json huggingFaceDocument(const ModelSpec& m) {
    const std::string type = typeFor(m);
    if (type == "gpt2") return gpt2Document(m);
    const bool layerNorm = type == "gpt_neox" || type == "starcoder2";
    Json out = {{"architectures", {architectureOf(type)}},
                {"model_type", type},
                {"num_hidden_layers", m.numLayers},
                {"hidden_size", m.hiddenSize},
                // Mixtral's experts have this size, and it has no dense layers.
                {"intermediate_size", type == "mixtral" ? m.moe->expertFfnHiddenSize : m.ffnHiddenSize},
                {"num_attention_heads", m.numHeads},
                {"vocab_size", m.vocabSize},
                {"max_position_embeddings", m.maxSeqLen},
                {"hidden_act", layerNorm ? "gelu" : "silu"},
                {type == "gpt_neox"     ? "layer_norm_eps"
                 : type == "starcoder2" ? "norm_epsilon"
                                        : "rms_norm_eps",
                 m.normEps},
                {type == "gpt_neox" ? "rotary_emb_base" : "rope_theta", m.ropeTheta},
                {"tie_word_embeddings", m.tieEmbeddings}};
    if (type != "gpt_neox") out["num_key_value_heads"] = m.kvHeads();
    if (m.headDim && type != "gpt_neox" && !m.mla) out["head_dim"] = *m.headDim;
    if (type.starts_with("qwen3")) out["head_dim"] = m.headSize();  // transformers' default is 128
    if (type == "starcoder2") out["use_bias"] = m.hasBias();
    if (type == "starcoder2" || type == "mistral" || type == "mixtral")
        out["sliding_window"] = m.slidingWindow ? Json(*m.slidingWindow) : Json(nullptr);
    if (type.starts_with("qwen")) {
        out["use_sliding_window"] = m.slidingWindow.has_value();
        if (m.slidingWindow) out["sliding_window"] = *m.slidingWindow;
    }
    if (type == "llama") {
        out["attention_bias"] = m.hasQkvBias();
        out["mlp_bias"] = m.hasBias();
    } else if (type == "qwen3" || type == "qwen3_moe") {
        out["attention_bias"] = m.hasQkvBias();
    } else if (type == "glm4_moe") {
        out["attention_bias"] = m.hasQkvBias();
        out["use_qk_norm"] = m.qkNorm;
        out["head_dim"] = m.headSize();
    }
    addHuggingFacePositions(m, out);
    if (m.moe) addExperts(m, type, out);
    if (m.mla) {
        out["q_lora_rank"] = m.mla->qLoraRank > 0 ? Json(m.mla->qLoraRank) : Json(nullptr);
        out["kv_lora_rank"] = m.mla->kvLoraRank;
        out["qk_nope_head_dim"] = m.mla->qkNopeHeadDim;
        out["qk_rope_head_dim"] = m.mla->qkRopeHeadDim;
        out["v_head_dim"] = m.mla->vHeadDim;
    }
    return out;
}

}  // namespace slipway
