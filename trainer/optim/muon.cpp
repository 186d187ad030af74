#include "trainer/optim/muon.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>

#include <algorithm>
#include <cmath>

namespace slipway::trainer {
namespace {

constexpr double kUpdateScale = 0.2;

// The whole matrix from the parts of the tp ranks (of an expert: etp).
at::Tensor wholeOf(const at::Tensor& local, const Parameter& parameter, const ProcessMesh& mesh, Bug bug) {
    ProcessGroup& group = parameter.isExpert && bug != Bug::ExpertMatrixOverTp ? *mesh.etp : *mesh.tp;
    if (parameter.shard.slices.empty() || group.size() == 1) return local;
    const bool columns = parameter.shard.slices.front().dim == 1;
    const at::Tensor part = (columns ? local.t() : local).contiguous();
    at::Tensor whole = at::empty({part.size(0) * group.size(), part.size(1)}, part.options());
    group.allGather(whole, part)->wait();
    if (parameter.tpCopies > 1)  // the first copy of each slice
        whole =
            whole.view({-1, parameter.tpCopies, part.size(0), part.size(1)}).select(1, 0).reshape({-1, part.size(1)});
    return columns ? whole.t().contiguous() : whole;  // in the memory order of an uncut matrix: for the same bits
}

at::Tensor partOf(const at::Tensor& whole, const Parameter& parameter) {
    if (parameter.shard.slices.empty()) return whole;
    const ShardSlice& slice = parameter.shard.slices.front();
    return whole.narrow(slice.dim, slice.offset, slice.length);
}

}  // namespace

at::Tensor orthogonalised(const at::Tensor& matrix) {
    const bool tall = matrix.size(0) > matrix.size(1);
    at::Tensor x = tall ? matrix.t() : matrix;
    x = x / (x.norm() + 1e-7);
    for (int step = 0; step < 5; ++step) {
        const at::Tensor a = at::matmul(x, x.t());
        const at::Tensor b = a * -4.7750 + at::matmul(a, a) * 2.0315;
        x = x * 3.4445 + at::matmul(b, x);
    }
    return tall ? x.t() : x;
}

bool isOrthogonal(const Parameter& parameter) {
    return parameter.shard.globalShape.size() == 2 && !parameter.isTable;
}

void updateMuon(const MainGradients& gradients, const ProcessMesh& mesh, const std::vector<MuonRange>& owned,
                const MuonRates& rates, const RoundingKey* rounding, Bug bug) {
    const BucketLayout& layout = gradients.layout();
    for (std::size_t bucket = 0; bucket < layout.buckets.size(); ++bucket) {
        const auto& items = layout.bucketItems[bucket];
        if (std::none_of(items.begin(), items.end(),
                         [&](std::size_t item) { return isOrthogonal(*gradients.parameters()[item]); }))
            continue;
        const MuonRange& mine = owned[bucket];
        const FlatRange range = layout.buckets[bucket];
        // Nesterov: the gradient ahead of the momentum. Elements of other parameters in the bucket are not used.
        const at::Tensor fresh = mine.gradients.scalar_type() == rates.format
                                     ? mine.gradients
                                     : mine.gradients.to(rates.format).mul_(rates.gradientFactor);
        const at::Tensor next = mine.momentum.to(fresh.device(), fresh.scalar_type()) * rates.momentum + fresh;
        at::Tensor whole = fresh + next * rates.momentum;
        if (layout.isCut(bucket)) {
            const at::Tensor block = whole;
            whole = at::empty({range.length()}, block.options());
            gradients.shardGroup(bucket).allGather(whole, block)->wait();
        }
        for (const std::size_t item : items) {
            const Parameter& parameter = *gradients.parameters()[item];
            if (!isOrthogonal(parameter)) continue;
            const FlatRange place = layout.items[item];
            at::Tensor local =
                whole.narrow(0, place.begin - range.begin, place.length()).view(parameter.shard.localShape());
            const at::Tensor update = orthogonalised(wholeOf(local, parameter, mesh, bug));
            const auto longest = static_cast<double>(std::max(update.size(0), update.size(1)));
            const at::Tensor flat =
                partOf(update, parameter).contiguous().view({-1}).mul(kUpdateScale * std::sqrt(longest));
            const FlatRange here{std::max(place.begin, mine.range.begin), std::min(place.end, mine.range.end)};
            if (here.length() <= 0) continue;
            const std::int64_t at = here.begin - mine.range.begin;
            mine.momentum.narrow(0, at, here.length()).copy_(next.narrow(0, at, here.length()));
            at::Tensor weights = mine.weights.narrow(0, at, here.length());
            at::Tensor wide = rounding != nullptr ? weights.to(at::kFloat) : weights;
            wide.mul_(1 - rates.lr * rates.weightDecay)
                .sub_(flat.narrow(0, here.begin - place.begin, here.length()).to(wide.device()), rates.lr);
            if (rounding != nullptr) rounding->round(weights, wide, parameter.shard, here.begin - place.begin);
        }
    }
}

}  // namespace slipway::trainer
