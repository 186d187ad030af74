// ModelSpec: the shape of a decoder-only transformer.
#pragma once

#include "core/base/field_table.h"
#include "core/spec/moe_spec.h"
#include "core/spec/rope_scaling.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace slipway {

enum class Family { Llama, Gpt2 };
constexpr auto enumNames(Family) {
    return std::array{EnumName<Family>{Family::Llama, "llama", "RMSNorm, rotary positions, SwiGLU, no biases"_text},
                      EnumName<Family>{Family::Gpt2, "gpt2", "LayerNorm, learned positions, GELU, biases"_text}};
}
enum class NormKind { RmsNorm, LayerNorm };
constexpr auto enumNames(NormKind) {
    return std::array{EnumName<NormKind>{NormKind::RmsNorm, "rmsnorm"},
                      EnumName<NormKind>{NormKind::LayerNorm, "layernorm"}};
}
enum class Activation { SwiGlu, Gelu };
constexpr auto enumNames(Activation) {
    return std::array{EnumName<Activation>{Activation::SwiGlu, "swiglu", "gated: three matrices"_text},
                      EnumName<Activation>{Activation::Gelu, "gelu", "two matrices"_text}};
}
enum class PositionKind { Rope, Learned };
constexpr auto enumNames(PositionKind) {
    return std::array{EnumName<PositionKind>{PositionKind::Rope, "rope"},
                      EnumName<PositionKind>{PositionKind::Learned, "learned"}};
}

/// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434): compressed queries and key-values.
struct MlaSpec {
    std::int64_t qLoraRank = 0;
    std::int64_t kvLoraRank = 512;
    std::int64_t qkNopeHeadDim = 128;
    std::int64_t qkRopeHeadDim = 64;
    std::int64_t vHeadDim = 128;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("q_lora_rank")
              .label("MLA query rank"_text)
              .help("Rank of the query compression; 0 means no compression."_text)
              .atLeast(0),
          s.qLoraRank);
        v(field("kv_lora_rank")
              .label("MLA key-value rank"_text)
              .help("Rank of the key-value compression."_text)
              .atLeast(1),
          s.kvLoraRank);
        v(field("qk_nope_head_dim")
              .label("MLA head, no positions"_text)
              .help("Part of a query/key head without rotary position."_text)
              .atLeast(1),
          s.qkNopeHeadDim);
        v(field("qk_rope_head_dim")
              .label("MLA head, rotary"_text)
              .help("Part of a query/key head with rotary position, shared by all key heads."_text)
              .atLeast(1),
          s.qkRopeHeadDim);
        v(field("v_head_dim").label("MLA value head"_text).help("Width of a value head."_text).atLeast(1), s.vHeadDim);
    }
};

/// Shape of the model. Optional fields default to the family's value; the functions below return the effective value.
struct ModelSpec {
    Family family = Family::Llama;
    std::int64_t numLayers = 4;
    std::int64_t hiddenSize = 128;
    std::int64_t ffnHiddenSize = 384;
    std::int64_t numHeads = 4;
    std::optional<std::int64_t> numKvHeads;
    std::optional<std::int64_t> headDim;
    std::int64_t vocabSize = 2048;
    std::int64_t maxSeqLen = 256;
    std::optional<NormKind> norm;
    double normEps = 1e-5;
    std::optional<Activation> activation;
    std::optional<PositionKind> position;
    double ropeTheta = 10000;
    std::optional<std::int64_t> rotaryDim;
    std::optional<RopeScaling> ropeScaling;
    std::optional<bool> bias;
    std::optional<bool> qkvBias;
    bool tieEmbeddings = false;
    bool qkNorm = false;
    std::optional<std::int64_t> slidingWindow;
    std::optional<MlaSpec> mla;
    std::optional<MoeSpec> moe;

    [[nodiscard]] std::int64_t kvHeads() const { return numKvHeads.value_or(numHeads); }
    [[nodiscard]] std::int64_t headSize() const { return headDim.value_or(numHeads > 0 ? hiddenSize / numHeads : 0); }
    /// Rotary values of a head, its first ones; for latent attention the part reserved for it.
    [[nodiscard]] std::int64_t rotarySize() const { return mla ? mla->qkRopeHeadDim : rotaryDim.value_or(headSize()); }
    [[nodiscard]] NormKind normKind() const {
        return norm.value_or(family == Family::Llama ? NormKind::RmsNorm : NormKind::LayerNorm);
    }
    [[nodiscard]] Activation activationKind() const {
        return activation.value_or(family == Family::Llama ? Activation::SwiGlu : Activation::Gelu);
    }
    [[nodiscard]] PositionKind positionKind() const {
        return position.value_or(family == Family::Llama ? PositionKind::Rope : PositionKind::Learned);
    }
    [[nodiscard]] bool hasBias() const { return bias.value_or(family == Family::Gpt2); }
    [[nodiscard]] bool hasQkvBias() const { return qkvBias.value_or(hasBias()); }

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("family")
              .label("Family"_text)
              .help("Block design; the fields norm, activation, position and bias override parts of it."_text),
          s.family);
        v(field("num_layers").label("Layers"_text).unit("layers"_text).help("Transformer blocks."_text).range(1, 10000),
          s.numLayers);
        v(field("hidden_size").label("Hidden size"_text).help("Width of the residual stream."_text).range(1, 1000000),
          s.hiddenSize);
        v(field("ffn_hidden_size")
              .label("Feed-forward size"_text)
              .help("Width of the feed-forward layer."_text)
              .range(1, 10000000),
          s.ffnHiddenSize);
        v(field("num_heads").label("Heads"_text).unit("heads"_text).help("Query heads."_text).range(1, 4096),
          s.numHeads);
        v(field("num_kv_heads")
              .label("Key-value heads"_text)
              .unit("heads"_text)
              .help("Key-value heads (grouped-query attention); default: as many as query heads."_text)
              .range(1, 4096),
          s.numKvHeads);
        v(field("head_dim")
              .label("Head size"_text)
              .help("Width of one head; default: hidden_size / num_heads."_text)
              .range(1, 4096),
          s.headDim);
        v(field("vocab_size")
              .label("Vocabulary"_text)
              .unit("tokens"_text)
              .help("Entries of the vocabulary."_text)
              .range(2, 10000000),
          s.vocabSize);
        v(field("max_seq_len")
              .label("Longest sequence"_text)
              .unit("tokens"_text)
              .help("Longest sequence; the size of a learned position table."_text)
              .range(1, 100000000),
          s.maxSeqLen);
        v(field("tie_embeddings")
              .label("Tied embeddings"_text)
              .help("The output head uses the input embedding's matrix."_text),
          s.tieEmbeddings);
        v(field("norm").label("Normalisation"_text).help("Normalisation layer; default: the family's."_text).advanced(),
          s.norm);
        v(field("norm_eps")
              .label("Normalisation epsilon"_text)
              .help("Added to the variance before the square root."_text)
              .range(0, 1)
              .advanced(),
          s.normEps);
        v(field("activation")
              .label("Activation"_text)
              .help("Feed-forward activation; default: the family's."_text)
              .advanced(),
          s.activation);
        v(field("position")
              .label("Positions"_text)
              .help("Position information; default: the family's."_text)
              .advanced(),
          s.position);
        v(field("rope_theta")
              .label("RoPE base"_text)
              .help("Base of the rotary frequencies."_text)
              .range(1, 1e12)
              .when(s.positionKind() == PositionKind::Rope, "position is rope"_text)
              .advanced(),
          s.ropeTheta);
        v(field("rotary_dim")
              .label("Rotary width"_text)
              .help("Rotated values of a head (GLM-4.5, GPT-NeoX); default: all."_text)
              .range(2, 4096)
              .when(s.positionKind() == PositionKind::Rope && !s.mla, "position is rope, without mla"_text)
              .advanced(),
          s.rotaryDim);
        v(field("rope_scaling")
              .help("Slower rotary frequencies, for longer sequences."_text)
              .when(s.positionKind() == PositionKind::Rope, "position is rope"_text)
              .advanced(),
          s.ropeScaling);
        v(field("bias").label("Biases"_text).help("Linear layers have biases; default: the family's."_text).advanced(),
          s.bias);
        v(field("qkv_bias")
              .label("QKV biases"_text)
              .help("Query, key and value projections have biases (Qwen2); default: as bias."_text)
              .advanced(),
          s.qkvBias);
        v(field("qk_norm").label("QK normalisation"_text).help("Normalise queries and keys per head."_text).advanced(),
          s.qkNorm);
        v(field("sliding_window")
              .label("Sliding window"_text)
              .unit("tokens"_text)
              .help("Number of latest tokens visible to attention."_text)
              .atLeast(1)
              .advanced(),
          s.slidingWindow);
        v(field("mla").help("Multi-head latent attention."_text).advanced(), s.mla);
        v(field("moe").help("Mixture of experts."_text).advanced(), s.moe);
    }
};

}  // namespace slipway
