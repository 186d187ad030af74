// Nodes that the others waited for: in one run, from the ranks' own times, and across runs, recorded at the end of each
// attempt in HOME/nodes/slow/NAME.json. A node that was slow twice is proposed for exclusion; a person decides.
//   for (const SlowNode& node : slowNodesOf(folder, config, plan, fromStep)) ...;
//   if (const auto text = exclusionProposal(home, "b", now)) ...
#pragma once

#include "core/base/message.h"
#include "core/run/rank_map.h"
#include "core/spec/agent_files.h"
#include "core/spec/run_config.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

struct SlowNode {
    std::string node;
    std::vector<std::int64_t> ranks;
    double slower = 0;  ///< of its slowest rank: mean fraction above the median of its stage, in its slow steps
    double lostSeconds = 0;
    std::int64_t fromStep = 0, toStep = 0;
};
/// The nodes of stragglers, the most costly first.
std::vector<SlowNode> slowNodes(const std::vector<Straggler>& stragglers, const LaunchPlan& plan);
/// For a run, from the records of its ranks. @param fromStep start of its newest attempt: earlier ranks may have been
/// on other nodes. Empty on one node, and without waits.
std::vector<SlowNode> slowNodesOf(const RunDir& folder, const RunConfig& config, const LaunchPlan& plan,
                                  std::int64_t fromStep);
/// "Node b: ranks 4 and 5 worked 12 % longer than their stage from step 3 to 900."
Message slowText(const SlowNode& node);

/// Once for each attempt of a run, for any number of calls. "file_unwritable", "disk_full".
Result<void> noteSlowNodes(const Home& home, const std::string& run, std::int64_t attempt,
                           const std::vector<SlowNode>& nodes, std::int64_t nowUnixMilliseconds);
/// For a node that was slow in two or more attempts of the last 30 days: their number, and the remedy.
std::optional<Message> exclusionProposal(const Home& home, const std::string& node, std::int64_t nowUnixMilliseconds);
/// For use when the node is removed.
void forgetSlowNode(const Home& home, const std::string& node);

}  // namespace slipway
