// The constants of a SoftwareStack: how far software differs in each, and the physical bounds that no fit may leave.
#pragma once

#include "core/spec/software_stack.h"

#include <string_view>
#include <vector>

namespace slipway {

struct ConstantInfo {
    StackConstant SoftwareStack::*member = nullptr;
    bool ofMemory = false;     ///< else of time
    double spread = 0;         ///< standard deviation of its logarithm among software
    double low = 0, high = 0;  ///< physical: a peak, a line rate, nothing below nothing
};

/// Twelve of time, then six of memory. Priors are SoftwareStack's defaults.
const std::vector<ConstantInfo>& stackConstants();

/// A constant as it is printed, with the texts of the field table.
struct ConstantRow {
    std::string_view name, unit, help;
    StackConstant constant;
    double low = 0, high = 0;
};
std::vector<ConstantRow> constantRows(const SoftwareStack& stack);

/// The name of the first constant beyond its bounds; empty: none is.
std::string_view beyondBounds(const SoftwareStack& stack);

/// The stack where products, attention and elementwise work reach `speed` times as much, at most their peaks.
SoftwareStack withSpeed(SoftwareStack stack, double speed);

}  // namespace slipway
