#include "core/planner/variants/scaling_curve.h"

#include "core/planner/plan.h"

#include <algorithm>

namespace slipway {

std::vector<ScalingPoint> scalingCurve(const RunConfig& config, const ClusterSpec& cluster, ScalingMode mode,
                                       int points) {
    std::vector<ScalingPoint> curve;
    for (int i = 0; i < points; ++i) {
        const std::int64_t times = std::int64_t{1} << i;
        RunConfig c = config;
        c.parallel.dp *= times;
        if (mode == ScalingMode::Weak) c.train.globalBatchSize *= times;
        ClusterSpec grown = cluster;
        const std::int64_t perNode = std::max<std::int64_t>(1, cluster.devicesPerNode);
        grown.numNodes = std::max(cluster.numNodes, (c.parallel.worldSize() + perNode - 1) / perNode);
        const Plan plan = makePlan(c, grown);
        ScalingPoint p;
        p.dp = c.parallel.dp;
        p.devices = c.parallel.worldSize();
        p.globalBatchSize = c.train.globalBatchSize;
        p.stepSeconds = plan.step.stepSeconds;
        p.tokensPerSecond = plan.step.tokensPerSecond;
        p.mfu = plan.step.mfu;
        p.fits = plan.memoryPeakBytes <= plan.memoryCapacityBytes;
        for (const Issue& issue : plan.issues)
            if (issue.severity == Severity::Error) {
                p.obstacle = issue.message;
                break;
            }
        const double perDevice = p.tokensPerSecond / static_cast<double>(p.devices);
        const double first =
            curve.empty() ? perDevice : curve.front().tokensPerSecond / static_cast<double>(curve.front().devices);
        p.efficiency = perDevice / first;
        curve.push_back(std::move(p));
    }
    return curve;
}

}  // namespace slipway
