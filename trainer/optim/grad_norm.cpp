#include "trainer/optim/grad_norm.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linalg_vector_norm.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace slipway::trainer {
namespace {

// Eight partial sums: independent additions that fit in vector registers, in a fixed order.
template <class T>
double sumOfSquares(const T* values, std::int64_t count) {
    std::array<double, 8> sums{};
    std::int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        for (std::size_t lane = 0; lane < 8; ++lane) {
            const auto x = static_cast<double>(values[i + static_cast<std::int64_t>(lane)]);
            sums[lane] += x * x;
        }
    }
    for (; i < count; ++i) sums[0] += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    double total = 0;
    for (const double sum : sums) total += sum;
    return total;
}

double sumOfSquares(const at::Tensor& part) {
    if (part.is_cpu() && part.scalar_type() == at::kFloat)
        return sumOfSquares(part.const_data_ptr<float>(), part.numel());
    if (part.is_cpu() && part.scalar_type() == at::kBFloat16)
        return sumOfSquares(part.const_data_ptr<at::BFloat16>(), part.numel());
    if (part.is_cpu() && part.scalar_type() == at::kDouble)
        return sumOfSquares(part.const_data_ptr<double>(), part.numel());
    const double norm = at::linalg_vector_norm(part, 2, std::nullopt, false, at::kDouble).item<double>();
    return norm * norm;
}

}  // namespace

bool countsInNorm(const Parameter& parameter, const ProcessMesh& mesh, bool sharded, Bug bug) {
    if (parameter.balanceRate > 0) return false;
    const bool isCopy = parameter.tiedAcrossStages && mesh.tied->size() > 1 && mesh.tied->rank() != 0;
    if (isCopy && !(parameter.isExpert && bug == Bug::ExpertCountedPerCopy)) return false;
    if (parameter.isExpert) return sharded || mesh.edp->rank() == 0;
    if ((sharded ? mesh.replicaRank() : mesh.dp->rank()) != 0) return false;
    std::int64_t sharers = mesh.tp->size();
    for (const ShardSlice& slice : parameter.shard.slices) {
        if (slice.axis != Axis::Tp) continue;
        const std::int64_t whole = parameter.shard.globalShape[static_cast<std::size_t>(slice.dim)];
        sharers = std::max<std::int64_t>(1, mesh.tp->size() * slice.length / std::max<std::int64_t>(1, whole));
    }
    return mesh.tp->rank() % sharers == 0;
}

std::vector<at::Tensor> countedGradients(const MainGradients& gradients, const ProcessMesh& mesh, Bug bug) {
    const BucketLayout& layout = gradients.layout();
    std::vector<at::Tensor> counted;
    for (const FlatRange& range : gradients.owned()) {
        FlatRange joined{range.begin, range.begin};
        const auto take = [&] {
            if (joined.length() > 0) counted.push_back(gradients.part(joined));
        };
        for (const FlatSegment& segment : layout.segments(range)) {
            const Parameter& parameter = *gradients.parameters()[segment.item];
            if (!countsInNorm(parameter, mesh, layout.isCut(layout.bucketOf[segment.item]), bug)) continue;
            if (segment.range.begin != joined.end) {
                take();
                joined.begin = segment.range.begin;
            }
            joined.end = segment.range.end;
        }
        take();
    }
    return counted;
}

double globalGradNorm(const MainGradients& gradients, const ProcessMesh& mesh, Bug bug) {
    const BucketLayout& layout = gradients.layout();
    double mine = 0;
    for (const FlatRange& range : gradients.owned()) {
        for (const FlatSegment& segment : gradients.layout().segments(range)) {
            const Parameter& parameter = *gradients.parameters()[segment.item];
            const bool counts = bug == Bug::ReplicatedCountedPerRank
                                    ? gradients.sharded() || mesh.dp->rank() == 0
                                    : countsInNorm(parameter, mesh, layout.isCut(layout.bucketOf[segment.item]), bug);
            if (counts) mine += sumOfSquares(gradients.part(segment.range));
        }
    }
    if (bug == Bug::ShardNormNotReduced) return std::sqrt(mine);
    const at::TensorOptions options = at::TensorOptions().dtype(at::kDouble).device(gradients.flat().device());
    const at::Tensor part = at::full({1}, mine, options);
    at::Tensor parts = at::empty({mesh.world->size()}, options);
    mesh.world->allGather(parts, part)->wait();
    const at::Tensor host = parts.cpu();
    double total = 0;
    for (std::int64_t rank = 0; rank < host.numel(); ++rank) total += host.const_data_ptr<double>()[rank];
    return std::sqrt(total);
}

double clipCoefficient(double norm, double clipNorm) {
    return clipNorm > 0 && norm > clipNorm ? clipNorm / norm : 1.0;
}

}  // namespace slipway::trainer
