// Calibration: what measured runs say of software stacks. Stacks with many runs get a StackProfile (memory and time,
// fitted apart), stacks with few get one efficiency over the textbook forecast.
//   const Calibration calibration = calibrate(table->runs);
//   applyCalibration(calibration, run.cluster, run.stack);   // then makePlan(run.config, run.cluster)
#pragma once

#include "core/planner/validate/measured_run.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

struct CalibratedStack {
    double efficiency = 1;               ///< forecast over measured step time, median
    double uncertainty = 0;              ///< relative standard error of efficiency
    double lowRatio = 1, highRatio = 1;  ///< measured over calibrated forecast, 10 % and 90 % quantile
    std::int64_t measuredRuns = 0;
    std::optional<StackProfile> profile;
    std::optional<AllocatorFit> allocator;  ///< of software whose tensors are known (validate/software_memory.h)
};

struct Calibration {
    std::map<std::string, CalibratedStack> stacks;     ///< by MeasuredRun::stack
    std::map<std::string, CalibratedStack> softwares;  ///< by what stands before " | ", for devices not measured
    std::optional<CalibratedStack> everything;         ///< for software not measured
    [[nodiscard]] const CalibratedStack* find(const std::string& stack) const;
    /// The stack's own, or its software's; null when neither has one.
    [[nodiscard]] const AllocatorFit* findAllocator(const std::string& stack) const;
    /// Fitted figures, all stacks together.
    [[nodiscard]] std::size_t numParameters() const;
};

/// Fewest measured step times for a StackProfile: ten for each of its figures of time.
constexpr std::size_t kRunsPerProfile = 200;

/// Deterministic; seconds for thousands of runs.
Calibration calibrate(const std::vector<const MeasuredRun*>& runs);

/// Puts a stack's figures into a cluster, labelled "calibrated"; leaves it alone when nothing is known.
void applyCalibration(const Calibration& calibration, const std::string& stack, ClusterSpec& cluster);
/// The same for a run, with the figures of its software's allocator.
void applyCalibration(const Calibration& calibration, MeasuredRun& run);

}  // namespace slipway
