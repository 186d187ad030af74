// The planner's figures for a measured run: the functions behind a plan, without timeline and advice.
#pragma once

#include "core/planner/evidence/measured_run.h"
#include "core/planner/memory/stack_memory.h"
#include "core/planner/stack/two_point.h"

namespace slipway {

/// Pipelines with one stage without parameters ran; with more, the optimizer had nothing to do on a rank and failed.
constexpr std::int64_t kBareStagesThatRun = 1;

/// Both possible step times; NaN when a peak or bandwidth is unknown or the schedule cannot be built.
struct StepForecast {
    TwoPoint ways;
    double seconds = 0, low = 0, high = 0;  ///< the likelier, and the ends of the 80 % interval
};
StepForecast forecastStep(const MeasuredRun& run);

/// Bytes of the rank with measured memory.
double forecastMemory(const MeasuredRun& run);

/// The same with gathered inputs saved, and without.
PeakBytes forecastRankBytes(const MeasuredRun& run);

/// Bytes of the worst rank. @param gathersSaved of a calibrated stack: as the forecast decides, or never
double forecastPeak(const MeasuredRun& run, bool gathersSaved = true);

/// Fits the device, or the part usable by its stack, and the stack's split leaves no rank without work.
bool forecastFits(const MeasuredRun& run);

}  // namespace slipway
