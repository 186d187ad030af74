// The schedule behind a plan's figures: the config's own, or a shorter one of the same kind with its growth per
// micro-batch, so that thousands of micro-batches cost no more than hundreds.
#pragma once

#include "core/base/result.h"
#include "core/spec/pipeline_schedule.h"

#include <optional>

namespace slipway {

/// Maximum number of passes (forward and backward, all ranks) simulated one by one.
constexpr std::int64_t kMaxSimulatedPasses = 12000;

struct ScheduleSample {
    PipelineSchedule schedule;                ///< of all micro-batches, or of the first part
    std::optional<PipelineSchedule> shorter;  ///< with pp micro-batches fewer; set when `schedule` is a part
    std::int64_t numMicroBatches = 1;         ///< of the config

    /// A figure that grows linearly once the pipeline is full: `whole` from schedule, `part` from shorter.
    [[nodiscard]] double extrapolate(double whole, double part) const {
        if (!shorter) return whole;
        const auto more = static_cast<double>(numMicroBatches - schedule.numMicroBatches);
        return whole + (whole - part) * more / static_cast<double>(schedule.numMicroBatches - shorter->numMicroBatches);
    }
};

/// Errors as in makeSchedule. At least 3 pp micro-batches are simulated, so that the pipeline is full.
Result<ScheduleSample> sampleSchedule(ScheduleKind kind, std::int64_t pp, std::int64_t numMicroBatches,
                                      std::int64_t virtualStages, std::int64_t maxPasses = kMaxSimulatedPasses);

}  // namespace slipway
