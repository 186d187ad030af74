#include "core/planner/memory/graph_passes.h"

#include "core/planner/memory/memory_terms.h"

#include <algorithm>

namespace slipway {

bool repeatsFromGraph(const RunConfig& config) {
    if (!config.train.cudaGraphs || config.train.device != DeviceKind::Gpu) return false;
    const Issues issues = trainerSupports(config);
    return std::none_of(issues.begin(), issues.end(), [](const Issue& i) { return i.field == "train.cuda_graphs"; });
}

double repeatedMicroBatches(const RunConfig& config) {
    return repeatsFromGraph(config) ? static_cast<double>(config.numMicroBatches() - 2) : 0;
}

double graphPoolBytes(const RunConfig& config, const ClusterSpec& cluster) {
    if (!repeatsFromGraph(config)) return 0;
    return memoryTerms(config, cluster, 0).graphBytes.value();
}

}  // namespace slipway
