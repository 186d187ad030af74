// Uncertainty of a memory forecast.
#pragma once

#include "core/planner/values/forecast.h"

#include <optional>
#include <utility>

namespace slipway {

/// 80 % interval of Plan::memoryPeakBytes, in bytes: a calibrated stack's own residuals. Textbook forecasts: of the
/// bundled trainer on a CPU, whose tensors are counted, 3 %, with 16-bit weights 10 % (the bounds of
/// tests/trainer/forecast); on other devices the range of measured runs of other software, 0.90 to 1.51 of the forecast
/// (docs/validation.md). NaN where the peak is NaN.
std::pair<double, double> memoryInterval(const Plan& plan);

/// Resident memory of a rank's process on a CPU, in bytes: that interval of its tensors plus the measured overhead of the bundled
/// trainer's process, 160 to 310 MB (libraries, threads, freed pieces). Empty on other devices, and without a plan.
std::optional<std::pair<double, double>> residentInterval(const Plan& plan);

}  // namespace slipway
