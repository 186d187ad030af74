#include "core/planner/time/stack_time.h"

#include "core/base/real.h"
#include "core/planner/stack/calibrated_range.h"
#include "core/planner/stack/known_software.h"
#include "core/planner/stack/stack_links.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

/// Longer of device and host: (d^6 + h^6)^(1/6), because they alternate in being ahead within a layer.
void waitForHost(double hostSeconds, PassCosts& layer) {
    const double device = layer.compute.total() + layer.tpForwardSeconds + layer.tpBackwardSeconds;
    if (!(device > 0) || hostSeconds <= 0) return;
    const double longer = std::max(device, hostSeconds), shorter = std::min(device, hostSeconds);
    const double both = longer * std::pow(1 + std::pow(shorter / longer, 6), 1.0 / 6);
    const double wait = (both - device) / 3;
    layer.compute += {wait, wait, wait};
}

}  // namespace

void applyStack(const SoftwareStack& s, TimeConstants& c) {
    c.gemmEfficiency = s.gemmEfficiency.value;
    c.attentionEfficiency = s.attentionEfficiency.value;
    c.memoryEfficiency = s.memoryEfficiency.value;
    if (s.name == kBundledTrainer) {
        // On a CPU host and device are one: the host's time adds to each operation's.
        c.operationSeconds = s.layerSeconds.value / kLayerOperations;
        return;
    }
    c.operationSeconds = 0;
    c.hidesOperations = true;
}

void applyStack(const RunConfig& config, const ClusterSpec& cluster, TimeTable& table) {
    const SoftwareStack& s = *cluster.stack;
    const ParallelLayout& p = config.parallel;
    const bool overNodes = nodesOf(config, cluster) > 1;
    constexpr double kInsideNode = 0.3;
    table.slotSeconds = p.pp > 1 ? s.messageSeconds.value * (overNodes ? 1 : kInsideNode) : 0;
    if (s.name == kBundledTrainer) return;  // its operations have the host's time, its messages their link's
    // Under sequence parallelism: two gathers and two scatters forward, the same backward, and both inputs gathered again for
    // the gradients of the weights (Korthikanti 2022, arXiv 2205.05198, sec. 4.2.2).
    constexpr double kLayerCollectives = 10;
    const double collectives = p.pp > 1 && overNodes ? kLayerCollectives * s.rankSeconds.value * real(p.tp - 1) : 0;
    // Recomputation launches the forward pass again, a third of a layer's operations.
    const double again = config.train.recompute.policy == RecomputePolicy::Full ? recomputedShare(config) / 3 : 0;
    const double hostSeconds = (s.layerSeconds.value + collectives) * (1 + again);
    waitForHost(hostSeconds, table.dense);
    waitForHost(hostSeconds, table.moe);
    table.transferSeconds = 0;  // messages are announced and awaited in their slots
}

void addWaits(const RunConfig& config, const ClusterSpec& cluster, double chance, TimeTable& table) {
    // Of one chunk; a step knows how many its schedule has (time/step.cpp).
    const PipelineShape shape{ScheduleKind::OneFOneB, config.parallel.pp, config.numMicroBatches(), 1};
    table.waitChance = chance;
    table.waitSeconds = chance > 0 ? waitSeconds(*cluster.stack, shape) : 0;
}

void addSpread(const RunConfig& config, const ClusterSpec& cluster, TimeTable& table) {
    table.stepSpread = stepSpread(*cluster.stack, config, cluster);
    if (extrapolation(*cluster.stack, config, cluster)) table.label = "extrapolated";
}

double waitSeconds(const SoftwareStack& stack, const PipelineShape& shape) {
    const auto m = real(shape.numMicroBatches), pp = real(shape.pp);
    return stack.waitSeconds.value * real(shape.numChunks()) * (2 * std::min(pp - 1, 2.0) * m + std::max(pp - 2, 0.0));
}

}  // namespace slipway
