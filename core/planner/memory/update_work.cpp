#include "core/planner/memory/update_work.h"

#include "core/base/real.h"
#include "core/planner/count/parameters.h"

#include <algorithm>

namespace slipway {
namespace {

/// Optimizer::kPieceElements.
constexpr double kPieceElements = 1 << 20;

/// Elements of `dense` and of `experts` updated by this rank.
double owned(const RunConfig& c, double dense, double experts, const ShardRanks& ranks) {
    if (c.parallel.zeroStage == 0) return dense + experts;
    return dense / ranks.dense + experts / ranks.experts;
}

/// Number of coexisting copies of a piece.
double copiesOfPiece(const RunConfig& c) {
    if (offloadsOptimizer(c.parallel.offload)) return 0;
    const bool lion = c.optimizer.kind == OptimizerKind::Lion;
    const bool byKernel =
        c.optimizer.kind == OptimizerKind::AdamW && c.train.device == DeviceKind::Gpu && c.optimizer.adaptiveClip == 0;
    if (byKernel) return 0;
    const double moments = c.optimizer.momentDtype == MomentDtype::Bf16 ? (lion ? 1 : 2) : 0;
    const double gradients = c.train.gradDtype == Precision::Bf16 ? 1 : 0;
    const double weights = c.train.precision == Precision::Bf16 && c.train.stochasticRounding ? 1 : 0;
    return moments + gradients + weights + (lion ? 1 : 0);  // Lion: the direction
}

/// Elements of the longest run with equal updates: norms, which do not decay, separate attention, feed-forward part and tables.
double longestRun(const RunConfig& c, const RankShare& share) {
    const ModelSpec& m = c.model;
    const double tp = real(c.parallel.tp);
    // There norms are separate, with tensors summed over tp first (trainer/optim/bucket_layout.cpp).
    if (c.parallel.tp > 1 && c.parallel.sequenceParallel) return kPieceElements;
    double longest = share.first || share.last ? countEnds(m).table / tp : 0;
    for (const std::int64_t layer : {std::int64_t{0}, m.numLayers - 1}) {
        const LayerParameters p = countLayer(m, layer);
        const double experts = p.routedExperts / real(c.parallel.ep * c.parallel.etp);
        longest = std::max({longest, p.attention / tp, (p.ffn - p.routedExperts) / tp, experts});
    }
    return std::min(longest, kPieceElements);
}

struct Matrix {
    double rows = 0, columns = 0;
    [[nodiscard]] double elements() const { return rows * columns; }
};

/// The largest matrix that Muon gathers.
Matrix largestMatrix(const ModelSpec& m) {
    const double h = real(m.hiddenSize);
    double width = real(m.numHeads * m.headSize());
    if (m.mla) width = real(m.numHeads * (m.mla->qkNopeHeadDim + std::max(m.mla->qkRopeHeadDim, m.mla->vHeadDim)));
    if (!m.moe || m.moe->numDenseLayers > 0) width = std::max(width, real(m.ffnHiddenSize));
    if (m.moe) width = std::max(width, real(m.moe->expertFfnHiddenSize));
    return {width, h};
}

/// Elements whose gradients are summed over tensor-parallel ranks with the same key-value head: with a table on both
/// ends of a pipeline they form a separate bucket, without a limit (trainer/optim/bucket_layout.h).
double sharedHeadBucket(const RunConfig& c, const RankShare& share) {
    const ModelSpec& m = c.model;
    if (repeatedKvParameters(m, c.parallel.tp) == 0 || c.parallel.schedule == ScheduleKind::DualPipe) return 0;
    const double perLayer = 2 * real(m.headSize()) * (real(m.hiddenSize) + (m.hasQkvBias() ? 1 : 0));
    const bool tied = m.tieEmbeddings && share.first != share.last;
    return real(share.numLayers) * perLayer + (tied ? countEnds(m).table / real(c.parallel.tp) : 0);
}

double muonElements(const RunConfig& c, const RankContents& held, const ShardRanks& ranks) {
    const ParallelLayout& p = c.parallel;
    const double experts = held.share.experts, dense = held.share.parameters - experts;
    // A bucket, or a layer as a unit.
    double bucket = std::max(held.layerParameters - held.layerExperts, held.layerExperts), shards = ranks.dense;
    const Matrix largest = largestMatrix(c.model);
    if (p.zeroStage < 2) {
        const double elementBytes = c.train.precision == Precision::Fp64 ? 8 : real(storageBytes(c.train.gradDtype));
        const double filled = std::max(real(p.bucketBytes) / elementBytes, largest.elements() / real(p.tp));
        const double late = sharedHeadBucket(c, held.share);
        bucket = std::max(std::min(std::max(dense - late, experts), filled), late);
        if (p.zeroStage == 0) shards = 1;
    }
    const double mine = bucket / shards, narrow = c.train.gradDtype == Precision::Bf16 ? 1 : 0;
    const double side = std::min(largest.rows, largest.columns);
    // Nesterov momentum, a product and their sum; then the gathered bucket and a Newton-Schulz step, whose four
    // matrices and two squares coexist, with the matrix itself if gathered over tensor-parallel ranks.
    const double steps = 4 * largest.elements() + 2 * side * side + (p.tp > 1 ? largest.elements() : 0);
    const double gathered = shards > 1 ? bucket : 0;
    return mine * narrow + std::max({3 * mine, 2 * mine + gathered, mine + std::max(mine, gathered) + steps});
}

}  // namespace

double updateWorkBytes(const RunConfig& c, const RankContents& held, const ShardRanks& ranks) {
    const double elementBytes = c.train.precision == Precision::Fp64 ? 8 : 4;
    const double experts = held.share.experts;
    const double updated = owned(c, held.share.parameters - experts, experts, ranks);
    double elements = copiesOfPiece(c) * std::min(longestRun(c, held.share), updated);
    if (c.optimizer.kind == OptimizerKind::Muon) elements = std::max(elements, muonElements(c, held, ranks));
    return elements * elementBytes;
}

}  // namespace slipway
