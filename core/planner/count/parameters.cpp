#include "core/planner/count/parameters.h"

#include "core/base/real.h"

#include <algorithm>

namespace slipway {

namespace {

double normParameters(const ModelSpec& m) {
    return real(m.hiddenSize) * (m.normKind() == NormKind::LayerNorm && m.hasBias() ? 2 : 1);
}

void addMla(const ModelSpec& m, LayerParameters& p) {
    // DeepSeek-V2 (arXiv 2405.04434, sec. 2.1): compressed queries and key-values, one rotary key for all heads.
    const double h = real(m.hiddenSize), a = real(m.numHeads);
    const double nope = real(m.mla->qkNopeHeadDim), rope = real(m.mla->qkRopeHeadDim), v = real(m.mla->vHeadDim);
    const double rq = real(m.mla->qLoraRank), rkv = real(m.mla->kvLoraRank);
    const double down = h * rq + h * (rkv + rope);
    const double query = (rq > 0 ? rq : h) * a * (nope + rope);
    p.attention = down + query + rkv * a * (nope + v) + a * v * h + rq + rkv;
    p.vectors = rq + rkv;
    p.replicated = down + rq + rkv;
}

void addAttention(const ModelSpec& m, LayerParameters& p) {
    if (m.mla) return addMla(m, p);
    const double h = real(m.hiddenSize);
    const double q = real(m.numHeads * m.headSize());
    const double kv = real(m.kvHeads() * m.headSize());
    const double outBias = m.hasBias() ? h : 0;
    const double qkNorm = m.qkNorm ? 2 * real(m.headSize()) : 0;
    p.vectors = (m.hasQkvBias() ? q + 2 * kv : 0) + outBias + qkNorm;
    p.replicated = outBias + qkNorm;
    p.attention = h * (q + 2 * kv) + q * h + p.vectors;
}

void addFfn(const ModelSpec& m, bool moeLayer, LayerParameters& p) {
    const double h = real(m.hiddenSize);
    const bool gated = m.activationKind() == Activation::SwiGlu;
    const double matrices = gated ? 3 : 2;
    if (moeLayer) {
        const double expert = matrices * h * real(m.moe->expertFfnHiddenSize);
        p.routedExperts = real(m.moe->numExperts) * expert;
        p.idleExperts = real(std::max<std::int64_t>(m.moe->numExperts - m.moe->topK, 0)) * expert;
        p.ffn = p.routedExperts + real(m.moe->numSharedExperts) * expert;
        const double bias = m.moe->biasUpdateRate > 0 ? real(m.moe->numExperts) : 0;
        p.router = h * real(m.moe->numExperts) + bias;
        p.vectors += bias;
        return;
    }
    const double width = real(m.ffnHiddenSize);
    const double bias = m.hasBias() ? (gated ? 2 : 1) * width + h : 0;
    p.ffn = matrices * h * width + bias;
    p.vectors += bias;
    p.replicated += m.hasBias() ? h : 0;
}

}  // namespace

bool isMoeLayer(const ModelSpec& model, std::int64_t layer) {
    return model.moe && layer >= model.moe->numDenseLayers;
}

double kvHeadsPerRank(const ModelSpec& model, std::int64_t tp) {
    return std::max(1.0, real(model.kvHeads()) / real(tp));
}

double repeatedKvParameters(const ModelSpec& model, std::int64_t tp) {
    if (model.mla) return 0;
    const double heads = kvHeadsPerRank(model, tp) - real(model.kvHeads()) / real(tp);
    return heads * real(model.headSize()) * 2 * (real(model.hiddenSize) + (model.hasQkvBias() ? 1 : 0));
}

double attentionWidth(const ModelSpec& model) {
    if (model.mla)
        return real(model.numHeads * (model.mla->qkNopeHeadDim + model.mla->qkRopeHeadDim + model.mla->vHeadDim)) / 2;
    return real(model.numHeads * model.headSize());
}

LayerParameters countLayer(const ModelSpec& model, std::int64_t layer) {
    LayerParameters p;
    addAttention(model, p);
    addFfn(model, isMoeLayer(model, layer), p);
    p.norm = 2 * normParameters(model);
    return p;
}

EndParameters countEnds(const ModelSpec& model) {
    const double h = real(model.hiddenSize);
    return {real(model.vocabSize) * h, model.positionKind() == PositionKind::Learned ? real(model.maxSeqLen) * h : 0,
            normParameters(model)};
}

ParameterCount countParameters(const ModelSpec& model) {
    const EndParameters ends = countEnds(model);
    ParameterCount c;
    c.embedding = ends.table + ends.positions;
    c.head = model.tieEmbeddings ? 0 : ends.table;
    c.norm = ends.finalNorm;
    c.matmul = ends.table;
    double idle = 0;
    const std::int64_t numDense = model.moe ? std::min(model.moe->numDenseLayers, model.numLayers) : model.numLayers;
    const auto add = [&](const LayerParameters& layer, double times) {
        c.attention += times * layer.attention;
        c.ffn += times * layer.ffn;
        c.router += times * layer.router;
        c.norm += times * layer.norm;
        c.matmul += times * layer.matmul();
        idle += times * layer.idleExperts;
    };
    if (numDense > 0) add(countLayer(model, 0), real(numDense));
    if (numDense < model.numLayers) add(countLayer(model, numDense), real(model.numLayers - numDense));
    c.total = c.embedding + c.attention + c.ffn + c.norm + c.head + c.router;
    c.active = c.total - idle;
    return c;
}

TpShapes tpShapes(const ModelSpec& model, std::int64_t tp) {
    const std::int64_t h = model.hiddenSize, q = model.numHeads * model.headSize() / tp, f = model.ffnHiddenSize / tp;
    return {model.numHeads / tp, {h, q}, {h, f}, {f, h}};
}

double gptParameters(double layers, double hidden, double vocab, double positions, bool finalNorm) {
    return 12 * layers * hidden * hidden + 13 * layers * hidden + (vocab + positions) * hidden +
           (finalNorm ? 2 * hidden : 0);
}

DecoderParts decoderParts(double layers, double hidden, double ffn, double heads, double kvHeads, double headSize,
                          double vocab) {
    return {3 * layers * hidden * ffn, 2 * vocab * hidden, layers * hidden * headSize * (2 * heads + 2 * kvHeads)};
}

}  // namespace slipway
