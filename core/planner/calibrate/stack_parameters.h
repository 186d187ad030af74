// The figures of a StackProfile that calibration fits: few, physical, each with its unit and what it stands for.
#pragma once

#include "core/spec/stack_profile.h"

#include <string_view>
#include <vector>

namespace slipway {

struct StackParameter {
    double StackProfile::* member = nullptr;
    bool ofMemory = false;  ///< fitted to memory, else to step time
    double low = 0, high = 0;  ///< physical range; fits stay inside
};

/// In the order of StackProfile::uncertainty. Names, units and explanations are the field table's.
const std::vector<StackParameter>& stackParameters();

/// A parameter as it is printed.
struct StackParameterText {
    std::string_view name, unit, help;
};
/// Same order as stackParameters().
std::vector<StackParameterText> stackParameterTexts();

}  // namespace slipway
