// How much faster runs are by software, device, number format, mixture of experts and source than the constants alone make them.
#pragma once

#include "core/planner/evidence/calibrate.h"

namespace slipway {

/// Fits calibration.speeds to the runs, given its stacks: one hierarchical linear model of the logarithms, whose effects are drawn
/// towards 1 by how much software, devices and so on differ (Henderson 1975, doi 10.2307/2529430). Robust by reweighting.
void fitSpeeds(const std::vector<const MeasuredRun*>& runs, Calibration& calibration);

}  // namespace slipway
