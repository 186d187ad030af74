// Calibration: constants of software stacks from measured runs. Each software's constants are a posterior: the prior is
// the typical software's, and the effects of a device, a number format, a mixture of experts or a single source are
// shared by all software, so that one run narrows a forecast and thousands determine it.
//   const Calibration calibration = calibrate(pointers);
//   applyCalibration(calibration, run);   // then makePlan(run.config, run.cluster)
#pragma once

#include "core/planner/evidence/measured_run.h"
#include "core/planner/stack/calibration.h"

#include <vector>

namespace slipway {

/// Deterministic; seconds for thousands of runs.
Calibration calibrate(const std::vector<const MeasuredRun*>& runs);

/// The stack narrowed by runs of its software: its constants, with their uncertainty, are the prior. One run suffices.
SoftwareStack narrowed(const SoftwareStack& stack, const std::vector<const MeasuredRun*>& runs);

SpeedKeys speedKeys(const MeasuredRun& run);

/// Puts the run's stack into its cluster, labelled "calibrated".
void applyCalibration(const Calibration& calibration, MeasuredRun& run);

}  // namespace slipway
