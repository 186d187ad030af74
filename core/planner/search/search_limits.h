// The axes of a layout search, and the caller's limits on them.
//   SearchLimits limits;  limits.set("tp=2..8");  limits.set("schedule=1f1b,afab");
#pragma once

#include "core/base/result.h"
#include "core/spec/run_config.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace slipway {

enum class SearchAxis {
    Dp,
    Tp,
    Pp,
    Cp,
    Ep,
    Etp,
    CpKind,
    ZeroStage,
    DpShard,
    SequenceParallel,
    AsyncTp,
    Recompute,
    Schedule,
    VirtualStages,
    LayerSplit,
    MicroBatchSize,
    Offload
};
constexpr auto enumNames(SearchAxis) {
    using Name = EnumName<SearchAxis>;
    return std::array{Name{SearchAxis::Dp, "dp"},
                      Name{SearchAxis::Tp, "tp"},
                      Name{SearchAxis::Pp, "pp"},
                      Name{SearchAxis::Cp, "cp"},
                      Name{SearchAxis::Ep, "ep"},
                      Name{SearchAxis::Etp, "etp"},
                      Name{SearchAxis::CpKind, "cp_kind"},
                      Name{SearchAxis::ZeroStage, "zero_stage"},
                      Name{SearchAxis::DpShard, "dp_shard"},
                      Name{SearchAxis::SequenceParallel, "sequence_parallel"},
                      Name{SearchAxis::AsyncTp, "async_tp"},
                      Name{SearchAxis::Recompute, "recompute"},
                      Name{SearchAxis::Schedule, "schedule"},
                      Name{SearchAxis::VirtualStages, "virtual_stages"},
                      Name{SearchAxis::LayerSplit, "layer_split"},
                      Name{SearchAxis::MicroBatchSize, "micro_batch_size"},
                      Name{SearchAxis::Offload, "offload"}};
}
constexpr std::size_t kNumSearchAxes = enumNames(SearchAxis{}).size();

/// Partition of layers into pipeline stages: even (ParallelLayout::stageLayers), or with one or two layers fewer on the
/// last stage, which has the head, or on both ends; these move to the stages between (SearchSpace::layersPerStage).
enum class LayerSplit { Even, Last1, Last2, Ends1, Ends2 };
constexpr auto enumNames(LayerSplit) {
    using Name = EnumName<LayerSplit>;
    return std::array{Name{LayerSplit::Even, "even"},
                      Name{LayerSplit::Last1, "last_1", "the last stage has one layer less"_text},
                      Name{LayerSplit::Last2, "last_2", "the last stage has two layers less"_text},
                      Name{LayerSplit::Ends1, "ends_1", "first and last stage have one layer less"_text},
                      Name{LayerSplit::Ends2, "ends_2", "first and last stage have two layers less"_text}};
}

/// Allowed values of one axis: a range, or a list if present. Words are represented by their enumerator's number, false by 0, true by 1.
struct AxisLimit {
    std::int64_t low = std::numeric_limits<std::int64_t>::min(), high = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> values;
    [[nodiscard]] bool allows(std::int64_t value) const;
};

/// The caller's limits, one per axis; none: everything is allowed.
class SearchLimits {
public:
    /// Reads "tp=4", "tp=2,4", "tp=2..8", "tp<=8", "tp>=2", "schedule=1f1b,afab", "sequence_parallel=true". Dotted
    /// field names ("parallel.tp", "train.recompute.policy") and mbs, zero, sp, vpp are also accepted. Errors:
    /// "unknown_axis" with the nearest name, "bad_limit".
    Result<void> set(const std::string& text);
    void fix(SearchAxis axis, std::int64_t value) { of(axis) = {0, 0, {value}}; }
    [[nodiscard]] const AxisLimit& of(SearchAxis axis) const { return m_limits[static_cast<std::size_t>(axis)]; }
    AxisLimit& of(SearchAxis axis) { return m_limits[static_cast<std::size_t>(axis)]; }
    [[nodiscard]] bool allows(SearchAxis axis, std::int64_t value) const {
        return m_limits[static_cast<std::size_t>(axis)].allows(value);
    }

private:
    std::array<AxisLimit, kNumSearchAxes> m_limits;
};

/// Conversion between a typed value of an axis ("8", "1f1b", "true") and its number in limits.
std::optional<std::int64_t> axisValue(SearchAxis axis, std::string_view text);
std::string axisText(SearchAxis axis, std::int64_t value);

}  // namespace slipway
