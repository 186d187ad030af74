#include "core/planner/cost/cost.h"

#include "core/spec/batch_sizes.h"

#include <algorithm>
#include <cmath>

namespace slipway {

double deviceHours(double flops, double peakFlops, double mfu) {
    return flops / (peakFlops * mfu) / 3600;
}

double trainingSeconds(double flops, double peakFlops, double mfu, double devices) {
    return flops / (peakFlops * mfu * devices);
}

std::optional<double> money(double deviceHours, std::optional<double> pricePerHour) {
    return pricePerHour ? std::optional(deviceHours * *pricePerHour) : std::nullopt;
}

double breakEvenHours(double price, double rentPerHour) {
    return price / rentPerHour;
}

double devicesToHold(double bytes, double bytesPerDevice) {
    return std::ceil(bytes / bytesPerDevice);
}

double billedDevices(const RunConfig& config, const ClusterSpec& cluster) {
    const std::int64_t world = config.parallel.worldSize();
    return static_cast<double>(cluster.device.kind == DeviceKind::Cpu ? std::min(cluster.numNodes, world) : world);
}

CostEstimate estimateCost(const RunConfig& config, const ClusterSpec& cluster, double stepSeconds) {
    CostEstimate cost;
    cost.trainingSeconds = stepSeconds * BatchSizes(config.train).wholeSteps(config.train.numSteps);
    cost.deviceHours = cost.trainingSeconds / 3600 * billedDevices(config, cluster);
    cost.money = money(cost.deviceHours, cluster.device.pricePerHour);
    cost.currency = cluster.device.currency;
    return cost;
}

}  // namespace slipway
