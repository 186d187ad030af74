#include "trainer/parallel/shard_context.h"

#include "core/base/hash.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace slipway::trainer {
namespace {

// Standard normal value of a counter (Box and Muller 1958); u1 is above 0.
double normal(std::uint64_t key, std::uint64_t index) {
    const std::uint64_t bits = splitMix64(key ^ splitMix64(index));
    const double u1 = (static_cast<double>(bits >> 32) + 1) / 4294967296.0;
    const double u2 = static_cast<double>(bits & 0xffffffffULL) / 4294967296.0;
    return std::sqrt(-2 * std::log(u1)) * std::cos(2 * std::numbers::pi * u2);
}

// Fills the slice [begin, begin + length) of dim `dim`, read as outer x dim x inner.
void fillNormal(at::Tensor& local, const ParamShard& shard, std::uint64_t key, double deviation) {
    const std::int64_t dim = shard.slices.empty() ? 0 : shard.slices.front().dim;
    const std::int64_t begin = shard.slices.empty() ? 0 : shard.slices.front().offset;
    std::int64_t outer = 1, inner = 1;
    for (std::int64_t d = 0; d < dim; ++d) outer *= shard.globalShape[static_cast<std::size_t>(d)];
    for (auto d = static_cast<std::size_t>(dim) + 1; d < shard.globalShape.size(); ++d) inner *= shard.globalShape[d];
    const std::int64_t globalRows = shard.globalShape[static_cast<std::size_t>(dim)];
    const std::int64_t run = local.size(dim) * inner;
    auto* out = local.mutable_data_ptr<double>();
    // A value depends only on its index, so threads may share the work: 7 billion of them take one core five minutes.
    constexpr std::int64_t kGrain = 1 << 15;
    at::parallel_for(0, outer * run, kGrain, [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t i = from; i < to; ++i) {
            const std::int64_t index = (i / run * globalRows + begin) * inner + i % run;
            out[i] = deviation * normal(key, static_cast<std::uint64_t>(index));
        }
    });
}

}  // namespace

ShardSlice evenSlice(std::int64_t dim, std::int64_t total, const ProcessGroup& group) {
    const std::int64_t n = group.size();
    const std::int64_t rank = group.rank();
    const std::int64_t rest = total % n;
    return {Axis::Tp, dim, rank * (total / n) + std::min(rank, rest), total / n + (rank < rest ? 1 : 0)};
}

at::Tensor initialValues(const ParamShard& shard, std::uint64_t seed, Fill fill) {
    at::Tensor values = at::empty(shard.localShape(), at::TensorOptions().dtype(at::kDouble));
    if (fill.deviation == 0)
        values.fill_(fill.constant);
    else
        fillNormal(values, shard, splitMix64(seed) ^ fnv1a(shard.name), fill.deviation);
    return values;
}

std::unique_ptr<Parameter> makeParameter(const ShardContext& context, std::string name,
                                         std::vector<std::int64_t> globalShape, std::optional<ShardSlice> slice,
                                         Fill fill) {
    auto parameter = std::make_unique<Parameter>();
    ParamShard& shard = parameter->shard;
    shard.name = std::move(name);
    shard.globalShape = std::move(globalShape);
    shard.dtype = context.dtype == at::kDouble ? "F64" : context.dtype == at::kBFloat16 ? "BF16" : "F32";
    if (slice)
        shard.slices.push_back(*slice);
    else
        shard.replicatedAxes.push_back(Axis::Tp);
    shard.replicatedAxes.push_back(Axis::Cp);
    shard.replicatedAxes.push_back(Axis::Dp);
    parameter->decay = shard.globalShape.size() > 1;
    const std::uint64_t seed = context.bug == Bug::InitDependsOnRank
                                   ? context.seed + static_cast<std::uint64_t>(context.tp->rank())
                                   : context.seed;
    parameter->weight = initialValues(shard, seed, fill).to(context.device, context.dtype);
    return parameter;
}

}  // namespace slipway::trainer
