#include "core/planner/cost/run_cost.h"

#include "core/planner/cost/checkpoint.h"
#include "core/planner/cost/cost.h"

#include <algorithm>
#include <cmath>

namespace slipway {

RunCost runCost(const CostQuestion& q) {
    RunCost cost;
    cost.busySeconds = q.busySeconds;
    const double nodes = std::ceil(q.devices / q.devicesPerNode);
    if (q.nodeMtbfSeconds) {
        cost.mtbfSeconds = clusterMtbfSeconds(*q.nodeMtbfSeconds, nodes);
        cost.bestIntervalSeconds = bestCheckpointInterval(q.checkpointSeconds, *cost.mtbfSeconds);
        cost.intervalSeconds = q.checkpointEverySeconds ? q.checkpointEverySeconds : cost.bestIntervalSeconds;
        // Free checkpoints are written all the time and nothing is lost.
        cost.ettr = *cost.intervalSeconds > 0
                        ? goodput(*cost.intervalSeconds, q.checkpointSeconds, q.restartSeconds, *cost.mtbfSeconds)
                        : std::max(0.0, 1 - q.restartSeconds / *cost.mtbfSeconds);
    } else if (q.checkpointEverySeconds && *q.checkpointEverySeconds > 0) {
        cost.intervalSeconds = q.checkpointEverySeconds;
        cost.ettr = *q.checkpointEverySeconds / (*q.checkpointEverySeconds + q.checkpointSeconds);
    }
    cost.wallSeconds = cost.busySeconds / cost.ettr;
    if (cost.mtbfSeconds) cost.failures = cost.wallSeconds / *cost.mtbfSeconds;
    cost.deviceHours = cost.wallSeconds / 3600 * q.devices;
    cost.money = money(cost.deviceHours, q.pricePerHour);
    if (q.powerWatts) cost.energyKwh = cost.deviceHours * *q.powerWatts / 1000 * q.powerUsageEffectiveness;
    if (cost.energyKwh && q.gramsPerKwh) cost.carbonKg = *cost.energyKwh * *q.gramsPerKwh / 1000;
    return cost;
}

const PublishedReliability& llama3Reliability() {
    static const PublishedReliability llama3{
        "Llama 3 405B", 54.0 * 86400 * 2048 / 419,
        "Llama 3, arXiv 2407.21783, table 5: 419 unexpected interruptions in 54 days"};
    return llama3;
}

}  // namespace slipway
