#include "core/base/real.h"
#include "core/planner/count/flops_terms.h"
#include "core/planner/count/parameters.h"

#include <algorithm>

namespace slipway {

namespace {

/// Maximum tokens visible to a query: the sequence, or the window. Causal counting averages over positions.
double visibleTokens(const ModelSpec& m, std::int64_t seqLen, bool causal) {
    const double s = real(seqLen);
    if (!m.slidingWindow || real(*m.slidingWindow) >= s) return causal ? s / 2 : s;
    const double w = real(*m.slidingWindow);
    return causal ? w - w * w / (2 * s) : w;
}

}  // namespace

double attentionForwardFlopsPerToken(const ModelSpec& model, std::int64_t seqLen, bool causal) {
    return 4 * attentionWidth(model) * visibleTokens(model, seqLen, causal);
}

double layerForwardFlopsPerToken(const ModelSpec& model, bool moeLayer) {
    const std::int64_t index = !model.moe || !moeLayer ? 0 : model.moe->numDenseLayers;
    return 2 * countLayer(model, index).matmul();
}

double replicatedForwardFlopsPerToken(const ModelSpec& model, std::int64_t tp) {
    const double ranks = real(tp);
    const double columns =
        model.mla ? (ranks - 1) * real(model.mla->qLoraRank + model.mla->kvLoraRank + model.mla->qkRopeHeadDim)
                  : 2 * (ranks * kvHeadsPerRank(model, tp) - real(model.kvHeads())) * real(model.headSize());
    return 2 * real(model.numLayers * model.hiddenSize) * columns;
}

namespace {

template <class Number>
Number flopsPerToken(const ModelSpec& model, std::int64_t seqLen, FlopsRule rule) {
    const ParameterCount n = countParameters(model);
    const bool causal = rule == FlopsRule::C;
    const Number attention =
        quantity<Number>(causal ? "causal_attention_flops" : "full_attention_flops",
                         3 * real(model.numLayers) * attentionForwardFlopsPerToken(model, seqLen, causal), "FLOP");
    const auto parameters = [](const char* name, double count) { return quantity<Number>(name, count); };
    switch (rule) {
        case FlopsRule::A: return 6.0 * parameters("parameters.active", n.active) + attention;
        case FlopsRule::B:
        case FlopsRule::C: return 6.0 * parameters("parameters.matmul", n.matmul) + attention;
        case FlopsRule::D:
            return 8.0 * (parameters("parameters.active", n.active) - parameters("parameters.embedding", n.embedding) -
                          parameters("parameters.head", n.head)) +
                   attention * 4.0 / 3.0 +
                   6.0 * parameters("head_parameters", real(model.vocabSize * model.hiddenSize));
    }
    return {};
}

}  // namespace

double modelFlopsPerToken(const ModelSpec& model, std::int64_t seqLen, FlopsRule rule) {
    return flopsPerToken<double>(model, seqLen, rule);
}

Term modelFlopsTerm(const ModelSpec& model, std::int64_t seqLen, FlopsRule rule) {
    return flopsPerToken<Term>(model, seqLen, rule);
}

double trainingFlops(double parameters, double tokens, bool includeBackward) {
    return (includeBackward ? 6 : 2) * parameters * tokens;
}

double megatronStepFlops(double batch, double seqLen, double layers, double hidden, double vocab) {
    return 96 * batch * seqLen * layers * hidden * hidden *
           (1 + seqLen / (6 * hidden) + vocab / (16 * layers * hidden));
}

double palmFlopsPerToken(double parameters, double layers, double hidden, double seqLen) {
    return 6 * parameters + 12 * layers * hidden * seqLen;
}

std::optional<double> mfu(double flopsPerToken, double tokensPerSecond, std::optional<double> peakFlops,
                          double devices) {
    if (!peakFlops || *peakFlops <= 0 || devices <= 0) return {};
    const double value = flopsPerToken * tokensPerSecond / (*peakFlops * devices);
    return value == value ? std::optional(value) : std::nullopt;
}

}  // namespace slipway
