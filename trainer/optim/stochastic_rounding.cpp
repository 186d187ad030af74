#include "trainer/optim/stochastic_rounding.h"

#include "core/base/hash.h"
#include "trainer/kernels/update_program.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace slipway::trainer {
namespace {

// The constants of mixBits (update_program.h).
constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ULL, kFirst = 0xbf58476d1ce4e5b9ULL, kSecond = 0x94d049bb133111ebULL;

std::uint16_t rounded(float value, std::uint64_t random) {
    return isFiniteBits(value) ? roundedBits(value, random) : at::BFloat16(value).x;
}

// A logical shift: int64 tensors shift arithmetically.
at::Tensor shifted(const at::Tensor& z, int by) {
    return z.bitwise_right_shift(by).bitwise_and(static_cast<std::int64_t>(~std::uint64_t{0} >> by));
}

std::int64_t asSigned(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

// mixBits() of every element; int64 products wrap like unsigned ones.
at::Tensor mixed(const at::Tensor& values) {
    at::Tensor z = values + asSigned(kStep);
    z = z.bitwise_xor(shifted(z, 30)) * asSigned(kFirst);
    z = z.bitwise_xor(shifted(z, 27)) * asSigned(kSecond);
    return z.bitwise_xor(shifted(z, 31));
}

/// Elements that are adjacent in both the local part and the whole tensor.
struct ElementRun {
    std::int64_t begin = 0, length = 0;  ///< counted from the offset
    std::int64_t global = 0;             ///< index of the first in the whole tensor
};

// Local [outer][cut length][inner] in global [outer][dim][inner].
std::vector<ElementRun> runsOf(const ParamShard& shard, std::int64_t offset, std::int64_t count) {
    if (shard.slices.empty()) return {{0, count, offset}};
    const ShardSlice& slice = shard.slices.front();
    std::int64_t inner = 1;
    for (auto d = static_cast<std::size_t>(slice.dim) + 1; d < shard.globalShape.size(); ++d)
        inner *= shard.globalShape[d];
    const std::int64_t local = slice.length * inner;
    const std::int64_t global = shard.globalShape[static_cast<std::size_t>(slice.dim)] * inner;
    std::vector<ElementRun> runs;
    for (std::int64_t at = 0; at < count;) {
        const std::int64_t place = offset + at, inRun = place % local;
        const std::int64_t length = std::min(local - inRun, count - at);
        runs.push_back({at, length, place / local * global + slice.offset * inner + inRun});
        at += length;
    }
    return runs;
}

}  // namespace

RoundingKey::RoundingKey(std::int64_t seed, std::int64_t update, Bug bug)
    : m_key(mixBits(static_cast<std::uint64_t>(seed)) ^ mixBits(~static_cast<std::uint64_t>(update))), m_bug(bug) {}

std::uint64_t RoundingKey::keyOf(const ParamShard& shard) const {
    return mixBits(m_key ^ fnv1a(shard.name));
}

void RoundingKey::round(at::Tensor to, const at::Tensor& from, const ParamShard& shard, std::int64_t offset) const {
    if (!to.is_cpu() || !to.is_contiguous() || !from.is_contiguous()) return roundByTensors(to, from, shard, offset);
    const std::uint64_t key = keyOf(shard);
    const float* wide = from.const_data_ptr<float>();
    auto* narrow = reinterpret_cast<std::uint16_t*>(to.mutable_data_ptr<at::BFloat16>());
    for (const ElementRun& run : runsOf(shard, offset, to.numel())) {
        const std::int64_t first = m_bug == Bug::RoundingByLocalIndex ? offset + run.begin : run.global;
        for (std::int64_t i = 0; i < run.length; ++i)
            narrow[run.begin + i] = rounded(wide[run.begin + i], mixBits(key ^ static_cast<std::uint64_t>(first + i)));
    }
}

void RoundingKey::roundByTensors(at::Tensor to, const at::Tensor& from, const ParamShard& shard,
                                 std::int64_t offset) const {
    const auto key = asSigned(keyOf(shard));
    for (const ElementRun& run : runsOf(shard, offset, to.numel())) {
        const at::Tensor wide = from.narrow(0, run.begin, run.length).contiguous();
        const at::Tensor index =
            at::arange(run.global, run.global + run.length, at::TensorOptions().dtype(at::kLong).device(wide.device()));
        const at::Tensor random = mixed(index.bitwise_xor(key)).bitwise_and(0xffff).to(at::kInt);
        const at::Tensor bits = (wide.view(at::kInt) + random).bitwise_right_shift(16).to(at::kShort);
        at::Tensor part = to.narrow(0, run.begin, run.length);
        part.copy_(at::where(wide.isfinite(), bits.view(at::kBFloat16), wide.to(at::kBFloat16)));
    }
}

}  // namespace slipway::trainer
