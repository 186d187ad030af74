#include "core/report/csv_number.h"

#include <cmath>
#include <cstdio>

namespace slipway {

std::string csvNumber(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.17g", value);
    // The shortest text that parses to the same value.
    for (int digits = 1; digits < 17; ++digits) {
        char shorter[40];
        std::snprintf(shorter, sizeof shorter, "%.*g", digits, value);
        if (std::stod(shorter) == value) return shorter;
    }
    return buffer;
}

}  // namespace slipway
