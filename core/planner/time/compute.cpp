#include "core/planner/time/compute.h"

#include "core/base/real.h"
#include "core/planner/count/flops.h"
#include "core/planner/count/parameters.h"
#include "core/planner/memory/activations.h"
#include "core/planner/terms/term.h"
#include "core/planner/time/stack_time.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

/// Textbook constants. GPU: achievable matrix rates of stas00/ml-engineering (mamf-finder) enter as the cluster's
/// gemmEfficiency; attention and launch cost as reported for FlashAttention-2 (arXiv 2307.08691, table 1) and CUDA.
/// CPU: fitted to `slipway-trainer bench --step` on one AVX-512 server core, nine models with hidden sizes of 64 to 512
/// and sequences of 256 and 1,024; their forward and backward times match within 9 %, 5 % in root mean square.
TimeConstants textbookConstants(DeviceKind kind, double gemmEfficiency) {
    TimeConstants c;
    c.gemmEfficiency = gemmEfficiency;
    const bool cpu = kind == DeviceKind::Cpu;
    c.attentionEfficiency = (cpu ? 0.78 : 0.7) * gemmEfficiency;
    c.memoryEfficiency = cpu ? 0.7 : 0.8;
    c.operationSeconds = cpu ? 11e-6 : 5e-6;
    c.hidesOperations = !cpu;
    // Fused AdamW reads weight, gradient and moments and writes three of them, in fp32.
    c.optimizerBytesPerParameter = cpu ? 28 : 30;
    c.gradientBytesPerParameter = 12;
    c.stepFixedSeconds = cpu ? 1e-3 : 2e-3;
    return c;
}

/// Sums the operations of one pass.
class Stopwatch {
public:
    explicit Stopwatch(const RankSpeed& speed) : m_speed(speed) {}

    /// [rows, k] x [k, columns]: the roofline of flops and of reading and writing the three matrices.
    double gemm(double rows, double k, double columns, double elementBytes) const {
        const TimeConstants& c = m_speed.constants;
        const double byShape = 1 + c.gemmShapeLoss * 1000 / 3 * (1 / rows + 1 / k + 1 / columns);
        const double flops = byShape * 2 * rows * k * columns / (m_speed.peakFlops * c.gemmEfficiency);
        return operation(std::max(flops, traffic((rows * k + k * columns + rows * columns) * elementBytes)));
    }
    double attention(double flops) const {
        return operation(flops / (m_speed.widePeakFlops * m_speed.constants.attentionEfficiency));
    }
    /// Elementwise work that reads and writes this many bytes in `operations` steps.
    double elementwise(double bytes, double operations) const {
        const double seconds = std::max(traffic(bytes), bytes / m_speed.elementwiseBytesPerSecond);
        return operations * operation(seconds / operations);
    }

private:
    double traffic(double bytes) const {
        return bytes / (m_speed.memoryBytesPerSecond * m_speed.constants.memoryEfficiency);
    }
    double operation(double seconds) const {
        const double host = m_speed.constants.operationSeconds;
        return m_speed.constants.hidesOperations ? std::max(seconds, host) : seconds + host;
    }
    const RankSpeed& m_speed;
};

/// Traffic of attention's products beside them: passes over the scores of every query and key, in the sums' format. These and
/// the next constant are rough estimates from `slipway-trainer bench --step` on one CPU core, 8 layers of width 256: products take 7 %
/// more of a step at 128 tokens and 45 % at 512, plain rows 21 and 24 %, each with a scatter of about 20 %. No GPU was measured.
struct ScorePasses {
    double forward = 16, backward = 6, operations = 6;
};

/// Passes over memory of ATen's operators for one of the fused loops.
constexpr double kPassesOfPlainRows = 2.5;

struct Shape {
    double tokens, shardTokens, h, q, kv, e, tp;
    explicit Shape(const RunConfig& c) {
        tp = real(c.parallel.tp);
        tokens = real(c.train.microBatchSize * c.train.seqLen) / real(c.parallel.cp);
        shardTokens = c.parallel.sequenceParallel ? tokens / tp : tokens;
        h = real(c.model.hiddenSize);
        q = real(c.model.numHeads * c.model.headSize()) / tp;
        kv = kvHeadsPerRank(c.model, c.parallel.tp) * real(c.model.headSize());
        e = real(storageBytes(c.train.precision));
    }
};

/// Matrix products of the attention block as (k, columns) pairs on one rank.
struct Product {
    double k, columns, rowsShare;  ///< rowsShare: rows relative to the rank's tokens
};

void attentionProducts(const ModelSpec& m, const Shape& z, std::vector<Product>& out) {
    if (!m.mla) {
        out.push_back({z.h, z.q + 2 * z.kv, 1});
        out.push_back({z.q, z.h, 1});
        return;
    }
    const MlaSpec& x = *m.mla;
    const double heads = real(m.numHeads) / z.tp;
    const double qk = real(x.qkNopeHeadDim + x.qkRopeHeadDim);
    if (x.qLoraRank > 0) out.push_back({z.h, real(x.qLoraRank), 1});
    out.push_back({x.qLoraRank > 0 ? real(x.qLoraRank) : z.h, heads * qk, 1});
    out.push_back({z.h, real(x.kvLoraRank + x.qkRopeHeadDim), 1});
    out.push_back({real(x.kvLoraRank), heads * real(x.qkNopeHeadDim + x.vHeadDim), 1});
    out.push_back({heads * real(x.vHeadDim), z.h, 1});
}

/// Feed-forward products; returns the width of the activation per token.
double ffnProducts(const RunConfig& c, const Shape& z, bool moeLayer, std::vector<Product>& out) {
    const ModelSpec& m = c.model;
    const double branches = m.activationKind() == Activation::SwiGlu ? 2 : 1;
    if (!moeLayer) {
        const double f = real(m.ffnHiddenSize) / z.tp;
        out.push_back({z.h, branches * f, 1});
        out.push_back({f, z.h, 1});
        return f;
    }
    const MoeSpec& moe = *m.moe;
    const double width = real(moe.expertFfnHiddenSize) / real(c.parallel.etp);
    // Each tensor-parallel rank routes its part of the tokens; every etp rank computes all rows with its part of the width.
    const double share = 1 / z.tp, rows = share * real(moe.topK * c.parallel.etp);
    const double shared = real(moe.numSharedExperts * moe.expertFfnHiddenSize) / z.tp;
    out.push_back({z.h, real(moe.numExperts), share});
    out.push_back({z.h, branches * width, rows});
    out.push_back({width, z.h, rows});
    if (shared > 0) {
        out.push_back({z.h, branches * shared, 1});
        out.push_back({shared, z.h, 1});
    }
    return rows * width + shared;
}

}  // namespace

std::optional<double> productPeakFlops(const DeviceSpec& device, Precision precision) {
    if (device.kind != DeviceKind::Cpu || precision == Precision::Fp64) return device.peakFlops(precision);
    const std::optional<double> wide = device.peakFp32Flops;
    const std::optional<double> narrow = precision == Precision::Bf16 ? device.peakBf16Flops : std::nullopt;
    // A hundred times slower without bf16 instructions (trainer/kernels/dtype.h), and then the trainer multiplies in fp32; with them in
    // bf16, even where the library's fp32 products are faster.
    constexpr double kEmulated = 0.1;
    return wide && narrow && *narrow > kEmulated * *wide ? narrow : wide;
}

namespace {

/// A rank's share of a CPU node. Ranks beyond the cores take turns, and one that waits in its pipeline leaves its core to the others: while
/// a pipeline fills and drains only some of its ranks have work.
double coreShare(const RunConfig& config, double ranksPerNode, double cores) {
    const double threads = real(config.train.threadsPerRank), pp = real(config.parallel.pp);
    const double slowdown = ranksPerNode * threads / cores;  // of all ranks at once
    const double most = std::min(pp, real(config.numMicroBatches()));
    double slots = std::abs(pp - real(config.numMicroBatches())) + 1,
           seconds = slots * std::max(1.0, slowdown * most / pp);
    for (double busy = 1; busy < most; ++busy) {  // as it fills, and as it drains
        slots += 2;
        seconds += 2 * std::max(1.0, slowdown * busy / pp);
    }
    return threads / cores * slots / seconds;
}

}  // namespace

RankSpeed rankSpeed(const RunConfig& config, const ClusterSpec& cluster) {
    RankSpeed speed;
    speed.constants = textbookConstants(cluster.device.kind, cluster.gemmEfficiency);
    if (cluster.stack) applyStack(*cluster.stack, speed.constants);
    const bool cpu = cluster.device.kind == DeviceKind::Cpu;
    speed.peakFlops = productPeakFlops(cluster.device, config.train.precision).value_or(kUnknown);
    const bool narrow = config.train.precision == Precision::Fp8;
    speed.widePeakFlops = narrow ? cluster.device.peakBf16Flops.value_or(speed.peakFlops) : speed.peakFlops;
    speed.memoryBytesPerSecond =
        cluster.device.memoryBytesPerSecond > 0 ? cluster.device.memoryBytesPerSecond : kUnknown;
    if (!cpu) return speed;
    if (!(speed.memoryBytesPerSecond > 0)) speed.memoryBytesPerSecond = 10e9;  // one DDR4 channel, half used
    const double cores = real(std::max<std::int64_t>(cluster.devicesPerNode, 1));
    const double ranksPerNode = std::ceil(real(config.parallel.worldSize()) / real(cluster.numNodes));
    const double share = coreShare(config, ranksPerNode, cores);
    speed.peakFlops *= share;
    speed.widePeakFlops *= share;
    // The bandwidth was measured by all cores at once; one alone draws its part. The textbook's rank has what the others leave.
    speed.memoryBytesPerSecond *= cluster.stack ? share : std::min(1.0, 1 / ranksPerNode);
    constexpr double kFp32OperationsPerByte = 12;  // fitted with the constants above
    // The arithmetic is in fp32 however narrow an element is stored.
    const double narrowness = std::min(1.0, real(storageBytes(config.train.precision)) / 4);
    speed.elementwiseBytesPerSecond =
        narrowness * share * cluster.device.peakFp32Flops.value_or(kUnknown) / kFp32OperationsPerByte;
    return speed;
}

std::optional<double> runPeakFlops(const RunConfig& config, const ClusterSpec& cluster) {
    const std::optional<double> peak = productPeakFlops(cluster.device, config.train.precision);
    if (!peak) return {};
    if (cluster.device.kind != DeviceKind::Cpu) return *peak * real(config.parallel.worldSize());
    return *peak * real(std::min(cluster.numNodes, config.parallel.worldSize()));
}

PassSeconds layerSeconds(const RunConfig& config, const RankSpeed& speed, bool moeLayer) {
    const Shape z(config);
    const Stopwatch time(speed);
    std::vector<Product> products;
    attentionProducts(config.model, z, products);
    const double width = ffnProducts(config, z, moeLayer, products);
    PassSeconds pass;
    for (const Product& p : products) {
        const double rows = z.tokens * p.rowsShare;
        pass.forward += time.gemm(rows, p.k, p.columns, z.e);
        pass.backwardInput += time.gemm(rows, p.columns, p.k, z.e);
        pass.backwardWeight += time.gemm(p.k, rows, p.columns, z.e);
    }
    // The library's causal attention does half the work of a full one; backward recomputes the scores: 5 products for
    // the forward's 2 (FlashAttention-2, arXiv 2307.08691, sec. 3.1).
    const double attention = attentionForwardFlopsPerToken(config.model, config.train.seqLen, true) * z.tokens / z.tp;
    const double gated = config.model.activationKind() == Activation::SwiGlu ? 1 : 0;
    const double ropeBytes = config.model.positionKind() == PositionKind::Rope ? 2 * (z.q + z.kv) * z.tokens : 0;
    const double forwardElements = 10 * z.h * z.shardTokens + ropeBytes + (2 + gated) * width * z.tokens;
    const double backwardElements = 14 * z.h * z.shardTokens + ropeBytes + (3 + 2 * gated) * width * z.tokens;
    const double operations = speed.constants.hidesOperations ? 8 : 18;
    double forwardCore = time.attention(attention), backwardCore = time.attention(2.5 * attention);
    if (config.train.attentionKernel == AttentionKernel::Products) {
        // Products of all queries and keys, the masked half included: 2, and 4 in the backward pass, which has the probabilities.
        const ScorePasses passes;
        const double full = attentionForwardFlopsPerToken(config.model, config.train.seqLen, false) * z.tokens / z.tp;
        const double bytes =
            z.tokens * real(config.model.numHeads) / z.tp * real(config.train.seqLen) * std::max(4.0, z.e);
        forwardCore = time.attention(full) + time.elementwise(passes.forward * bytes, passes.operations);
        backwardCore = time.attention(2 * full) + time.elementwise(passes.backward * bytes, passes.operations);
    }
    // Without fused loops each operation of a norm, a rotation or SwiGLU passes over memory by itself.
    const double passes = config.train.fusedKernels ? 1 : kPassesOfPlainRows;
    const double forwardElementwise = time.elementwise(passes * forwardElements * z.e, passes * operations);
    pass.backwardInput += backwardCore + time.elementwise(passes * backwardElements * z.e, 1.5 * passes * operations);
    if (config.train.recompute.policy == RecomputePolicy::Full)
        pass.backwardInput += recomputedShare(config) * (pass.forward + forwardCore + forwardElementwise);
    if (config.train.recompute.policy == RecomputePolicy::Selective)
        pass.backwardInput += recomputedShare(config) * ((config.train.recompute.attention ? forwardCore : 0) +
                                                         (config.train.recompute.norm ? 0.3 : 0) * forwardElementwise +
                                                         (config.train.recompute.ffn ? 0.3 : 0) * forwardElementwise);
    pass.forward += forwardCore + forwardElementwise;
    return pass;
}

PassSeconds productsBesideEdges(const RunConfig& config, const RankSpeed& speed, bool moeLayer) {
    const Shape z(config);
    const Stopwatch time(speed);
    std::vector<Product> products;
    attentionProducts(config.model, z, products);
    if (!moeLayer) ffnProducts(config, z, moeLayer, products);
    PassSeconds pass;
    for (const Product& p : products) {
        pass.forward += time.gemm(z.tokens, p.k, p.columns, z.e);
        pass.backwardInput += time.gemm(z.tokens, p.columns, p.k, z.e);
        pass.backwardWeight += 0.5 * time.gemm(p.k, z.tokens, p.columns, z.e);
    }
    return pass;
}

PassSeconds embeddingSeconds(const RunConfig& config, const RankSpeed& speed) {
    const Shape z(config);
    const Stopwatch time(speed);
    return {time.elementwise(2 * z.tokens * z.h * z.e, 1), 0, time.elementwise(3 * z.tokens * z.h * 4, 1)};
}

PassSeconds headSeconds(const RunConfig& config, const RankSpeed& rank) {
    const Shape z(config);
    RankSpeed speed = rank;
    speed.peakFlops = rank.widePeakFlops;
    const Stopwatch time(speed);
    const double vocab = real(config.model.vocabSize) / z.tp;
    PassSeconds pass{time.gemm(z.tokens, z.h, vocab, z.e), time.gemm(z.tokens, vocab, z.h, z.e),
                     time.gemm(z.h, z.tokens, vocab, z.e)};
    // Softmax and its gradient pass over the logits.
    pass.forward += time.elementwise(4 * z.tokens * vocab * std::max(4.0, z.e), 4);
    pass.backwardInput += time.elementwise(2 * z.tokens * vocab * std::max(4.0, z.e), 2);
    return pass;
}

namespace {

/// Bytes read and written, as a fraction of AdamW's 28: each moment read once and written once in its format.
double updateTraffic(const RunConfig& config) {
    constexpr double kAdamW = 28;
    const double moments = config.optimizer.kind == OptimizerKind::Lion ? 1 : 2;
    const double perMoment = config.optimizer.momentDtype == MomentDtype::Bf16 ? 2 : 4;
    return (12 + 2 * moments * perMoment) / kAdamW;
}

/// Muon: five Newton-Schulz steps of X X', A A and B X per matrix of r x c, r <= c: 5 (4 r^2 c + 2 r^3). Every rank of
/// a sharding group and of tp computes the full matrix.
double orthogonalFlops(const RunConfig& config, const RankShare& share) {
    const ModelSpec& m = config.model;
    const auto flops = [](double rows, double columns) {
        const double r = std::min(rows, columns), c = std::max(rows, columns);
        return 5 * (4 * r * r * c + 2 * r * r * r);
    };
    const double h = real(m.hiddenSize), q = real(m.numHeads * m.headSize()), kv = real(m.kvHeads() * m.headSize());
    const double ffn = (m.activationKind() == Activation::SwiGlu ? 3 : 2) * flops(h, real(m.ffnHiddenSize));
    return real(share.numLayers) * (2 * flops(h, q) + 2 * flops(h, kv) + ffn);
}

}  // namespace

template <class Number>
Number optimizerSeconds(const RunConfig& config, const RankSpeed& speed, const RankShare& share) {
    const ParallelLayout& p = config.parallel;
    const TimeConstants& constants = speed.constants;
    const ShardRanks ranks = shardRanks(p);
    const Number parameters = quantity<Number>("rank_parameters", share.parameters);
    Number shard = parameters;
    if (p.zeroStage >= 1) {
        const Number denseRanks = quantity<Number>("shard_ranks", ranks.dense);
        const Number experts = quantity<Number>("rank_expert_parameters", share.experts);
        shard = share.experts > 0 ? (parameters - experts) / denseRanks +
                                        experts / quantity<Number>("expert_shard_ranks", ranks.experts)
                                  : parameters / denseRanks;
    }
    const Number bandwidth = as(quantity<Number>("rank_memory_bytes_per_second", speed.memoryBytesPerSecond, "B/s") *
                                    quantity<Number>("memory_efficiency", constants.memoryEfficiency),
                                "usable_memory_bytes_per_second", "B/s");
    const Number gradients =
        parameters * quantity<Number>("gradient_pass_bytes_per_parameter", constants.gradientBytesPerParameter, "B") /
        bandwidth;
    const Number bytes = shard *
                         quantity<Number>("update_bytes_per_parameter", constants.optimizerBytesPerParameter, "B") *
                         quantity<Number>("update_traffic_share", updateTraffic(config));
    Number update = bytes;
    if (config.optimizer.kind == OptimizerKind::Muon)  // with an unknown peak its products' time is also unknown
        update += quantity<Number>("orthogonal_flops", orthogonalFlops(config, share), "FLOP") /
                  (quantity<Number>("rank_peak_flops", speed.peakFlops, "FLOP/s") *
                   quantity<Number>("gemm_efficiency", constants.gemmEfficiency)) *
                  bandwidth;
    if (!offloadsOptimizer(p.offload)) return update / bandwidth + gradients;
    // Gradients go to the host, new weights come back, and the host's cores update at its memory's rate (ZeRO-Offload,
    // arXiv 2101.06840, sec. 4 and 5). Per device: its link and an eighth of two sockets.
    constexpr double kHostMemoryBytesPerSecond = 40e9;
    const Number moved =
        shard * quantity<Number>("moved_bytes_per_parameter",
                                 real(storageBytes(config.train.gradDtype) + storageBytes(config.train.precision)),
                                 "B");
    return moved / quantity<Number>("host_link_bytes_per_second", kHostLinkBytesPerSecond, "B/s") +
           update / quantity<Number>("host_memory_bytes_per_second", kHostMemoryBytesPerSecond, "B/s") + gradients;
}

template double optimizerSeconds(const RunConfig&, const RankSpeed&, const RankShare&);
template Term optimizerSeconds(const RunConfig&, const RankSpeed&, const RankShare&);

}  // namespace slipway
