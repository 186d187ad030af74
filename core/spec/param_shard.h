// ParamShard: the part of one parameter on one rank. Used by clipping, checkpoints, resharding, verify and export.
#pragma once

#include "core/base/json.h"
#include "core/spec/parallel_layout.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// The part [offset, offset + length) of dimension `dim` held by one rank of `axis`.
struct ShardSlice {
    Axis axis = Axis::Tp;
    std::int64_t dim = 0;
    std::int64_t offset = 0;
    std::int64_t length = 0;
    bool operator==(const ShardSlice&) const = default;
};

struct ParamShard {
    std::string name;  ///< Hugging Face name, e.g. "model.layers.3.self_attn.q_proj.weight"
    std::vector<std::int64_t> globalShape;
    std::string dtype;               ///< safetensors name: F64, F32, BF16, F16
    std::vector<ShardSlice> slices;  ///< at most one per dim
    /// ZeRO: the range of the flattened local tensor owned by this rank (its optimizer states); empty: all of it.
    std::optional<std::int64_t> flatOffset;
    std::optional<std::int64_t> flatLength;
    std::vector<Axis> replicatedAxes;  ///< axes along which every rank has the same tensor

    /// Shape on this rank after the slices.
    [[nodiscard]] std::vector<std::int64_t> localShape() const;
    [[nodiscard]] std::int64_t localElements() const;
    [[nodiscard]] std::int64_t globalElements() const;
};

Json toJson(const ParamShard& shard);
Result<ParamShard> paramShardFromJson(const Json& json, const std::string& where);

}  // namespace slipway
