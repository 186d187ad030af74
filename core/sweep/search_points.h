// What a search needs of a sweep's trials: where they are on the axes, what the planner forecasts, what they came to.
#pragma once

#include "core/metrics/summarise.h"
#include "core/sweep/search.h"
#include "core/sweep/sweep_file.h"
#include "core/sweep/trial.h"

#include <optional>
#include <vector>

namespace slipway {

/// The trials, planned, as points. Fields that differ between trials are the axes: numbers from 0 to 1, on a logarithmic scale where
/// all are above 0 and the largest is 4 times the smallest; every other choice has an axis of its own. The seed is not an axis: repeats
/// are one place.
std::vector<SearchPoint> searchPoints(const SweepFile& file, const std::vector<Trial>& trials,
                                      SweepObjective objective);

/// The objective as a cost above 0, smaller is better: of a throughput and MFU the reciprocal. Empty when it is unknown.
std::optional<double> costOf(const RunFigures& figures, SweepObjective objective);

}  // namespace slipway
