#include "core/planner/memory/memory_interval.h"

#include "core/planner/stack/known_software.h"

#include <cmath>

namespace slipway {

std::pair<double, double> memoryInterval(const Plan& plan) {
    const ClusterSpec& cluster = plan.cluster;
    const double peak = plan.memoryPeakBytes;
    if (isOtherSoftware(cluster)) {
        const double width = std::exp(kInterval80 * cluster.stack->memorySpread);
        return {peak / width, peak * width};
    }
    if (cluster.device.kind == DeviceKind::Cpu) {
        const double off = storageBytes(plan.config.train.precision) == 2 ? 0.10 : 0.03;
        return {peak * (1 - off), peak * (1 + off)};
    }
    return {peak * 0.90, peak * 1.51};
}

std::optional<std::pair<double, double>> residentInterval(const Plan& plan) {
    constexpr double kLeastBytes = 160e6, kMostBytes = 310e6;
    if (plan.memory.empty() || plan.cluster.device.kind != DeviceKind::Cpu || isOtherSoftware(plan.cluster)) return {};
    const auto [low, high] = memoryInterval(plan);
    return std::pair(low + kLeastBytes, high + kMostBytes);
}

}  // namespace slipway
