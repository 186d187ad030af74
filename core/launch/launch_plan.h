// From a config and nodes to the command of every rank. Pure: nothing is looked up, nothing started.
#pragma once

#include "core/remote/node_record.h"
#include "core/spec/agent_files.h"
#include "core/spec/run_config.h"
#include "core/spec/run_dir.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace slipway {

struct LaunchNode {
    std::string name = "local";
    std::int64_t numRanks = 0;  ///< that it takes; 0: all that are left
};

struct LaunchRequest {
    RunId run;
    std::int64_t attempt = 1;
    RunDir folder;
    std::filesystem::path trainer;
    std::filesystem::path home;  ///< where the trainer finds corpora; passed on as SLIPWAY_HOME
    std::string launcher = "local";
    std::vector<LaunchNode> nodes = {LaunchNode{}};
    std::string masterAddress = "127.0.0.1";
    std::int64_t masterPort =
        0;  ///< 0: the agent, the launcher "ssh" or the job of "slurm" finds one; "local" needs one for several nodes
    bool resume = false;  ///< from the newest complete checkpoint
    std::int64_t createdUnixMilliseconds = 0;
    std::string version;
};

/// A program of the user's, which starts its own ranks (torchrun) or has one.
struct ProgramCommand {
    std::vector<std::string> arguments;    ///< the first is the program's absolute path
    std::string folder;                    ///< that it runs in
    std::vector<std::string> environment;  ///< "KEY=VALUE", besides what the agent has

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("arguments"), s.arguments);
        v(field("folder"), s.folder);
        v(field("environment"), s.environment);
    }
};

/// One process on one node, with SLIPWAY_RUN (the run folder), SLIPWAY_RUN_ID, SLIPWAY_ATTEMPT, SLIPWAY_NODE, SLIPWAY_VERSION and
/// SLIPWAY_HOME. Its silence is never taken for a hang.
LaunchPlan makeProgramPlan(const ProgramCommand& command, const LaunchRequest& request);

/// How many ranks each node takes: its slots, or even shares, so that no tensor-parallel group is split between nodes. "too_few_slots",
/// "uneven_nodes" (name them, or give them slots).
Result<std::vector<LaunchNode>> shareRanks(const RunConfig& config, const std::vector<NodeRecord>& nodes);

/// The config for so many ranks: with fewer data-parallel replicas where that makes them, and the same batch; else as it is.
RunConfig configForRanks(RunConfig config, std::int64_t numRanks);

/// As shareRanks(), with the most replicas, at most the config's own, that the nodes take, the config allows and `fits` accepts. Where no
/// number does, the error for all of them.
Result<std::vector<LaunchNode>> shareFewerRanks(const RunConfig& config, const std::vector<NodeRecord>& nodes,
                                                const std::function<bool(const RunConfig&)>& fits);

/// Ranks that these nodes take together; 0 where one of them takes all that are left.
std::int64_t numRanksOn(const std::vector<LaunchNode>& nodes);

/// Ranks fill the nodes in order. The environment is torchrun's (RANK, LOCAL_RANK, WORLD_SIZE, LOCAL_WORLD_SIZE,
/// GROUP_RANK, MASTER_ADDR; the agent adds MASTER_PORT) with OMP_NUM_THREADS, and SLIPWAY_RUN_ID, SLIPWAY_ATTEMPT,
/// SLIPWAY_NODE, SLIPWAY_VERSION, SLIPWAY_HOME. Errors: "too_few_slots", "bad_node", "no_port".
Result<LaunchPlan> makeLaunchPlan(const RunConfig& config, const LaunchRequest& request);

}  // namespace slipway
