#include "core/planner/memory/activations.h"

#include "core/base/real.h"
#include "core/planner/count/parameters.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

/// The sizes behind all formulas, on one rank.
struct Sizes {
    double tokens, shardTokens;  ///< T and, between the tensor-parallel regions, T/t under sequence parallelism
    double h, q, kv, f, vocab, heads, kvHeads;
    double e;     ///< bytes of a stored element
    double wide;  ///< bytes of statistics and sums: fp32, or fp64 in fp64 runs
    double tp;
    bool copiesForProducts;  ///< a CPU multiplies 16-bit formats in fp32
    bool fused;  ///< norms, SwiGLU and the loss run in loops without temporaries (trainer/kernels/fused_rows.h)
    explicit Sizes(const RunConfig& c, RowLoops loops = RowLoops::Trainer) {
        const ModelSpec& m = c.model;
        tp = real(c.parallel.tp);
        tokens = real(c.train.microBatchSize) * real(c.train.seqLen) / real(c.parallel.cp);
        shardTokens = c.parallel.sequenceParallel ? tokens / tp : tokens;
        h = real(m.hiddenSize);
        q = (m.mla ? real(m.numHeads * (m.mla->qkNopeHeadDim + m.mla->qkRopeHeadDim))
                   : real(m.numHeads * m.headSize())) /
            tp;
        kvHeads = kvHeadsPerRank(m, c.parallel.tp);
        kv = (m.mla ? q : kvHeads * real(m.headSize()));
        f = real(m.ffnHiddenSize) / tp;
        vocab = real(m.vocabSize) / tp;
        heads = real(m.numHeads) / tp;
        e = real(storageBytes(c.train.precision));
        wide = std::max(e, 4.0);
        copiesForProducts = c.train.device == DeviceKind::Cpu && e < 4;
        fused =
            c.train.fusedKernels && (c.train.device == DeviceKind::Cpu ? e >= 4 : e < 8 && loops == RowLoops::Trainer);
    }
    [[nodiscard]] double normStats(const ModelSpec& m) const {
        return shardTokens * wide * (m.normKind() == NormKind::LayerNorm ? 2 : 1);
    }
};

double sum(const std::vector<SavedTensor>& tensors) {
    double bytes = 0;
    for (const SavedTensor& tensor : tensors) bytes += tensor.bytes;
    return bytes;
}

/// A temporary gathered input or partial sum of the full sequence: with async_tp two of its tp pieces, one in use and
/// one in transit (trainer/parallel/tp_pieces.h).
double passingBytes(const RunConfig& c, double whole) {
    return c.parallel.asyncTp ? std::min(1.0, 2 / real(c.parallel.tp)) * whole : whole;
}

bool isGated(const ModelSpec& m) {
    return m.activationKind() == Activation::SwiGlu;
}

/// Rows of a mixture's routed side on one rank. Each tensor-parallel rank routes its own part of the tokens, with or
/// without sequence parallelism (trainer/model/moe_feed_forward.h); routing is assumed to be even.
struct RoutedSizes {
    double tokens;  ///< routed by this rank
    double sent;    ///< one row for each of their chosen experts
    double rows;    ///< that arrive: every etp rank has a part of its experts' width and computes all their rows
    double width;   ///< of an expert, on one rank of etp
    double local;   ///< experts on this rank
    bool travels;   ///< to other ranks
    RoutedSizes(const RunConfig& c, const Sizes& z) {
        const MoeSpec& moe = *c.model.moe;
        const ParallelLayout& p = c.parallel;
        tokens = z.tokens / z.tp;
        sent = tokens * real(moe.topK);
        rows = sent * real(p.etp);
        width = real(moe.expertFfnHiddenSize) / real(p.etp);
        local = real(moe.numExperts) / real(p.ep);
        travels = p.ep * p.etp > 1;
    }
};

/// Peak temporaries of a mixture's backward pass beyond saved activations, moment by moment as backwardInput in
/// trainer/model/moe_feed_forward.cpp allocates and frees its tensors.
double mixtureBackwardBytes(const RunConfig& c, const Sizes& z) {
    const RoutedSizes r(c, z);
    const double sent = r.sent * z.h * z.e, rows = r.rows * z.h * z.e, own = r.tokens * z.h * z.e;
    const double inner = r.rows * r.width * z.e;
    const double branches = isGated(c.model) ? 2 : 1;
    // Gradients by expert and their products with the outputs, which give the weights' gradients; in the sums' format.
    const double weighted = sent + (z.wide > z.e ? 3 : 1) * sent * z.wide / z.e;
    // In transit to the experts: sent, arriving, and in the experts' order.
    const double away = r.travels ? (c.parallel.etp > 1 ? rows : 0) + 2 * rows + 2 * sent : 2 * sent;
    const double inExperts = sent + rows + (1 + branches) * inner + inner / r.local;
    // Gate, up and the outputs are freed from here on; the gradients at the experts and of the rows stay to the end.
    const double stays = rows + inner;
    const double ofInputs = stays + rows + rows / r.local + (branches > 1 ? rows : 0);
    const double back = r.travels ? stays + 2 * rows + sent : 0;
    const double atEnd = stays + rows + (r.travels ? sent : 0);
    const double inOrder = atEnd + sent + 2 * own;
    const double whole = z.tokens * z.h * z.e;
    const bool parts = z.tp > 1 && !c.parallel.sequenceParallel;
    double most = std::max({weighted, away, inExperts, ofInputs, back, inOrder, atEnd + own + (parts ? whole : 0)});
    if (const std::int64_t number = c.model.moe->numSharedExperts; number > 0) {
        const double f = z.tokens * real(number * c.model.moe->expertFfnHiddenSize) / z.tp * z.e;
        const double gathered = c.parallel.sequenceParallel && z.tp > 1 ? whole : 0;
        most = std::max(
            most, atEnd + z.shardTokens * z.h * z.e + std::max((1 + branches) * f + gathered, f + branches * whole));
    }
    return most;
}

/// Whether attention's products compute blocks, whose scores are not kept (trainer/kernels/attention.cpp, attentionBlock).
bool attendsInBlocks(const RunConfig& c) {
    return c.model.slidingWindow || c.data.documentEndId || (c.parallel.cp > 1 && c.parallel.cpKind != CpKind::Ulysses);
}

/// Kept by attention's products: the probabilities of every query and key.
double scoreBytes(const RunConfig& c, const Sizes& z) {
    if (c.train.attentionKernel != AttentionKernel::Products || attendsInBlocks(c)) return 0;
    return z.tokens * z.heads * real(c.train.seqLen) * z.e;
}

/// Scores in memory at a time in the backward pass of attention's products: the gradients of the probabilities and of the scores, and a
/// wide copy of narrow probabilities; in blocks the probabilities themselves.
double scoreWorkBytes(const RunConfig& c, const Sizes& z) {
    if (c.train.attentionKernel != AttentionKernel::Products) return 0;
    const double s = real(c.train.seqLen), cp = real(c.parallel.cp);
    if (!attendsInBlocks(c)) return 2 * z.tokens * z.heads * s * z.wide;
    const bool cut = c.parallel.cp > 1 && c.parallel.cpKind != CpKind::Ulysses;
    const double queries = cut ? 1 / 2.0 : 1, keys = cut && c.parallel.cpKind == CpKind::Ring ? s / (2 * cp) : s;
    return 3 * queries * z.tokens * z.heads * keys * z.wide;
}

/// Gradients at outputs of row-parallel products, gathered for the weight pass: attention's, and those of a
/// feed-forward network; in a mixture only those of the shared experts.
double gatheredOutputs(const RunConfig& c, bool moeLayer) {
    return moeLayer && c.model.moe->numSharedExperts == 0 ? 1 : 2;
}

}  // namespace

std::vector<SavedTensor> layerActivations(const RunConfig& config, bool moeLayer) {
    const Sizes z(config);
    const ModelSpec& m = config.model;
    std::vector<SavedTensor> kept = {
        {"attention norm input", z.shardTokens * z.h * z.e},
        {"attention norm statistics", z.normStats(m)},
        {"attention norm output", z.shardTokens * z.h * z.e},
        {"queries", z.tokens * z.q * z.e},
        {"keys", z.tokens * z.kv * z.e},
        {"values", z.tokens * z.kv * z.e},
        {"attention output", z.tokens * z.q * z.e},
        {"attention softmax statistics", z.tokens * z.heads * z.wide},
        {"ffn norm input", z.shardTokens * z.h * z.e},
        {"ffn norm statistics", z.normStats(m)},
        {"ffn norm output", z.shardTokens * z.h * z.e},
    };
    if (const double scores = scoreBytes(config, z); scores > 0) kept.push_back({"attention probabilities", scores});
    if (m.mla)
        kept.push_back({"compressed queries and keys, before and after their norms",
                        z.tokens * (2 * real(m.mla->qLoraRank + m.mla->kvLoraRank) * z.e +
                                    (m.mla->qLoraRank > 0 ? 2 : 1) * z.wide)});
    if (m.qkNorm)
        kept.push_back(
            {"queries and keys before their norm", z.tokens * ((z.q + z.kv) * z.e + (z.heads + z.kvHeads) * z.wide)});
    if (moeLayer) {
        const MoeSpec& moe = *m.moe;
        const double branches = isGated(m) ? 3 : 2;  // gate, up and product; or up and its activation
        const RoutedSizes r(config, z);
        const double shared = z.tokens * real(moe.numSharedExperts * moe.expertFfnHiddenSize) / z.tp;
        kept.push_back({"router scores and weights", r.tokens * real(moe.numExperts + moe.topK + 1) * z.wide});
        kept.push_back({"chosen experts, order of rows by expert", 8 * (2 * r.sent + r.rows)});
        kept.push_back({"dispatched tokens", (r.sent + r.rows) * z.h * z.e});
        kept.push_back({"expert activations", branches * (r.rows * r.width + shared) * z.e});
        return kept;
    }
    if (isGated(m)) kept.push_back({"gate", z.tokens * z.f * z.e});
    kept.push_back({"up", z.tokens * z.f * z.e});
    kept.push_back({"ffn activation", z.tokens * z.f * z.e});
    return kept;
}

double recomputedShare(const RunConfig& config) {
    const RecomputeSpec& r = config.train.recompute;
    if (r.policy == RecomputePolicy::None || config.model.numLayers <= 0) return 0;
    return std::min(1.0, real(r.layers.value_or(config.model.numLayers)) / real(config.model.numLayers));
}

double layerActivationBytes(const RunConfig& config, bool moeLayer) {
    const Sizes z(config);
    const RecomputeSpec& r = config.train.recompute;
    const std::vector<SavedTensor> all = layerActivations(config, moeLayer);
    if (r.policy == RecomputePolicy::None) return sum(all);
    double left = z.shardTokens * z.h * z.e;
    if (r.policy == RecomputePolicy::Selective) {
        left = 0;
        for (const SavedTensor& t : all) {
            const bool attention = t.name == "attention output" || t.name == "attention softmax statistics" ||
                                   t.name == "attention probabilities";
            // A mixture's tokens stay: their rows were sent to the experts (trainer/model/transformer_block.cpp, dropSome).
            const bool norm = t.name == "attention norm output" || (t.name == "ffn norm output" && !moeLayer);
            const bool dropped =
                (attention && r.attention) || (norm && r.norm) || (t.name == "ffn activation" && r.ffn);
            if (!dropped) left += t.bytes;
        }
    }
    const double share = recomputedShare(config);
    return share * left + (1 - share) * sum(all);
}

double microBatchInputBytes(const RunConfig& config) {
    return 16 * Sizes(config).tokens;
}

std::vector<SavedTensor> headActivations(const RunConfig& config) {
    const Sizes z(config);
    return {{"final norm input", z.shardTokens * z.h * z.e},
            {"final norm statistics", z.normStats(config.model)},
            {"final norm output", z.shardTokens * z.h * z.e},
            {"logits", z.tokens * z.vocab * z.e},
            {"softmax statistics", z.tokens * z.wide}};
}

namespace {

/// Recomputed tensors of a layer at the time of its weight gradients.
double remadeBytes(const RunConfig& config, bool moeLayer) {
    if (recomputedShare(config) <= 0) return 0;
    const double all = sum(layerActivations(config, moeLayer));
    if (config.train.recompute.policy == RecomputePolicy::Full) return all;
    RunConfig everyLayer = config;
    everyLayer.train.recompute.layers.reset();
    return all - layerActivationBytes(everyLayer, moeLayer);
}

}  // namespace

double layerWorkspaceBytes(const RunConfig& config, bool moeLayer, RowLoops loops) {
    const Sizes z(config, loops);
    const ModelSpec& m = config.model;
    const bool gated = isGated(m);
    const double h = z.shardTokens * z.h * z.e;
    const double whole = config.parallel.sequenceParallel && z.tp > 1 ? z.tokens * z.h * z.e : 0;  // gathered copies
    const double f = moeLayer ? RoutedSizes(config, z).rows * RoutedSizes(config, z).width * z.e : z.tokens * z.f * z.e;
    const double mixture = moeLayer ? mixtureBackwardBytes(config, z) : 0;
    const double logits = moeLayer ? z.tokens / z.tp * real(m.moe->numExperts) * z.e : 0;
    const double outputs = gatheredOutputs(config, moeLayer);
    const double q = z.tokens * z.q * z.e, kv = z.tokens * z.kv * z.e;
    const double repeated =
        z.kv < z.q ? 2 * q + 2 * kv : 0;  // keys and values repeated per query head, and summed back
    // The largest of three moments of a layer's backward pass: the activation's gradient, attention's, the first norm's.
    const double ffn = moeLayer ? mixture + 2 * h : (gated ? 4 : 2) * f + 2 * h + whole;
    const double kept = (gated ? 2 : 1) * f + 3 * h + 2 * whole;  // tensors waiting for the weight gradients by then
    const double scores = scoreWorkBytes(config, z);
    const double attention = kept + 5 * q + repeated + scores;
    const double lastNorm = kept + q + 2 * kv + 4 * h + passingBytes(config, whole);
    const double copies =
        z.copiesForProducts ? 4 * (z.h * std::max(z.f, z.q) + z.tokens * (z.h + 2 * std::max(z.f, z.q))) : 0;
    const double again = config.train.recompute.policy == RecomputePolicy::Full && recomputedShare(config) > 0
                             ? sum(layerActivations(config, moeLayer))
                             : 0;
    if (z.fused) {
        // Gate and up, queries, keys and values are freed once their gradients exist. Inside attention: the gradients at both norms and
        // of the residual stream, that of the output, a product with it, those of queries, keys and values.
        const double inFfn = h + (moeLayer ? mixture : (gated ? 3 : 2) * f + whole);
        const RecomputeSpec& r = config.train.recompute;
        const bool selective = r.policy == RecomputePolicy::Selective && recomputedShare(config) > 0;
        // Selective recomputation needs gate and up again, and recomputes the attention's output.
        const double remade =
            selective ? (r.ffn && !moeLayer ? (gated ? 2 : 1) * f : 0) + (r.attention ? q + scoreBytes(config, z) : 0)
                      : 0;
        const double inAttention = 3 * h + outputs * whole + (z.kv < z.q ? 7 : 5) * q + remade + logits + scores;
        // The norms' outputs are recomputed last.
        const double inNorms = 5 * h + outputs * whole + passingBytes(config, whole) + logits +
                               (selective ? remadeBytes(config, moeLayer) : 0);
        return std::max({inFfn, inAttention, inNorms}) + again;
    }
    return std::max({ffn, attention, lastNorm}) + copies + again;
}

double layerWeightPassBytes(const RunConfig& config, bool moeLayer, RowLoops loops) {
    const Sizes z(config, loops);
    const ModelSpec& m = config.model;
    const double whole = config.parallel.sequenceParallel && z.tp > 1 ? z.tokens * z.h * z.e : 0;
    const double f = moeLayer ? RoutedSizes(config, z).rows * RoutedSizes(config, z).width * z.e : z.tokens * z.f * z.e;
    const double logits = moeLayer ? z.tokens / z.tp * real(m.moe->numExperts) * z.e : 0;
    const double gathered = gatheredOutputs(config, moeLayer) * whole + passingBytes(config, whole) + logits +
                            (moeLayer ? 0 : remadeBytes(config, moeLayer));
    if (z.fused)
        return 5 * z.shardTokens * z.h * z.e + gathered;  // the other gradients overwrote the inputs they came from
    // Gradients of the activations waiting for it, those of the residual stream, and the input gathered again.
    return (isGated(m) ? 2 : 1) * f + z.tokens * (z.q + 2 * z.kv) * z.e + 5 * z.shardTokens * z.h * z.e + gathered;
}

double layerWaitingBytes(const RunConfig& config, bool moeLayer) {
    const Sizes z(config);
    const bool sequence = config.parallel.sequenceParallel && z.tp > 1;
    // Gradients at both norms and at the outputs of both branches, the latter gathered.
    const double residual = 2 * z.shardTokens * z.h * z.e + 2 * (sequence ? z.tokens : z.shardTokens) * z.h * z.e;
    const double perHead = config.model.qkNorm ? z.tokens * (z.q + z.kv) * z.e : 0;
    const double statistics = z.tokens * z.heads * z.wide;
    const double activations = sum(layerActivations(config, moeLayer)) - layerActivationBytes(config, moeLayer);
    return activations + residual + perHead - statistics;
}

double residualBytes(const RunConfig& config) {
    const Sizes z(config);
    return z.shardTokens * z.h * z.e;
}

double headWorkspaceBytes(const RunConfig& config, RowLoops loops) {
    const Sizes z(config, loops);
    // Fused loops need no other tensors and write the gradient over the logits; only the gradient of the norm's output and its input
    // remain. Else there are also shifted logits and their exponentials; a 16-bit CPU run multiplies fp32 copies.
    const double softmax = z.fused ? 2 * z.shardTokens * z.h * z.e : 2 * z.tokens * z.vocab * z.wide;
    const double product = z.copiesForProducts ? 4 * (z.vocab * z.h + z.tokens * (z.h + z.vocab)) : 0;
    const double whole = config.parallel.sequenceParallel && z.tp > 1 ? z.tokens * z.h * z.e : 0;
    // With overlap, the logits of one piece coexist with all of them before they are copied into place.
    const double piece = config.parallel.asyncTp ? z.tokens / z.tp * z.vocab * z.e : 0;
    return std::max({softmax, product, piece}) + passingBytes(config, whole);
}

double headGradientWorkBytes(const RunConfig& config) {
    const Sizes z(config);
    const double main = real(storageBytes(config.train.gradDtype));
    const bool widens = config.train.device == DeviceKind::Cpu && z.e == 4 && main < 4;
    return widens ? 4 * z.vocab * z.h : 0;
}

double embeddingGradientWorkBytes(const RunConfig& config) {
    const Sizes z(config);
    const double main = z.e == 8 ? 8 : real(storageBytes(config.train.gradDtype));
    const double rows = z.tokens * z.h * main;
    const double output = config.parallel.sequenceParallel && z.tp > 1 ? z.tokens * z.h * z.e : 0;  // gathered
    // Rows in the main gradient's format, then the same without other ranks' rows; a GPU sorts them into a table.
    const double table = config.train.device == DeviceKind::Gpu ? z.vocab * z.h * main : 0;
    return z.shardTokens * z.h * z.e + output + rows + std::max(main == z.e ? 0 : rows, table);
}

double rotaryTableBytes(const RunConfig& config) {
    if (config.model.positionKind() != PositionKind::Rope) return 0;
    return real(config.train.seqLen * config.model.rotarySize()) *
           std::max(4.0, real(storageBytes(config.train.precision)));
}

double korthikantiLayerBytes(double seqLen, double batch, double hidden, double heads, double tp, bool sequenceParallel,
                             ActivationForm form) {
    const double attention = form == ActivationForm::Full ? 5 * heads * seqLen / hidden : 0;
    const double sbh = seqLen * batch * hidden;
    return sequenceParallel ? sbh / tp * (34 + attention) : sbh * (10 + 24 / tp + attention / tp);
}

double tenBytesLayerBytes(double seqLen, double batch, double hidden, double dtypeBytes) {
    return 10 * batch * seqLen * hidden * dtypeBytes;
}

double checkpointBytes(double tokens, double hidden, double layers, double perLayer, double dtypeBytes) {
    return tokens * hidden * layers * perLayer * dtypeBytes;
}

double sqrtCheckpointFactor(double layers) {
    return std::sqrt(layers);
}

double recomputeFactor(double forward, double backward, double extraForward) {
    return (forward + backward + extraForward) / (forward + backward);
}

std::int64_t recomputedLayers(double ratio, std::int64_t layers) {
    return std::llround(ratio * real(layers));
}

std::int64_t recomputedLayersByStride(double ratio, std::int64_t layers) {
    const auto stride = static_cast<std::int64_t>(1 / ratio);
    return (layers + stride - 1) / stride;
}

}  // namespace slipway
