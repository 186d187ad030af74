#include "core/planner/search/rank_layouts.h"

#include "core/planner/search/layout_search.h"

namespace slipway {

std::vector<LayoutChoice> rankLayouts(const RunConfig& config, const ClusterSpec& cluster, std::size_t limit) {
    LayoutRequest request{config, cluster};
    request.limit = limit;
    request.distinct = true;  // else options that the forecast can hardly distinguish would fill the list
    // A config that the trainer can execute gets only executable layouts.
    request.onlyRunnable = trainerSupports(config).empty();
    // All of the cluster's devices; ranks on a CPU share its cores, so their number stays.
    const std::int64_t world = config.parallel.worldSize(), devices = cluster.numDevices();
    if (cluster.device.kind != DeviceKind::Cpu) request.devices = {devices};
    LayoutSearch found = searchLayouts(request);
    if (found.best.empty() && world < devices) {  // the batch may not divide by all of them
        request.devices = {world};
        found = searchLayouts(request);
    }
    std::vector<LayoutChoice> choices;
    for (const FoundLayout& l : found.best)
        choices.push_back(
            {l.parallel, l.microBatchSize, l.recompute, l.step.stepSeconds, l.step.tokensPerSecond, l.memoryPeakBytes});
    return choices;
}

}  // namespace slipway
