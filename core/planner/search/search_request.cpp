#include "core/planner/search/search_request.h"

#include <algorithm>

namespace slipway {

namespace {

std::int64_t mostDevices(const LayoutRequest& request) {
    if (request.devices.empty()) return request.config.parallel.worldSize();
    return *std::max_element(request.devices.begin(), request.devices.end());
}

}  // namespace

void growCluster(LayoutRequest& request) {
    ClusterSpec& cluster = request.cluster;
    if (cluster.device.kind == DeviceKind::Cpu) return;
    const std::int64_t perNode = std::max<std::int64_t>(1, cluster.devicesPerNode);
    const std::int64_t most = std::max(request.config.parallel.worldSize(), mostDevices(request));
    cluster.numNodes = std::max(cluster.numNodes, (most + perNode - 1) / perNode);
}

void limitMemory(LayoutRequest& request, double bytesPerRank) {
    double& memory = request.cluster.device.memoryBytes;
    double limit = bytesPerRank;
    if (request.cluster.device.kind == DeviceKind::Cpu) {
        // One memory for all ranks of the node, as in capacityPerRank().
        const std::int64_t nodes = std::max<std::int64_t>(1, request.cluster.numNodes);
        limit *= static_cast<double>((mostDevices(request) + nodes - 1) / nodes);
    }
    memory = memory > 0 ? std::min(memory, limit) : limit;
}

std::vector<FoundLayout> layoutsToBenchmark(const LayoutRequest& request, const LayoutSearch& found,
                                            std::size_t count) {
    std::vector<FoundLayout> layouts = found.best;
    RunConfig plain = request.config;
    plain.parallel = {};
    plain.train.recompute = {};
    if (!request.onlyRunnable && trainerSupports(plain).empty()) {
        LayoutRequest runnable = request;
        runnable.onlyRunnable = true;
        runnable.limit = count;
        layouts = searchLayouts(runnable).best;
    }
    if (layouts.size() > count) layouts.resize(count);
    return layouts;
}

}  // namespace slipway
