#include "core/planner/memory/activations.h"

#include "core/planner/count/parameters.h"

#include <cmath>

namespace slipway {

namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

/// The sizes all formulas are made of, on one rank.
struct Sizes {
    double tokens, shardTokens;  ///< T and, between the tensor-parallel regions, T/t under sequence parallelism
    double h, q, kv, f, heads, e;
    double tp;
    explicit Sizes(const RunConfig& c) {
        const ModelSpec& m = c.model;
        tp = real(c.parallel.tp);
        tokens = real(c.train.microBatchSize) * real(c.train.seqLen) / real(c.parallel.cp);
        shardTokens = c.parallel.sequenceParallel ? tokens / tp : tokens;
        h = real(m.hiddenSize);
        q = (m.mla ? real(m.numHeads * (m.mla->qkNopeHeadDim + m.mla->qkRopeHeadDim)) : real(m.numHeads * m.headSize())) / tp;
        kv = (m.mla ? q : real(m.kvHeads() * m.headSize()) / tp);
        f = real(m.ffnHiddenSize) / tp;
        heads = real(m.numHeads) / tp;
        e = real(storageBytes(c.train.precision));
    }
};

double sum(const std::vector<SavedTensor>& tensors) {
    double bytes = 0;
    for (const SavedTensor& tensor : tensors) bytes += tensor.bytes;
    return bytes;
}

}  // namespace

std::vector<SavedTensor> layerActivations(const RunConfig& config, bool moeLayer) {
    const Sizes z(config);
    const ModelSpec& m = config.model;
    const double stats = z.shardTokens * 4 * (m.normKind() == NormKind::LayerNorm ? 2 : 1);
    std::vector<SavedTensor> kept = {
        {"attention norm input", z.shardTokens * z.h * z.e},
        {"attention norm statistics", stats},
        {"attention norm output", z.shardTokens * z.h * z.e},
        {"queries", z.tokens * z.q * z.e},
        {"keys", z.tokens * z.kv * z.e},
        {"values", z.tokens * z.kv * z.e},
        {"attention output", z.tokens * z.q * z.e},
        {"attention softmax statistics", z.tokens * z.heads * 4},
        {"ffn norm input", z.shardTokens * z.h * z.e},
        {"ffn norm statistics", stats},
        {"ffn norm output", z.shardTokens * z.h * z.e},
    };
    const bool gated = m.activationKind() == Activation::SwiGlu;
    const double branches = gated ? 3 : 2;  // gate, up and product; or up and its activation
    if (moeLayer) {
        const MoeSpec& moe = *m.moe;
        const double routed = z.shardTokens * real(moe.topK);
        const double width = real(moe.expertFfnHiddenSize) / real(config.parallel.etp);
        kept.push_back({"router probabilities", z.shardTokens * real(moe.numExperts) * 4});
        kept.push_back({"dispatched tokens", 2 * routed * z.h * z.e});
        kept.push_back({"expert activations", branches * (routed + z.shardTokens * real(moe.numSharedExperts)) * width * z.e});
        return kept;
    }
    kept.push_back({gated ? "gate" : "ffn pre-activation", z.tokens * z.f * z.e});
    if (gated) kept.push_back({"up", z.tokens * z.f * z.e});
    kept.push_back({gated ? "gated product" : "ffn activation", z.tokens * z.f * z.e});
    return kept;
}

double layerActivationBytes(const RunConfig& config, bool moeLayer) {
    const Sizes z(config);
    switch (config.train.recompute.policy) {
        case RecomputePolicy::None: return sum(layerActivations(config, moeLayer));
        case RecomputePolicy::Full: return z.shardTokens * z.h * z.e;
        case RecomputePolicy::Selective: {
            // Norm outputs, attention core and the activation product are made again; matrix inputs are kept otherwise.
            double bytes = 0;
            for (const SavedTensor& t : layerActivations(config, moeLayer))
                if (t.name != "attention norm output" && t.name != "ffn norm output" && t.name != "gated product" && t.name != "ffn activation" && t.name != "attention softmax statistics")
                    bytes += t.bytes;
            return bytes;
        }
    }
    return 0;
}

double embeddingActivationBytes(const RunConfig& config) { return 8 * Sizes(config).tokens; }

std::vector<SavedTensor> headActivations(const RunConfig& config) {
    const Sizes z(config);
    const double vocab = real(config.model.vocabSize) / z.tp;
    return {{"final norm input", z.shardTokens * z.h * z.e},
            {"final norm statistics", z.shardTokens * 4 * (config.model.normKind() == NormKind::LayerNorm ? 2 : 1)},
            {"final norm output", z.shardTokens * z.h * z.e},
            {"logits", z.tokens * vocab * z.e},
            {"targets", 8 * z.tokens}};
}

double layerWorkspaceBytes(const RunConfig& config, bool moeLayer) {
    const Sizes z(config);
    const bool gated = config.model.activationKind() == Activation::SwiGlu;
    const double branches = gated ? 3 : 2;
    const double width = moeLayer ? real(config.model.moe->expertFfnHiddenSize * config.model.moe->topK) : z.f;
    const double ffn = branches * z.tokens * width * z.e;
    const double attention = (2 * z.q + 2 * z.kv) * z.tokens * z.e;
    const double gathered = config.parallel.sequenceParallel ? 2 * z.tokens * z.h * z.e : 0;
    const double recomputed = config.train.recompute.policy == RecomputePolicy::None ? 0 : sum(layerActivations(config, moeLayer));
    return 2 * z.shardTokens * z.h * z.e + gathered + (ffn > attention ? ffn : attention) + recomputed;
}

double headWorkspaceBytes(const RunConfig& config) {
    const Sizes z(config);
    return z.tokens * real(config.model.vocabSize) / z.tp * (z.e < 4 ? 4 : z.e);
}

double korthikantiLayerBytes(double seqLen, double batch, double hidden, double heads, double tp, bool sequenceParallel, ActivationForm form) {
    const double attention = form == ActivationForm::Full ? 5 * heads * seqLen / hidden : 0;
    const double sbh = seqLen * batch * hidden;
    return sequenceParallel ? sbh / tp * (34 + attention) : sbh * (10 + 24 / tp + attention / tp);
}

double tenBytesLayerBytes(double seqLen, double batch, double hidden, double dtypeBytes) { return 10 * batch * seqLen * hidden * dtypeBytes; }

double checkpointBytes(double tokens, double hidden, double layers, double perLayer, double dtypeBytes) {
    return tokens * hidden * layers * perLayer * dtypeBytes;
}

double sqrtCheckpointFactor(double layers) { return std::sqrt(layers); }

double recomputeFactor(double forward, double backward, double extraForward) { return (forward + backward + extraForward) / (forward + backward); }

std::int64_t recomputedLayers(double ratio, std::int64_t layers) { return std::llround(ratio * real(layers)); }

std::int64_t recomputedLayersByStride(double ratio, std::int64_t layers) {
    const auto stride = static_cast<std::int64_t>(1 / ratio);
    return (layers + stride - 1) / stride;
}

}  // namespace slipway
