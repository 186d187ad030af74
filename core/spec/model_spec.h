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
    return std::array{EnumName<Family>{Family::Llama, "llama", "RMSNorm, rotary positions, SwiGLU, no biases"},
                      EnumName<Family>{Family::Gpt2, "gpt2", "LayerNorm, learned positions, GELU, biases"}};
}
enum class NormKind { RmsNorm, LayerNorm };
constexpr auto enumNames(NormKind) {
    return std::array{EnumName<NormKind>{NormKind::RmsNorm, "rmsnorm"},
                      EnumName<NormKind>{NormKind::LayerNorm, "layernorm"}};
}
enum class Activation { SwiGlu, Gelu };
constexpr auto enumNames(Activation) {
    return std::array{EnumName<Activation>{Activation::SwiGlu, "swiglu", "gated: three matrices"},
                      EnumName<Activation>{Activation::Gelu, "gelu", "two matrices"}};
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
        v(field("q_lora_rank").help("Rank of the query compression; 0 means no compression.").atLeast(0), s.qLoraRank);
        v(field("kv_lora_rank").help("Rank of the key-value compression.").atLeast(1), s.kvLoraRank);
        v(field("qk_nope_head_dim").help("Part of a query/key head without rotary position.").atLeast(1),
          s.qkNopeHeadDim);
        v(field("qk_rope_head_dim")
              .help("Part of a query/key head with rotary position, shared by all key heads.")
              .atLeast(1),
          s.qkRopeHeadDim);
        v(field("v_head_dim").help("Width of a value head.").atLeast(1), s.vHeadDim);
    }
};

/// Shape of the model. Optional fields take the family's value; the functions below give the value in force.
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
    /// Values of a head that turn with the position, the first ones; of latent attention the part that is kept for it.
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
        v(field("family").help("Block design; the fields norm, activation, position and bias override parts of it."),
          s.family);
        v(field("num_layers").unit("layers").help("Transformer blocks.").range(1, 10000), s.numLayers);
        v(field("hidden_size").help("Width of the residual stream.").range(1, 1000000), s.hiddenSize);
        v(field("ffn_hidden_size").help("Width of the feed-forward layer.").range(1, 10000000), s.ffnHiddenSize);
        v(field("num_heads").unit("heads").help("Query heads.").range(1, 4096), s.numHeads);
        v(field("num_kv_heads")
              .unit("heads")
              .help("Key-value heads (grouped-query attention); default: as many as query heads.")
              .range(1, 4096),
          s.numKvHeads);
        v(field("head_dim").help("Width of one head; default: hidden_size / num_heads.").range(1, 4096), s.headDim);
        v(field("vocab_size").unit("tokens").help("Entries of the vocabulary.").range(2, 10000000), s.vocabSize);
        v(field("max_seq_len")
              .unit("tokens")
              .help("Longest sequence; the size of a learned position table.")
              .range(1, 100000000),
          s.maxSeqLen);
        v(field("tie_embeddings").help("The output head uses the input embedding's matrix."), s.tieEmbeddings);
        v(field("norm").help("Normalisation layer; default: the family's.").advanced(), s.norm);
        v(field("norm_eps").help("Added to the variance before the root.").range(0, 1).advanced(), s.normEps);
        v(field("activation").help("Feed-forward activation; default: the family's.").advanced(), s.activation);
        v(field("position").help("Position information; default: the family's.").advanced(), s.position);
        v(field("rope_theta")
              .help("Base of the rotary frequencies.")
              .range(1, 1e12)
              .when(s.positionKind() == PositionKind::Rope, "position is rope")
              .advanced(),
          s.ropeTheta);
        v(field("rotary_dim")
              .help("Values of a head that turn with the position (GLM-4.5, GPT-NeoX); default: all.")
              .range(2, 4096)
              .when(s.positionKind() == PositionKind::Rope && !s.mla, "position is rope, without mla")
              .advanced(),
          s.rotaryDim);
        v(field("rope_scaling")
              .help("Slower rotary frequencies, for longer sequences.")
              .when(s.positionKind() == PositionKind::Rope, "position is rope")
              .advanced(),
          s.ropeScaling);
        v(field("bias").help("Linear layers have biases; default: the family's.").advanced(), s.bias);
        v(field("qkv_bias").help("Query, key and value projections have biases (Qwen2); default: as bias.").advanced(),
          s.qkvBias);
        v(field("qk_norm").help("Normalise queries and keys per head.").advanced(), s.qkNorm);
        v(field("sliding_window").unit("tokens").help("Attention sees only the last tokens.").atLeast(1).advanced(),
          s.slidingWindow);
        v(field("mla").help("Multi-head latent attention.").advanced(), s.mla);
        v(field("moe").help("Mixture of experts.").advanced(), s.moe);
    }
};

}  // namespace slipway
