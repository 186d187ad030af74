#include "core/spec/plausible.h"

#include <cmath>

namespace slipway {
namespace {

bool isUtilisation(std::string_view metric) {
    return metric == "mfu" || metric == "hfu" || metric == "reported_mfu" || metric == "reported_hfu";
}

/// Whether the metric concerns device memory; the process's share of host memory does not.
bool isOnDevice(std::string_view metric) {
    return metric.starts_with("memory_") && metric.ends_with("_bytes") && metric != "memory_rss_bytes";
}

}  // namespace

SourceText impossibleValue(std::string_view metric, double value, double deviceMemoryBytes) {
    if (!std::isfinite(value)) return {};
    const bool isAmount = metric.ends_with("_seconds") || metric.ends_with("_bytes") ||
                          metric.find("_per_second") != std::string_view::npos || isUtilisation(metric);
    if (value < 0 && isAmount) return "%1 is negative"_text;
    if (value > 1 && isUtilisation(metric)) return "%1 is above 100 %"_text;
    if (deviceMemoryBytes > 0 && value > deviceMemoryBytes && isOnDevice(metric))
        return "%1 exceeds the device memory"_text;
    return {};
}

}  // namespace slipway
