#include "core/planner/plan.h"
#include "core/planner/search/layout_search.h"

namespace slipway {

std::vector<LayoutChoice> rankLayouts(const RunConfig& config, const ClusterSpec& cluster, std::size_t limit) {
    LayoutRequest request{config, cluster};
    request.limit = limit;
    request.distinct = true;  // what differs in options the forecast hardly tells apart would fill the list
    // A config that the trainer can execute gets layouts that it can execute.
    request.onlyRunnable = trainerSupports(config).empty();
    std::vector<LayoutChoice> choices;
    for (const FoundLayout& l : searchLayouts(request).best)
        choices.push_back(
            {l.parallel, l.microBatchSize, l.recompute, l.step.stepSeconds, l.step.tokensPerSecond, l.memoryPeakBytes});
    return choices;
}

}  // namespace slipway
