#include "core/spec/plausible.h"

#include <cmath>

namespace slipway {
namespace {

bool isUtilisation(std::string_view metric) {
    return metric == "mfu" || metric == "hfu" || metric == "reported_mfu" || metric == "reported_hfu";
}

}  // namespace

std::string impossibleValue(std::string_view metric, double value) {
    if (!std::isfinite(value)) return {};
    const bool isAmount = metric.ends_with("_seconds") || metric.ends_with("_bytes") ||
                          metric.find("_per_second") != std::string_view::npos || isUtilisation(metric);
    if (value < 0 && isAmount) return std::string(metric) + " is negative";
    if (value > 1 && isUtilisation(metric)) return std::string(metric) + " is above 100 %";
    return {};
}

}  // namespace slipway
