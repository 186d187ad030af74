// A software's constants as a posterior of its runs.
#pragma once

#include "core/planner/evidence/measured_run.h"

#include <map>
#include <string>
#include <vector>

namespace slipway {

/// ln measured / forecast step time: of the actual way, where a run may wait or not (the likelier one after the fact);
/// NaN where a forecast is impossible.
double nearerWayLog(const MeasuredRun& run);

/// The twelve constants of time: most likely values under normal priors on their logarithms (around `prior`, by its uncertainty, else
/// ConstantInfo::spread)
/// and Cauchy errors of the logarithms of step times, inside the physical bounds.
/// @param speeds of Calibration
void fitTime(const std::vector<const MeasuredRun*>& runs, const std::map<std::string, double>& speeds,
             const SoftwareStack& prior, SoftwareStack& stack);

/// The six memory constants, from runs with a meter that counts more than tensors; usableShare from failed runs.
void fitMemory(const std::vector<const MeasuredRun*>& runs, SoftwareStack& stack);

}  // namespace slipway
