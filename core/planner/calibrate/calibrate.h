// Calibration: constants of software stacks from measured runs. Each software's constants are a posterior: the prior is the typical
// software's, and what a device, a number format, a mixture of experts or a single source changes is shared by all software, so
// that one run narrows a forecast and thousands decide it.
//   const Calibration calibration = calibrate(pointers);
//   applyCalibration(calibration, run);   // then makePlan(run.config, run.cluster)
#pragma once

#include "core/base/json.h"
#include "core/planner/validate/measured_run.h"

#include <map>
#include <string>
#include <vector>

namespace slipway {

/// What a run's speed is made of.
struct SpeedKeys {
    std::string software;   ///< "nanotron"
    std::string device;     ///< as the device's preset is called
    std::string precision;  ///< "16 bit", "fp8", "mxfp8" or "fp4"
    bool mixture = false;
    std::string group;  ///< runs of one source, device and number format
};

struct Calibration {
    std::map<std::string, SoftwareStack> stacks;  ///< by software; kTypical is the software of which no run is known
    std::map<std::string, double>
        speeds;  ///< by "software NAME", "device NAME", "precision NAME", "mixture", "group NAME"
    std::map<std::string, double> spreads;  ///< by group: stepSpread of the runs whose group is known
    static constexpr const char* kTypical = "typical";

    /// The software's stack, or the typical one, as fast as it is on this device in this number format.
    [[nodiscard]] SoftwareStack stackFor(const SpeedKeys& keys) const;
};

/// Deterministic; seconds for thousands of runs.
Calibration calibrate(const std::vector<const MeasuredRun*>& runs);

SpeedKeys speedKeys(const MeasuredRun& run);

/// Puts the run's stack into its cluster, labelled "calibrated".
void applyCalibration(const Calibration& calibration, MeasuredRun& run);

/// As it is shipped (resources/stacks) and saved.
Json toJson(const Calibration& calibration);
Calibration calibrationFromJson(const Json& json, Issues& issues);

}  // namespace slipway
