// Inputs of a search from a sweep's trials: positions on the axes, forecasts, outcomes.
#pragma once

#include "core/metrics/summarise.h"
#include "core/sweep/search.h"
#include "core/sweep/sweep_file.h"
#include "core/sweep/trial.h"

#include <optional>
#include <vector>

namespace slipway {

/// The trials, planned, as points. Fields that differ between trials are the axes: numbers from 0 to 1, on a
/// logarithmic scale where all are above 0 and the largest is 4 times the smallest; every other choice has its own
/// axis. The seed is not an axis: repeats share one position.
std::vector<SearchPoint> searchPoints(const SweepFile& file, const std::vector<Trial>& trials,
                                      SweepObjective objective);

/// The objective as a cost above 0, smaller is better: for throughput and MFU the reciprocal. Empty when it is unknown.
std::optional<double> costOf(const RunFigures& figures, SweepObjective objective);

}  // namespace slipway
