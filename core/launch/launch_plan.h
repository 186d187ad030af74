// From a config and nodes to the command of every rank. Pure: no look-ups, no starts.
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
    std::int64_t numRanks = 0;  ///< on this node; 0: all remaining
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
    std::string folder;                    ///< working folder
    std::vector<std::string> environment;  ///< "KEY=VALUE", in addition to the agent's

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("arguments"), s.arguments);
        v(field("folder"), s.folder);
        v(field("environment"), s.environment);
    }
};

/// One process on one node, with SLIPWAY_RUN (the run folder), SLIPWAY_RUN_ID, SLIPWAY_ATTEMPT, SLIPWAY_NODE,
/// SLIPWAY_VERSION and SLIPWAY_HOME. Its silence is never treated as a hang.
LaunchPlan makeProgramPlan(const ProgramCommand& command, const LaunchRequest& request);

/// Number of ranks per node: its slots, or even shares, so that no tensor-parallel group is split between nodes.
/// "too_few_slots", "uneven_nodes" (name them, or give them slots).
Result<std::vector<LaunchNode>> shareRanks(const RunConfig& config, const std::vector<NodeRecord>& nodes);

/// The config for this number of ranks: with fewer data-parallel replicas where that suffices, and the same batch; else unchanged.
RunConfig configForRanks(RunConfig config, std::int64_t numRanks);

/// As shareRanks(), with the most replicas, at most the config's own, that fit the nodes, the config and `fits`. Where
/// no number does, the error for the config's own.
Result<std::vector<LaunchNode>> shareFewerRanks(const RunConfig& config, const std::vector<NodeRecord>& nodes,
                                                const std::function<bool(const RunConfig&)>& fits);

/// Total number of ranks on these nodes; 0 where one of them takes all remaining.
std::int64_t numRanksOn(const std::vector<LaunchNode>& nodes);

/// Ranks fill the nodes in order. The environment is torchrun's (RANK, LOCAL_RANK, WORLD_SIZE, LOCAL_WORLD_SIZE,
/// GROUP_RANK, MASTER_ADDR; the agent adds MASTER_PORT) with OMP_NUM_THREADS, and SLIPWAY_RUN_ID, SLIPWAY_ATTEMPT,
/// SLIPWAY_NODE, SLIPWAY_VERSION, SLIPWAY_HOME. Errors: "too_few_slots", "bad_node", "no_port".
Result<LaunchPlan> makeLaunchPlan(const RunConfig& config, const LaunchRequest& request);

}  // namespace slipway
