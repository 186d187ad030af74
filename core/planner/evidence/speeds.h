// Speed-ups by software, device, number format, mixture of experts and source over the constants alone.
#pragma once

#include "core/planner/evidence/calibrate.h"

namespace slipway {

/// Fits calibration.speeds to the runs, given its stacks: one hierarchical linear model of the logarithms, whose effects shrink towards 1
/// according to the variance between software, devices and so on (Henderson 1975, doi 10.2307/2529430). Robust by reweighting.
void fitSpeeds(const std::vector<const MeasuredRun*>& runs, Calibration& calibration);

}  // namespace slipway
