// Software stacks with how fast each is on which device: as they are shipped, saved and fitted (evidence/calibrate.h).
//   cluster.stack = calibration.stackFor({"megatron-core", cluster.device.name, "16 bit", false, ""});
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/spec/software_stack.h"

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
    std::map<std::string, double> speeds;         ///< by "device NAME", "precision NAME", "mixture", "group NAME"
    std::map<std::string, double> spreads;        ///< by group: stepSpread of the runs whose group is known
    static constexpr const char* kTypical = "typical";

    /// The software's stack, or the typical one, as fast as it is on this device in this number format.
    [[nodiscard]] SoftwareStack stackFor(const SpeedKeys& keys) const;
};

/// The product of what is known of the keys; 1 of what is not.
double speedOf(const std::map<std::string, double>& speeds, const SpeedKeys& keys);

/// What changes a run's speed, and the standard deviation of the logarithm of how much.
struct SpeedEffect {
    std::string key;  ///< of Calibration::speeds
    double spread = 0;
};
std::vector<SpeedEffect> speedEffects(const SpeedKeys& keys);

/// As it is shipped (resources/stacks) and saved.
Json toJson(const Calibration& calibration);
Calibration calibrationFromJson(const Json& json, Issues& issues);

}  // namespace slipway
