// The figures of a StackProfile that calibration fits: few, physical, each with its unit and what it stands for.
#pragma once

#include "core/spec/stack_profile.h"

#include <string_view>
#include <vector>

namespace slipway {

struct StackParameter {
    double StackProfile::*member = nullptr;
    bool ofMemory = false;     ///< fitted to memory, else to step time
    double low = 0, high = 0;  ///< physical range; fits stay inside
};

/// In the order of StackProfile::uncertainty. Names, units and explanations are the field table's.
const std::vector<StackParameter>& stackParameters();

/// A figure of a profile as it is printed.
struct ProfileFigure {
    std::string_view name, unit, help;
    double value = 0;        ///< NaN: a threshold no run reached
    double uncertainty = 0;  ///< relative standard error; NaN for thresholds
};
/// What calibration decides: the fitted parameters in the order of stackParameters(), then the thresholds.
std::vector<ProfileFigure> profileFigures(const StackProfile& profile);

}  // namespace slipway
