#include "core/planner/stack/stack_links.h"

#include "core/base/real.h"

#include <algorithm>
#include <cmath>

namespace slipway {

double nodesOf(const RunConfig& config, const ClusterSpec& cluster) {
    const std::int64_t perNode = std::max<std::int64_t>(cluster.devicesPerNode, 1);
    return real((config.parallel.worldSize() + perNode - 1) / perNode);
}

LinkSpec stackLink(const SoftwareStack& s, LinkSpec link, double nodes, double ranks) {
    if (nodes <= 1) {
        link.bytesPerSecond *= s.intraShare.value;
        return link;
    }
    link.bytesPerSecond *= s.interShare.value * std::pow(nodes / 2, -s.congestion.value);
    link.latencySeconds = s.interLatencySeconds.value * nodes / std::max(1.0, ranks - 1);
    return link;
}

double ranksPerCore(const RunConfig& config, const ClusterSpec& cluster) {
    if (cluster.device.kind != DeviceKind::Cpu) return 1;
    const double ranks = std::ceil(real(config.parallel.worldSize()) / real(cluster.numNodes));
    return std::max(1.0, ranks / real(std::max<std::int64_t>(cluster.devicesPerNode, 1)));
}

LinkSpec cpuLink(const SoftwareStack& s, LinkSpec link, double nodes, double ranksPerCore) {
    const double share =
        nodes <= 1 ? s.intraShare.value : s.interShare.value * std::pow(nodes / 2, -s.congestion.value);
    link.bytesPerSecond *= share / ranksPerCore;
    link.latencySeconds *= ranksPerCore;
    return link;
}

double cpuWakeSeconds(const SoftwareStack& s, double ranksPerCore) {
    return s.rankSeconds.value * ranksPerCore;
}

double waitChance(const RunConfig& config, const ClusterSpec& cluster) {
    const double nodes = nodesOf(config, cluster);
    if (config.parallel.pp == 1 || nodes <= 1 || !cluster.stack) return 0;
    const StackConstant& perNode = cluster.stack->waitChance;
    if (!(perNode.uncertainty > 0)) return 1 - std::pow(1 - perNode.value, nodes);
    // The logarithm of the chance is normal: steps of an eighth of a standard deviation, up to three of these deviations.
    constexpr double kMost = 0.5;
    double sum = 0, weights = 0;
    for (int eighths = -24; eighths <= 24; ++eighths) {
        const double z = eighths / 8.0, weight = std::exp(-z * z / 2);
        const double q = std::min(kMost, perNode.value * std::exp(z * perNode.uncertainty));
        sum += weight * (1 - std::pow(1 - q, nodes));
        weights += weight;
    }
    return sum / weights;
}

}  // namespace slipway
