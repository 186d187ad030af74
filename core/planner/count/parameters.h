// Number of parameters of a model, by part.
//   countParameters(llama3_8b).total == 8030261248
#pragma once

#include "core/planner/values/forecast.h"
#include "core/spec/model_spec.h"

#include <array>
#include <cstdint>

namespace slipway {

/// Parameters of one decoder layer.
struct LayerParameters {
    double attention = 0;  ///< projections with biases and MLA compressions
    double ffn = 0;        ///< dense matrices, or routed plus shared experts
    double router = 0;
    double norm = 0;
    double routedExperts = 0;  ///< part of ffn that expert parallelism shards
    double idleExperts = 0;    ///< part of ffn not active for a token
    double vectors = 0;  ///< part of attention, ffn and router that is not a matrix: biases, norms of queries and keys
    double replicated = 0;  ///< part of attention and ffn replicated in full on every tensor-parallel rank
    [[nodiscard]] double matmul() const { return attention + ffn + router - idleExperts - vectors; }
    [[nodiscard]] double total() const { return attention + ffn + router + norm; }
};

/// Parameters of the first and last stage in addition to layers.
struct EndParameters {
    double table = 0;  ///< one vocabulary matrix
    double positions = 0;
    double finalNorm = 0;
};

ParameterCount countParameters(const ModelSpec& model);
EndParameters countEnds(const ModelSpec& model);
/// @param layer index; mixture-of-experts models may begin with dense layers
LayerParameters countLayer(const ModelSpec& model, std::int64_t layer);
/// True when this layer's feed-forward part is a mixture of experts.
bool isMoeLayer(const ModelSpec& model, std::int64_t layer);
/// Key-value heads of one tensor-parallel rank: with fewer heads than ranks, several ranks hold the same one.
double kvHeadsPerRank(const ModelSpec& model, std::int64_t tp);
/// Elements of a layer's key and value projections on one rank beyond its 1 / tp share.
double repeatedKvParameters(const ModelSpec& model, std::int64_t tp);
/// Width of all query heads; for MLA (d_qk + d_v) / 2 per head: the q of the attention FLOPs.
double attentionWidth(const ModelSpec& model);

/// Shapes of one layer's matrices on one tensor-parallel rank, [inputs, outputs]: queries (and, with as many key-value
/// heads, keys and values), first and second feed-forward matrix.
struct TpShapes {
    std::int64_t headsPerRank = 0;
    std::array<std::int64_t, 2> query{}, ffnIn{}, ffnOut{};
};
TpShapes tpShapes(const ModelSpec& model, std::int64_t tp);

/// Closed form of a GPT model, 12 L h^2 + 13 L h + (V + s) h, and 2 h for the final norm (Narayanan 2021, eq. 2).
double gptParameters(double layers, double hidden, double vocab, double positions, bool finalNorm);

/// Parts of a gated decoder as counted in the scaling book: no norms, untied head.
struct DecoderParts {
    double ffn = 0, vocab = 0, attention = 0;
    [[nodiscard]] double total() const { return ffn + vocab + attention; }
};
DecoderParts decoderParts(double layers, double hidden, double ffn, double heads, double kvHeads, double headSize,
                          double vocab);

}  // namespace slipway
