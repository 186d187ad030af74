// Counts in formulas: real(numLayers) * bytes, without a cast on every line.
#pragma once

#include <cstdint>

namespace slipway {

/// The count as a double; exact up to 2^53.
constexpr double real(std::int64_t value) {
    return static_cast<double>(value);
}

}  // namespace slipway
