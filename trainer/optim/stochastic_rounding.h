// Stochastic rounding of fp32 to bf16: up with the probability of the part beyond bf16's precision, so that the mean is
// unbiased and small updates are not lost (Gupta et al. 2015, arXiv 1502.02551, section 2; Zamirai et al. 2020, arXiv
// 2010.06192).
// The random bits of an element are a function of (seed, update, name of the parameter, index in the full tensor)
// alone: every layout, and a resumed run, rounds identically.
//   RoundingKey key(seed, update);  key.round(weights, wide, parameter.shard, segment.offset);
#pragma once

#include "core/spec/param_shard.h"
#include "trainer/parallel/bug_switch.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace slipway::trainer {

class RoundingKey {
public:
    /// @param update number of the optimizer's update, stored in checkpoints
    RoundingKey(std::int64_t seed, std::int64_t update, Bug bug = Bug::None);

    /// bf16 `to` [n] <- fp32 `from` [n], elements [offset, offset + n) of the parameter's flat local part. NaN and
    /// infinities stay unchanged. Exact bf16 values are preserved.
    void round(at::Tensor to, const at::Tensor& from, const ParamShard& shard, std::int64_t offset) const;

    /// The same by tensor operations, for any device; the reference of the CPU's loop. Bitwise equal, except for the
    /// digits of a NaN.
    void roundByTensors(at::Tensor to, const at::Tensor& from, const ParamShard& shard, std::int64_t offset) const;

    /// For kernels: mixBits(value() ^ fnv1a(name)) is the key of a parameter.
    [[nodiscard]] std::uint64_t value() const { return m_key; }

private:
    [[nodiscard]] std::uint64_t keyOf(const ParamShard& shard) const;

    std::uint64_t m_key;
    Bug m_bug;
};

}  // namespace slipway::trainer
