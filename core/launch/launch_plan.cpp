#include "core/launch/launch_plan.h"

#include "core/base/ids.h"

#include <algorithm>

namespace slipway {

Result<std::vector<LaunchNode>> shareRanks(const RunConfig& config, const std::vector<NodeRecord>& nodes) {
    std::vector<LaunchNode> shares;
    if (nodes.empty()) return shares;
    const std::int64_t world = config.parallel.worldSize();
    const auto number = static_cast<std::int64_t>(nodes.size());
    std::int64_t left = world;
    for (const NodeRecord& node : nodes) {
        const bool isTwice =
            std::any_of(shares.begin(), shares.end(), [&](const LaunchNode& one) { return one.name == node.name; });
        if (isTwice) return fail("uneven_nodes", "Node %1 is named twice."_text(node.name), "nodes");
        if (node.numSlots == 0 && world % number != 0)
            return fail(
                "uneven_nodes",
                "%1 ranks cannot be shared evenly by %2 nodes; name another number of nodes, or give them slots (slipway nodes add --slots)."_text(
                    world, number),
                "nodes");
        const std::int64_t share = std::min(left, node.numSlots > 0 ? node.numSlots : world / number);
        left -= share;
        if (share > 0) shares.push_back({node.name, share});
    }
    if (left > 0)
        return fail("too_few_slots",
                    "The layout needs %1 ranks; the nodes have slots for %2."_text(world, world - left), "nodes");
    for (const LaunchNode& share : shares)
        if (share.numRanks % config.parallel.tp != 0)
            return fail(
                "uneven_nodes",
                "Node %1 would have %2 ranks, which splits a tensor-parallel group of %3 between nodes; give the nodes multiples of it."_text(
                    share.name, share.numRanks, config.parallel.tp),
                "nodes");
    return shares;
}

RunConfig configForRanks(RunConfig config, std::int64_t numRanks) {
    const std::int64_t world = config.parallel.worldSize(), perReplica = world / config.parallel.dp;
    if (numRanks > 0 && numRanks < world && numRanks % perReplica == 0) config.parallel.dp = numRanks / perReplica;
    return config;
}

Result<std::vector<LaunchNode>> shareFewerRanks(const RunConfig& config, const std::vector<NodeRecord>& nodes,
                                                const std::function<bool(const RunConfig&)>& fits) {
    auto whole = shareRanks(config, nodes);
    if (whole) return whole;
    RunConfig fewer = config;
    while (--fewer.parallel.dp > 0) {
        if (hasErrors(validate(fewer))) continue;
        auto shares = shareRanks(fewer, nodes);
        if (shares && fits(fewer)) return shares;
    }
    return whole;
}

std::int64_t numRanksOn(const std::vector<LaunchNode>& nodes) {
    std::int64_t ranks = 0;
    for (const LaunchNode& node : nodes) {
        if (node.numRanks <= 0) return 0;
        ranks += node.numRanks;
    }
    return ranks;
}

namespace {

LaunchPlan emptyPlan(const LaunchRequest& request) {
    LaunchPlan plan;
    plan.runId = request.run.value;
    plan.attempt = request.attempt;
    plan.launcher = request.launcher;
    plan.version = request.version;
    plan.createdUnixMilliseconds = request.createdUnixMilliseconds;
    plan.masterAddress = request.masterAddress;
    plan.masterPort = request.masterPort;
    return plan;
}

std::vector<std::string> ownEnvironment(const LaunchRequest& request, const std::string& node) {
    return {"SLIPWAY_RUN_ID=" + request.run.value, "SLIPWAY_ATTEMPT=" + std::to_string(request.attempt),
            "SLIPWAY_NODE=" + node, "SLIPWAY_VERSION=" + request.version, "SLIPWAY_HOME=" + request.home.string()};
}

}  // namespace

LaunchPlan makeProgramPlan(const ProgramCommand& command, const LaunchRequest& request) {
    LaunchPlan plan = emptyPlan(request);
    plan.hangSeconds = 0;
    plan.isProgram = true;
    const std::string& node = request.nodes.front().name;
    RankCommand rank{0, 0, command.arguments, command.environment, command.folder};
    for (std::string& entry : ownEnvironment(request, node)) rank.environment.push_back(std::move(entry));
    rank.environment.push_back("SLIPWAY_RUN=" + request.folder.path.string());
    plan.nodes.push_back({node, {std::move(rank)}});
    return plan;
}

Result<LaunchPlan> makeLaunchPlan(const RunConfig& config, const LaunchRequest& request) {
    const std::int64_t worldSize = config.parallel.worldSize();
    if (request.nodes.empty()) return fail("too_few_slots", "There are no nodes to run on."_text, "nodes");
    if (request.nodes.size() > 1 && request.masterPort == 0 && request.launcher == "local")
        return fail("no_port", "Several nodes need a fixed master_port."_text, "master_port");
    LaunchPlan plan = emptyPlan(request);

    std::vector<std::string> arguments = {request.trainer.string(), "--config", request.folder.config().string(),
                                          "--run-dir", request.folder.path.string()};
    if (request.resume) arguments.insert(arguments.end(), {"--resume", "latest"});

    std::int64_t next = 0;
    for (std::size_t n = 0; n < request.nodes.size(); ++n) {
        const LaunchNode& node = request.nodes[n];
        if (!isSafeId(node.name)) return fail("bad_node", "\"%1\" is not a valid node name."_text(node.name), "nodes");
        const std::int64_t left = worldSize - next;
        const std::int64_t here = node.numRanks > 0 ? std::min(node.numRanks, left) : left;
        NodePlan nodePlan{node.name, {}};
        for (std::int64_t local = 0; local < here; ++local) {
            RankCommand command{next++, local, arguments, {}, {}};
            command.environment = {"RANK=" + std::to_string(command.rank),
                                   "LOCAL_RANK=" + std::to_string(local),
                                   "WORLD_SIZE=" + std::to_string(worldSize),
                                   "LOCAL_WORLD_SIZE=" + std::to_string(here),
                                   "GROUP_RANK=" + std::to_string(n),
                                   "MASTER_ADDR=" + request.masterAddress,
                                   "OMP_NUM_THREADS=" + std::to_string(config.train.threadsPerRank)};
            for (std::string& entry : ownEnvironment(request, node.name))
                command.environment.push_back(std::move(entry));
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
