// The constants of a SoftwareStack: the spread of each among software, and the physical bounds of any fit.
#pragma once

#include "core/spec/software_stack.h"

#include <string_view>
#include <vector>

namespace slipway {

struct ConstantInfo {
    StackConstant SoftwareStack::*member = nullptr;
    bool ofMemory = false;     ///< else of time
    double spread = 0;         ///< standard deviation of its logarithm among software
    double low = 0, high = 0;  ///< physical: a peak, a line rate, nothing negative
};

/// Twelve time constants, then six memory constants. Priors are SoftwareStack's defaults.
const std::vector<ConstantInfo>& stackConstants();

/// A constant for display, with the texts of the field table.
struct ConstantRow {
    std::string_view name, unit, help;
    StackConstant constant;
    double low = 0, high = 0;
};
std::vector<ConstantRow> constantRows(const SoftwareStack& stack);

/// The name of the first constant beyond its bounds; empty: all are within.
std::string_view beyondBounds(const SoftwareStack& stack);

/// The stack with the efficiencies of products, attention and elementwise work times `speed`, at most their peaks.
SoftwareStack withSpeed(SoftwareStack stack, double speed);

}  // namespace slipway
