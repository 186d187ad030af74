#include "core/interop/huggingface.h"
#include "core/interop/huggingface_types.h"
#include "core/interop/key_reader.h"
#include "core/spec/huggingface_positions.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace slipway::interop {
namespace {

class Reading {
public:
    Reading(const Json& document, const RunConfig& base) : r(document), m_config(base) {}

    Result<Imported> run(const std::string& where) {
        const std::string type = r.text({"model_type"}).value_or("");
        SourceText other = whyNoDecoder(type);
        if (other.empty() && r.flag({"is_encoder_decoder"}) == true) other = whyNoDecoder("t5");
        if (!other.empty()) return fail("bad_config", other(type), where);
        const TypeTraits* known = findTypeTraits(type);
        TypeTraits traits{type, Family::Llama, true, false, false};
        if (known != nullptr)
            traits = *known;
        else
            r.remarks.push_back(
                {RemarkKind::Approximated, "model_type", dumpJson(Json(type), false),
                 "Unknown model type, read as a Llama by the usual key names; compare the number of parameters with the published one."_text});
        if (!traits.note.empty()) r.approximated("model_type", traits.note);
        m = ModelSpec{};
        m.family = traits.family;
        if (traits.layerNorm) m.norm = NormKind::LayerNorm;
        sizes(traits);
        plausible({m.numLayers, m.hiddenSize, m.numHeads, m.vocabSize, m.maxSeqLen, m.ffnHiddenSize, m.kvHeads(),
                   m.headDim.value_or(1)});
        if (!r.problems().empty()) return failure(where);
        extras(type);
        experts(type);
        latentAttention();
        positions();
        differences(type);
        if (r.contains("num_nextn_predict_layers") && r.document()["num_nextn_predict_layers"] != 0)
            r.noCounterpart("num_nextn_predict_layers", "The multi-token prediction module is not counted."_text);
        r.finish(huggingFaceOtherKeys());
        if (!r.problems().empty()) return failure(where);
        m_config.model = m;
        auto config = configFromDocument(toJson(m_config), where, r.remarks);
        if (!config) return fail(config.error());
        Imported imported;
        imported.config = std::move(*config);
        imported.remarks = std::move(r.remarks);
        imported.unmodelledParameters = m_unmodelled;
        return imported;
    }

private:
    [[nodiscard]] tl::unexpected<Error> failure(const std::string& where) const {
        return fail("bad_config", linesOf(r.problems()), where);
    }
    /// Implausible sizes would overflow the products below.
    void plausible(std::initializer_list<std::int64_t> values) {
        for (const std::int64_t value : values)
            if (value < 1 || value > 100000000) return r.problem("The shape has a size of %1."_text(value));
    }

    void sizes(const TypeTraits& traits) {
        const auto need = [&](std::int64_t& target, std::initializer_list<std::string_view> keys) {
            if (const auto value = r.integer(keys))
                target = *value;
            else if (const std::int64_t usual = defaultOf(traits.name, *keys.begin()); usual > 0)
                target = usual, r.approximated(std::string(*keys.begin()),
                                               "Not given; transformers takes %1 for this type."_text(usual));
            else if (r.problems().empty() || !r.contains(*keys.begin()))
                r.problem(std::string(*keys.begin()), "%1 is missing."_text);
        };
        need(m.numLayers, {"num_hidden_layers", "n_layer", "n_layers", "num_layers"});
        need(m.hiddenSize, {"hidden_size", "n_embd", "d_model", "n_embed"});
        need(m.numHeads, {"num_attention_heads", "n_head", "n_heads"});
        need(m.vocabSize, {"vocab_size"});
        if (const auto padded = r.integer({"padded_vocab_size"})) m.vocabSize = *padded;
        // Without a stated length, the longest common one: only learned tables depend on it, and their files always state it.
        m.maxSeqLen = r.integer({"max_position_embeddings", "n_positions", "max_seq_len", "n_ctx",
                                 "max_sequence_length", "seq_length"})
                          .value_or(2048);
        if (const auto window = r.integer({"model_max_length"})) m.maxSeqLen = std::max(m.maxSeqLen, *window);
        plausible({m.numLayers, m.hiddenSize, m.numHeads});
        if (!r.problems().empty()) return;
        const std::int64_t fourfold = 4 * m.hiddenSize;
        if (const auto ffn = r.integer({"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size"}))
            m.ffnHiddenSize = *ffn;
        else if (const auto ratio = r.integer({"expansion_ratio"}); ratio && *ratio > 0 && *ratio < 100)
            m.ffnHiddenSize = *ratio * m.hiddenSize;
        else
            m.ffnHiddenSize = fourfold;
        if (const auto kv =
                r.integer({"num_key_value_heads", "num_kv_heads", "n_head_kv", "kv_n_heads", "attn_config.kv_n_heads"}))
            m.numKvHeads = *kv;
        else if (const std::int64_t usual = defaultOf(traits.name, "num_key_value_heads"); usual > 0)
            m.numKvHeads = usual;
        const std::int64_t typical = traits.name.starts_with("qwen3")   ? 128
                                     : traits.name.starts_with("gemma") ? 256
                                                                        : 0;
        const auto head = r.integer({"head_dim", "kv_channels"});
        if (head || typical > 0) m.headDim = head.value_or(typical);
        if (const auto eps = r.real({"rms_norm_eps", "layer_norm_epsilon", "layer_norm_eps", "norm_epsilon", "norm_eps",
                                     "layernorm_epsilon"}))
            m.normEps = *eps;
        m.tieEmbeddings = r.flag({"tie_word_embeddings"}).value_or(traits.tieByDefault);
        const auto word = r.text({"hidden_act", "activation_function", "hidden_activation", "activation"});
        if (!traits.gated && word && (*word == "silu" || *word == "swiglu")) m.activation = Activation::SwiGlu;
        if (traits.gated && word && *word != "silu" && *word != "swish" && traits.note.empty())
            r.approximated("hidden_act", "The gate is read as SiLU: same matrices and products."_text);
        if (!traits.gated && word && *word == "relu")
            r.approximated("activation_function", "ReLU is read as GELU: same matrices and products."_text);
        if (const auto theta = r.real({"rope_theta", "rope_parameters.rope_theta", "rotary_emb_base"}))
            m.ropeTheta = *theta;
    }

    void extras(const std::string& type) {
        const bool attentionBias = r.flag({"attention_bias"}).value_or(type == "gpt_neox");
        const bool mlpBias = r.flag({"mlp_bias"}).value_or(type == "gpt_neox");
        const auto window = r.integer({"sliding_window"});
        if (type == "opt") {
            // OPT's position table has two rows before the first position.
            m.maxSeqLen += 2;
            r.approximated("max_position_embeddings", "The position table has two more rows than positions."_text);
            if (r.flag({"enable_bias"}) == false) m.bias = false;
            const auto projected = r.integer({"word_embed_proj_dim"});
            if (projected && *projected != m.hiddenSize)
                r.approximated(
                    "word_embed_proj_dim",
                    "The embedding is narrower than the model and projected; it is counted at full width."_text);
        } else if (type == "mpt") {
            m.position = PositionKind::Rope;
            m.bias = !r.flag({"no_bias"}).value_or(true);
            const auto alibi = r.flag({"attn_config.alibi"});
            if (alibi == true)
                r.approximated("attn_config.alibi", "ALiBi instead of rotary positions: neither has parameters."_text);
            else if (r.flag({"learned_pos_emb"}).value_or(true))
                m.position = PositionKind::Learned;
        } else if (type == "gpt_neox") {
            m.position = PositionKind::Rope;
            m.bias = mlpBias;
            if (attentionBias != mlpBias) m.qkvBias = attentionBias;
        } else if (type == "falcon" || type.starts_with("RefinedWeb")) {
            falcon();
        } else if (type == "phi") {
            m.position = PositionKind::Rope;
            r.approximated("model_type",
                           "Attention and feed-forward share one norm, and the output head has a bias."_text);
            unmodelled(m.vocabSize - 2 * m.hiddenSize * m.numLayers);
            if (r.flag({"qk_layernorm"}) == true) m.qkNorm = true;
        } else if (type == "bloom") {
            m.position = PositionKind::Rope;
            m.bias = true;
            r.approximated("model_type", "The embedding has its own norm."_text);
            unmodelled(2 * m.hiddenSize);
        } else if (type == "gpt_bigcode") {
            if (r.flag({"multi_query"}).value_or(true)) m.numKvHeads = 1;
        } else if (type == "nemotron") {
            m.position = PositionKind::Rope;
            m.bias = false;
            r.approximated("norm_eps", "The norms have biases; the linear layers have none."_text);
            unmodelled(m.hiddenSize * (2 * m.numLayers + 1));
        } else if (type == "glm" || type == "glm4") {
            if (r.flag({"attention_bias"}).value_or(type == "glm")) m.qkvBias = true;
        } else if (type == "chatglm") {
            if (r.flag({"multi_query_attention"}) == true)
                m.numKvHeads = r.integer({"multi_query_group_num"}).value_or(1);
            if (r.flag({"add_qkv_bias"}) == true) m.qkvBias = true;
            if (r.flag({"add_bias_linear"}) == true) m.bias = true;
        } else if (type == "starcoder2") {
            m.position = PositionKind::Rope;
            m.bias = r.flag({"use_bias"}).value_or(true);
        } else if (type == "qwen2" || type == "qwen2_moe") {
            m.qkvBias = r.flag({"qkv_bias"}).value_or(true);
        } else if (type == "glm4_moe") {
            if (attentionBias) m.qkvBias = true;
            m.qkNorm = r.flag({"use_qk_norm"}).value_or(false);
        } else if (type == "stablelm") {
            if (r.flag({"use_qkv_bias"}) == true) m.qkvBias = true;
            r.approximated("model_type", "The norms have biases; the linear layers have none."_text);
            unmodelled(m.hiddenSize * (2 * m.numLayers + 1));
            if (r.flag({"qk_layernorm"}) == true) m.qkNorm = true;
        } else {
            if (attentionBias && mlpBias) {
                m.bias = true;
            } else if (attentionBias) {
                m.qkvBias = true;
                r.approximated("attention_bias", "The bias of the attention output projection is not counted."_text);
                unmodelled(m.hiddenSize * m.numLayers);
            } else if (mlpBias) {
                m.bias = true;
                m.qkvBias = false;
                r.approximated(
                    "mlp_bias",
                    "A bias of the attention output projection is counted although the model has none."_text);
                unmodelled(-m.hiddenSize * m.numLayers);
            }
        }
        if (type == "qwen3" || type == "qwen3_moe" || type == "gemma3_text") m.qkNorm = true;
        if (type == "cohere" && r.flag({"use_qk_norm"}) == true)
            r.approximated("use_qk_norm", "Query and key norms are counted per head."_text), m.qkNorm = true;
        sliding(type, window);
    }

    void positions() {
        const HuggingFacePositions said = huggingFacePositions(r.document());
        if (said.scaling || !said.unknown.empty()) r.find({"rope_scaling", "rope_parameters"});
        if (!said.unknown.empty())
            r.approximated(
                "rope_scaling",
                "Rotary frequencies are not scaled as by %1: same matrices and products, other positions."_text(
                    said.unknown));
        if (m.positionKind() != PositionKind::Rope) return;
        m.ropeScaling = said.scaling;
        if (m.mla || !(said.turning > 0 && said.turning < 1)) return;
        r.find({"partial_rotary_factor", "rotary_pct"});
        const auto turning = static_cast<std::int64_t>(said.turning * static_cast<double>(m.headSize()));
        m.rotaryDim = std::max<std::int64_t>(2, turning / 2 * 2);
        if (turning % 2 != 0)
            r.approximated("partial_rotary_factor", "The rotated part of a head is rounded to pairs of values."_text);
    }

    /// Default sizes of transformers' classes, omitted in some published config.json; 0: none.
    static std::int64_t defaultOf(std::string_view type, std::string_view key) {
        // Gemma3TextConfig; the files of google/gemma-3-4b-it rely on it.
        if (type != "gemma3_text") return 0;
        return key == "num_attention_heads" ? 8 : key == "num_key_value_heads" ? 4 : key == "vocab_size" ? 262208 : 0;
    }

    void sliding(const std::string& type, const std::optional<std::int64_t>& window) {
        if (!window || *window <= 0) return;
        const auto used = r.flag({"use_sliding_window"});
        if (type.starts_with("gemma") || type == "olmo3" || type == "cohere2" || type == "gpt_oss") {
            r.approximated("sliding_window",
                           "Only some layers have the window; all are planned with full attention."_text);
        } else if ((type.starts_with("qwen") && used != true) || used == false) {
            r.noCounterpart("sliding_window", "use_sliding_window disables the window."_text);
        } else {
            m.slidingWindow = *window;
        }
    }

    void falcon() {
        m.position = PositionKind::Rope;
        m.bias = r.flag({"bias"}).value_or(false);
        const bool decoder = r.flag({"new_decoder_architecture"}).value_or(false);
        const bool parallel = r.flag({"parallel_attn"}).value_or(true);
        if (decoder) {
            if (!m.numKvHeads) m.numKvHeads = m.numHeads;
        } else {
            m.numKvHeads = r.flag({"multi_query"}).value_or(true) ? 1 : m.numHeads;
        }
        if (r.flag({"alibi"}) == true)
            r.approximated("alibi", "ALiBi instead of rotary positions: neither has parameters."_text);
        // Norms with scale and bias: one per layer for both parts of a parallel block, two in the new decoder.
        const std::int64_t norms = !decoder && parallel ? 1 : 2;
        const std::int64_t ours = *m.bias ? 4 : 2;
        const std::int64_t difference = (2 * norms - ours) * m.hiddenSize * m.numLayers + (*m.bias ? 0 : m.hiddenSize);
        if (difference != 0) {
            r.approximated("parallel_attn", "Norms and biases are shared differently from a GPT-2 block."_text);
            unmodelled(difference);
        }
    }

    void experts(const std::string& type) {
        const auto num = r.integer({"num_local_experts", "num_experts", "n_routed_experts"});
        if (!num || *num == 0) return;
        MoeSpec moe;
        moe.numExperts = *num;
        moe.topK = r.integer({"num_experts_per_tok", "num_experts_per_token", "moe_topk"}).value_or(moe.topK);
        moe.expertFfnHiddenSize = r.integer({"moe_intermediate_size"}).value_or(m.ffnHiddenSize);
        moe.numSharedExperts = r.integer({"n_shared_experts", "num_shared_experts"}).value_or(0);
        if (const auto shared = r.integer({"shared_expert_intermediate_size"}); shared && *shared > 0) {
            if (moe.expertFfnHiddenSize > 0 && *shared % moe.expertFfnHiddenSize == 0)
                moe.numSharedExperts = *shared / moe.expertFfnHiddenSize;
            else
                r.approximated(
                    "shared_expert_intermediate_size",
                    "The shared expert's width is not a multiple of a routed expert's; it is not counted."_text);
        }
        if (const auto aux = r.real({"router_aux_loss_coef", "aux_loss_alpha"})) moe.auxLossCoefficient = *aux;
        if (type == "llama4_text") {
            // Each token passes one shared expert of the routed experts' width; `intermediate_size_mlp` is the dense layers' width.
            moe.numSharedExperts = 1;
            moe.expertFfnHiddenSize = m.ffnHiddenSize;
            m.ffnHiddenSize = r.integer({"intermediate_size_mlp"}).value_or(m.ffnHiddenSize);
        }
        if (type == "gpt_oss") {
            r.approximated("num_local_experts",
                           "Biases of the experts and the router and the attention sinks are not counted."_text);
            unmodelled(m.numLayers * (moe.numExperts * (2 * m.ffnHiddenSize + m.hiddenSize + 1) + m.numHeads));
        }
        readRouting(type, r, moe);
        moe.numDenseLayers = r.integer({"first_k_dense_replace"}).value_or(0);
        const std::int64_t every =
            r.integer({"moe_layer_freq", "decoder_sparse_step", "interleave_moe_layer_step"}).value_or(1);
        if (every != 1)
            r.approximated(
                "decoder_sparse_step",
                "Not every layer has experts; all layers after the first dense ones are planned with experts."_text);
        denseList(moe);
        plausible({moe.numExperts, moe.expertFfnHiddenSize, moe.numDenseLayers + 1});
        if (!r.problems().empty()) return;
        const std::int64_t moeLayers = std::max<std::int64_t>(0, m.numLayers - moe.numDenseLayers);
        if (type == "qwen2_moe" && moe.numSharedExperts > 0) {
            r.approximated("shared_expert_intermediate_size", "The gate of the shared expert is not counted."_text);
            unmodelled(m.hiddenSize * moeLayers);
        }
        m.moe = moe;
    }

    void denseList(MoeSpec& moe) {
        const Json* dense = r.find("mlp_only_layers");
        if (dense == nullptr || !dense->is_array()) return;
        std::int64_t leading = 0;
        for (const Json& layer : *dense)
            if (layer.is_number_integer() && layer == leading) ++leading;
        moe.numDenseLayers = leading;
        if (leading != static_cast<std::int64_t>(dense->size()))
            r.approximated("mlp_only_layers",
                           "Dense layers after the first expert layer are planned with experts."_text);
    }

    void latentAttention() {
        if (!r.contains("kv_lora_rank")) return;
        MlaSpec mla;
        mla.qLoraRank = r.integer({"q_lora_rank"}).value_or(0);
        mla.kvLoraRank = r.integer({"kv_lora_rank"}).value_or(mla.kvLoraRank);
        mla.qkNopeHeadDim = r.integer({"qk_nope_head_dim"}).value_or(mla.qkNopeHeadDim);
        mla.qkRopeHeadDim = r.integer({"qk_rope_head_dim"}).value_or(mla.qkRopeHeadDim);
        mla.vHeadDim = r.integer({"v_head_dim"}).value_or(mla.vHeadDim);
        m.mla = mla;
        // Latent attention has one compressed key-value for all heads; the counts below are the expanded ones.
        m.numKvHeads.reset();
        m.headDim.reset();
        (void)r.integer({"qk_head_dim"});
    }

    void differences(const std::string& type) {
        const std::int64_t h = m.hiddenSize, layers = m.numLayers;
        const std::int64_t queries = m.numHeads * m.headSize(), keys = m.kvHeads() * m.headSize();
        if (type == "olmo2" || type == "olmo3" || type == "olmoe") {
            m.qkNorm = true;
            r.approximated("model_type",
                           "Queries and keys are normalised over all heads at once; the count is per head."_text);
            unmodelled(layers * (queries + keys - 2 * m.headSize()));
        }
        if (type == "olmo") {
            r.approximated("model_type", "The norms have no weights."_text);
            unmodelled(-h * (2 * layers + 1));
        }
        if (type == "gemma2" || type == "gemma3_text" || type == "glm4") {
            r.approximated("model_type", "Each layer has two more norms, after attention and after feed-forward."_text);
            unmodelled(2 * h * layers);
        }
        if (type == "cohere" || type == "cohere2") {
            r.approximated("model_type", "Attention and feed-forward share one norm."_text);
            unmodelled(-h * layers);
        }
    }

    void unmodelled(std::int64_t parameters) { m_unmodelled += parameters; }

    KeyReader r;
    RunConfig m_config;
    ModelSpec m;
    std::int64_t m_unmodelled = 0;
};

}  // namespace

bool looksLikeHuggingFace(const Json& document) {
    return document.is_object() && (document.contains("model_type") || document.contains("architectures"));
}

Result<Imported> importHuggingFace(const Json& document, const RunConfig& base, const std::string& where) {
    if (!document.is_object())
        return fail("bad_config", "A config.json of Hugging Face is an object { ... }."_text, where);
    const Json* inner = peek(document, "text_config");
    if (inner == nullptr || !inner->is_object()) return Reading(document, base).run(where);
    // Multimodal models wrap the language model's config.
    Json text = *inner;
    if (!text.contains("model_type") && document.contains("model_type")) text["model_type"] = document["model_type"];
    if (document.contains("tie_word_embeddings") && !text.contains("tie_word_embeddings"))
        text["tie_word_embeddings"] = document["tie_word_embeddings"];
    auto imported = Reading(text, base).run(where);
    if (!imported) return imported;
    for (const auto& item : document.items())
        if (item.key() != "text_config" && item.key() != "model_type")
            imported->remarks.push_back({RemarkKind::NoCounterpart, item.key(),
                                         item.value().is_structured() ? std::string() : dumpJson(item.value(), false),
                                         "Outside text_config: only the language model is read."_text});
    return imported;
}

}  // namespace slipway::interop
