#include "core/launch/launch_plan.h"

#include "core/base/ids.h"

#include <algorithm>

namespace slipway {

Result<LaunchPlan> makeLaunchPlan(const RunConfig& config, const LaunchRequest& request) {
    const std::int64_t worldSize = config.parallel.worldSize();
    if (request.nodes.empty()) return fail("too_few_slots", "There are no nodes to run on."_text, "nodes");
    if (request.nodes.size() > 1 && request.masterPort == 0)
        return fail("no_port", "Several nodes need a fixed master_port."_text, "master_port");
    LaunchPlan plan;
    plan.runId = request.run.value;
    plan.attempt = request.attempt;
    plan.launcher = request.launcher;
    plan.version = request.version;
    plan.createdUnixMilliseconds = request.createdUnixMilliseconds;
    plan.masterAddress = request.masterAddress;
    plan.masterPort = request.masterPort;

    std::vector<std::string> arguments = {request.trainer.string(), "--config", request.folder.config().string(),
                                          "--run-dir", request.folder.path.string()};
    if (request.resume) arguments.insert(arguments.end(), {"--resume", "latest"});

    std::int64_t next = 0;
    for (std::size_t n = 0; n < request.nodes.size(); ++n) {
        const LaunchNode& node = request.nodes[n];
        if (!isSafeId(node.name)) return fail("bad_node", "\"%1\" is not a valid node name."_text(node.name), "nodes");
        const std::int64_t left = worldSize - next;
        const std::int64_t here = node.slots > 0 ? std::min(node.slots, left) : left;
        NodePlan nodePlan{node.name, {}};
        for (std::int64_t local = 0; local < here; ++local) {
            RankCommand command{next++, local, arguments, {}};
            command.environment = {"RANK=" + std::to_string(command.rank),
                                   "LOCAL_RANK=" + std::to_string(local),
                                   "WORLD_SIZE=" + std::to_string(worldSize),
                                   "LOCAL_WORLD_SIZE=" + std::to_string(here),
                                   "GROUP_RANK=" + std::to_string(n),
                                   "MASTER_ADDR=" + request.masterAddress,
                                   "OMP_NUM_THREADS=" + std::to_string(config.train.threadsPerRank),
                                   "SLIPWAY_RUN_ID=" + request.run.value,
                                   "SLIPWAY_ATTEMPT=" + std::to_string(request.attempt),
                                   "SLIPWAY_NODE=" + node.name,
                                   "SLIPWAY_VERSION=" + request.version,
                                   "SLIPWAY_HOME=" + request.home.string()};
            nodePlan.ranks.push_back(std::move(command));
        }
        if (!nodePlan.ranks.empty()) plan.nodes.push_back(std::move(nodePlan));
    }
    if (next < worldSize) {
        return fail("too_few_slots", "The layout needs %1 ranks; the nodes have slots for %2."_text(worldSize, next),
                    "nodes");
    }
    return plan;
}

}  // namespace slipway
