// The space a layout search looks through: its axes, what each may be, and which of it the caller allows.
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
    ZeroStage,
    SequenceParallel,
    Recompute,
    Schedule,
    VirtualStages,
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
                      Name{SearchAxis::ZeroStage, "zero_stage"},
                      Name{SearchAxis::SequenceParallel, "sequence_parallel"},
                      Name{SearchAxis::Recompute, "recompute"},
                      Name{SearchAxis::Schedule, "schedule"},
                      Name{SearchAxis::VirtualStages, "virtual_stages"},
                      Name{SearchAxis::MicroBatchSize, "micro_batch_size"},
                      Name{SearchAxis::Offload, "offload"}};
}
constexpr std::size_t kNumSearchAxes = enumNames(SearchAxis{}).size();

/// What one axis may be: a range, or a list when there is one. Words are their enumerator's number, false 0, true 1.
struct AxisLimit {
    std::int64_t low = 0, high = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> values;
    [[nodiscard]] bool allows(std::int64_t value) const;
};

/// The caller's wishes, one per axis; none: everything is allowed.
class SearchLimits {
public:
    /// Reads "tp=4", "tp=2,4", "tp=2..8", "tp<=8", "tp>=2", "schedule=1f1b,afab", "sequence_parallel=true". Dotted field
    /// names ("parallel.tp", "train.recompute.policy") and mbs, zero, sp, vpp are understood too.
    /// Errors: "unknown_axis" with the nearest name, "bad_limit".
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

/// A schedule with its chunks per rank.
struct PipelineChoice {
    ScheduleKind schedule = ScheduleKind::OneFOneB;
    std::int64_t virtualStages = 1;
};

/// Degrees of the axes that make up the world.
struct Degrees {
    std::int64_t tp = 1, pp = 1, cp = 1, dp = 1, ep = 1;
};

/// The space for one number of devices. Options without effect are left out: a pipeline's of pp = 1, sequence
/// parallelism of tp = 1, ZeRO of one data-parallel rank, offload from a CPU to itself. Schedules are the three whose
/// length has a closed recursion (pipeline_seconds.h), or those that the limits name; zero-bubble kinds and DualPipe are
/// played action by action, which takes milliseconds a layout.
class SearchSpace {
public:
    SearchSpace(const RunConfig& config, const ClusterSpec& cluster, std::int64_t devices,
                const SearchLimits& limits = {});

    std::vector<Degrees> degrees;               ///< all products dp * tp * pp * cp = devices, experts dealt
    std::vector<std::int64_t> microBatchSizes;  ///< divisors of the global batch
    std::vector<Offload> offloads;              ///< none, and on devices with a host all others
    [[nodiscard]] std::vector<PipelineChoice> pipelines(std::int64_t pp) const;
    [[nodiscard]] static std::int64_t mostZeroStage(const Degrees& d) { return d.dp * d.cp > 1 ? 3 : 0; }
    /// Layouts with these degrees and one micro-batch size.
    [[nodiscard]] double countLayouts(const Degrees& d) const;

private:
    std::int64_t m_numLayers;
    std::vector<ScheduleKind> m_schedules;
};

/// All divisors, ascending.
std::vector<std::int64_t> divisorsOf(std::int64_t value);

}  // namespace slipway
