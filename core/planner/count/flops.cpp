#include "core/planner/count/flops.h"

#include "core/base/real.h"
#include "core/planner/count/parameters.h"

#include <algorithm>

namespace slipway {

namespace {

/// Tokens one query sees at most: the sequence, or the window. Causal counting averages over positions.
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

double modelFlopsPerToken(const ModelSpec& model, std::int64_t seqLen, FlopsRule rule) {
    const ParameterCount n = countParameters(model);
    const double layers = real(model.numLayers);
    const double full = 3 * layers * attentionForwardFlopsPerToken(model, seqLen, false);
    const double causal = 3 * layers * attentionForwardFlopsPerToken(model, seqLen, true);
    switch (rule) {
        case FlopsRule::A: return 6 * n.active + full;
        case FlopsRule::B: return 6 * n.matmul + full;
        case FlopsRule::C: return 6 * n.matmul + causal;
        case FlopsRule::D:
            return 8 * (n.active - n.embedding - n.head) + full * 4 / 3 + 6 * real(model.vocabSize * model.hiddenSize);
    }
    return 0;
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
