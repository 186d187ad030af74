// Software stacks with their speeds by device: as shipped, saved and fitted (evidence/calibrate.h).
//   cluster.stack = calibration.stackFor({"megatron-core", cluster.device.name, "16 bit", false, ""});
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/spec/software_stack.h"

#include <map>
#include <string>
#include <vector>

namespace slipway {

/// Factors of a run's speed.
struct SpeedKeys {
    std::string software;   ///< "nanotron"
    std::string device;     ///< name of the device's preset
    std::string precision;  ///< "16 bit", "fp8", "mxfp8" or "fp4"
    bool mixture = false;
    std::string group;  ///< runs of one source, device and number format
};

struct Calibration {
    std::map<std::string, SoftwareStack> stacks;  ///< by software; kTypical is for software without known runs
    std::map<std::string, double> speeds;         ///< by "device NAME", "precision NAME", "mixture", "group NAME"
    std::map<std::string, double> spreads;        ///< by group: stepSpread of the runs whose group is known
    static constexpr const char* kTypical = "typical";

    /// The software's stack, or the typical one, at its speed on this device in this number format.
    [[nodiscard]] SoftwareStack stackFor(const SpeedKeys& keys) const;
};

/// The product of the keys' known factors; unknown ones count as 1.
double speedOf(const std::map<std::string, double>& speeds, const SpeedKeys& keys);

/// A factor of a run's speed, and the standard deviation of its logarithm.
struct SpeedEffect {
    std::string key;  ///< of Calibration::speeds
    double spread = 0;
};
std::vector<SpeedEffect> speedEffects(const SpeedKeys& keys);

/// As shipped (resources/stacks) and saved.
Json toJson(const Calibration& calibration);
Calibration calibrationFromJson(const Json& json, Issues& issues);

}  // namespace slipway
