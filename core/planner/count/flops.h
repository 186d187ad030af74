// FLOPs per token of one training step under the conventions of published figures. Compare MFU figures only under the
// same rule: for Llama-3 8B at 8k tokens rules A and C differ by 19 %.
//   modelFlopsPerToken(model, 8192, FlopsRule::C) / 1e9 == 51.47     // Llama-3 8B
#pragma once

#include "core/spec/model_spec.h"

#include <array>
#include <cstdint>
#include <optional>

namespace slipway {

enum class FlopsRule { A, B, C, D };
constexpr auto enumNames(FlopsRule) {
    return std::array{
        EnumName<FlopsRule>{FlopsRule::A, "A", "6 N + full attention (PaLM, llm-foundry, nanotron)"_text},
        EnumName<FlopsRule>{FlopsRule::B, "B", "6 (N - input embedding) + full attention (torchtitan, NeMo 24)"_text},
        EnumName<FlopsRule>{FlopsRule::C, "C",
                            "6 (N - input embedding) + causal attention (Megatron today, llm.c)"_text},
        EnumName<FlopsRule>{FlopsRule::D, "D", "with full recomputation counted (Megatron 2021, BLOOM)"_text}};
}

/// The product's default: the model's needs, counted causally.
constexpr FlopsRule kDefaultFlopsRule = FlopsRule::C;

/// Model FLOPs per token, forward and backward, without recomputation (rule D counts it). Experts: active ones only.
/// A: 6 N + 12 L q s;  B: 6 (N - embedding lookup) + 12 L q s;  C: 6 (N - embedding lookup) + 6 L q s;
/// D: 8 (N - embeddings) + 16 L q s + 6 V h. q = heads * head size ((d_qk + d_v) / 2 for MLA); a sliding window w
/// caps s. A tied matrix counts once, as the output head. Sources: A PaLM (arXiv 2204.02311,
/// appendix B); B torchtitan; C Megatron-LM (num_floating_point_operations); D Narayanan 2021 (2104.04473, eq. 3).
double modelFlopsPerToken(const ModelSpec& model, std::int64_t seqLen, FlopsRule rule = kDefaultFlopsRule);

/// Attention core alone (scores and values), forward, per token and layer: 4 q s, halved when causal.
double attentionForwardFlopsPerToken(const ModelSpec& model, std::int64_t seqLen, bool causal);

/// Forward FLOPs per token of a decoder layer's matrix products (2 per weight; active experts only).
double layerForwardFlopsPerToken(const ModelSpec& model, bool moeLayer);

/// FLOPs per token of the forward products that tensor-parallel ranks replicate, all layers: keys and values where tp exceeds the
/// key-value heads, the compressed vectors of latent attention on each rank after the first. The model's FLOPs exclude them.
double replicatedForwardFlopsPerToken(const ModelSpec& model, std::int64_t tp);

// The sources' own formulas, separate from the product's count above.

/// Training compute 6 N D, or one forward pass 2 N D (Kaplan 2020, arXiv 2001.08361, sec. 2.1).
double trainingFlops(double parameters, double tokens, bool includeBackward = true);

/// Megatron's closed form for one step of a GPT model with full recomputation:
/// 96 B s L h^2 (1 + s/(6h) + V/(16 L h)) (Narayanan 2021, eq. 3).
double megatronStepFlops(double batch, double seqLen, double layers, double hidden, double vocab);

/// 6 N + 12 L h s (PaLM appendix B).
double palmFlopsPerToken(double parameters, double layers, double hidden, double seqLen);

/// Model FLOPs utilisation: achieved / (peak of one device * devices). Empty when an input is unknown.
std::optional<double> mfu(double flopsPerToken, double tokensPerSecond, std::optional<double> peakFlops,
                          double devices);

}  // namespace slipway
