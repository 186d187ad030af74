// NodePool: the nodes of a sweep's trials. A small trial takes one slot of a node, a larger one complete nodes; an
// unreachable node is skipped for a while, with growing pauses.
//   auto nodes = pool.place(config, run, {}, now);   if (!nodes) error;   if (nodes->empty()) none is free now
#pragma once

#include "core/launch/launch_plan.h"
#include "core/launch/lost_attempts.h"
#include "core/run/run_session.h"
#include "core/sweep/node_slots.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

class NodePool {
public:
    /// @param perNode concurrent trials on a node; 1: exclusive use. "unknown_node".
    static Result<std::unique_ptr<NodePool>> open(RunStore& store, const Home& home, const Programs& programs,
                                                  std::shared_ptr<NodeLinks> links,
                                                  const std::vector<std::string>& nodes, std::int64_t perNode);

    /// Claims room for a run; empty when there is none now. Errors: "too_few_slots" and those of shareRanks() when it
    /// is too large; "no_node" when all suitable nodes are suspended until a person repairs them, or excluded.
    Result<std::vector<LaunchNode>> place(const RunConfig& config, const RunId& run,
                                          const std::vector<std::string>& excluded, std::int64_t nowUnixMilliseconds);
    void release(const RunId& run) {
        m_slots.release(run.value);
        m_nextPlace = 0;
    }
    /// A trial has found no room: a search of all claims at every tick would cost more than the sweep's other work.
    void foundNoRoom(std::int64_t now) { m_nextPlace = now + kFullMilliseconds; }
    [[nodiscard]] bool mayHaveRoom(std::int64_t now) const { return now >= m_nextPlace; }
    void adopt(const RunId& run) { m_slots.adopt(run.value); }

    /// Reports a failed or successful start of a trial on the node.
    void failed(const std::string& node, const Error& why, std::int64_t nowUnixMilliseconds);
    void worked(const std::string& node) { m_trouble.erase(node); }
    /// Follows runs whose driver is gone, so that their slots become free. @param isOurs the caller follows the run, or
    /// will: a second session would evaluate the same run and might be the last to store its verdict
    /// Also stops ranks of attempts that were given up, once their nodes return; these are returned.
    std::vector<LostRanks::Stopped> poll(std::int64_t nowUnixMilliseconds,
                                         const std::function<bool(const RunId&)>& isOurs);

    /// Whether the trial could run without these nodes, on others that answer now. Empty: not known yet, ask again.
    std::optional<bool> answersElsewhere(const RunConfig& config, const std::vector<std::string>& without,
                                         std::int64_t nowUnixMilliseconds);
    /// After this time without a sign of any suitable node place() gives "no_node". 0: never.
    void giveUpAfter(std::int64_t milliseconds) { m_lostMilliseconds = milliseconds; }

private:
    NodePool(RunStore& store, Home home, Programs programs, std::shared_ptr<NodeLinks> links);
    [[nodiscard]] std::vector<NodeRecord> order(const std::vector<std::string>& excluded, std::int64_t now) const;

    struct Trouble {
        int number = 0;
        std::int64_t sinceUnixMilliseconds = 0;
        std::int64_t untilUnixMilliseconds = 0;
        std::string why;
    };
    RunStore* m_store;
    Home m_home;
    Programs m_programs;
    std::shared_ptr<NodeLinks> m_links;  // the runner's
    NodeSlots m_slots;
    std::vector<NodeRecord> m_nodes;
    std::int64_t m_perNode = 1;
    std::map<std::string, Trouble> m_trouble;
    std::map<std::string, RunSession> m_orphans;
    LostRanks m_lost;
    struct Probe {
        std::unique_ptr<NodeLink> link;
        std::int64_t sinceUnixMilliseconds = 0;
    };
    std::map<std::string, Probe> m_probes;  // while it has to be known whether nodes answer
    std::int64_t m_lostMilliseconds = 0;
    std::int64_t m_nextLook = 0;
    static constexpr std::int64_t kFullMilliseconds = 200;  // other sweeps free slots as well
    std::int64_t m_nextPlace = 0;
};

}  // namespace slipway
