// Positions of a shard's elements in the full tensor: the arithmetic by which any layout reads any other's checkpoints.
// Pure. A shard is a box of the global tensor, row by row, and within it the flat range that ZeRO assigned to a rank.
#pragma once

#include "core/spec/param_shard.h"

#include <cstdint>
#include <string>
#include <vector>

namespace slipway::trainer {

/// `length` elements adjacent in both the global tensor and the shard.
struct ShardRun {
    std::int64_t global = 0;  ///< flat index in the global tensor
    std::int64_t local = 0;   ///< index in the shard's own tensor, 0 .. numel-1
    std::int64_t length = 0;
    bool operator==(const ShardRun&) const = default;
};

/// All runs of a shard, ascending in both indices.
std::vector<ShardRun> runsOf(const ParamShard& shard);

/// One piece to copy.
struct ShardCopy {
    std::int64_t from = 0;  ///< index in the source's tensor
    std::int64_t to = 0;    ///< index in the target's tensor
    std::int64_t length = 0;
    bool operator==(const ShardCopy&) const = default;
};

/// The part of `missing` (runs of the target, ascending) that `source` has. Those runs are removed from `missing`, so
/// that copies of one element in several sources are read once.
std::vector<ShardCopy> takeFrom(const std::vector<ShardRun>& source, std::vector<ShardRun>& missing);

/// The box as text: equal for shards that differ only in their flat range. "1:0+48" for columns 0 to 47.
std::string boxText(const ParamShard& shard);

/// The full tensor as one shard.
ParamShard wholeOf(const ParamShard& shard);

}  // namespace slipway::trainer
