// Preflight: checks of an attempt's nodes before it starts. Tier 0 on each node: limits, clock, disk, GPUs. Tier 1
// between several nodes: each must reach each. Tier 2, products and collectives, is `slipway nodes bench`.
//   Preflight preflight(nodes, true);   preflight.poll(now);   if (preflight.done()) preflight.issues();
#pragma once

#include "core/launch/meeting.h"
#include "core/remote/errands.h"
#include "core/remote/gpu_state.h"
#include "core/remote/node_check.h"

#include <memory>
#include <string>
#include <vector>

namespace slipway {

/// From the agent's answer to "health": it comes from another computer, so every field may be of any type.
NodeHealth readHealth(const Json& answer);
Json toJson(const NodeHealth& health);

/// The issues of a node, with its name as their field: an error prevents ranks from starting there.
Issues checkHealth(const NodeHealth& health, const std::string& node, std::int64_t numRanks, bool onGpus);

/// The nodes that try to connect to this one: all others up to kMeshNodes nodes. Beyond, the next one, so that all nodes are a ring, and
/// some drawn at random: the connections grow with the nodes, not with their square.
std::vector<std::size_t> nodesThatTry(std::size_t node, std::size_t numNodes, std::uint32_t seed);
constexpr std::size_t kMeshNodes = 16, kTriesPerNode = 8;

class Preflight {
public:
    struct Node {
        std::string name;
        NodeLink* link = nullptr;  ///< outlives this
        NodeFacts facts;
        std::int64_t numRanks = 0;
        std::optional<NodeHealth> health{};  ///< known from a moment ago; empty: the node is asked
    };
    Preflight(std::vector<Node> nodes, bool onGpus);
    Preflight(const Preflight&) = delete;
    Preflight& operator=(const Preflight&) = delete;

    /// True when the answer belongs to one of its requests.
    bool take(const std::string& node, const LinkAnswer& answer);
    /// @param nowSeconds since the Unix epoch
    void poll(double nowSeconds);
    [[nodiscard]] bool done() const { return m_phase == Phase::Done || m_error; }
    /// A node could not be reached, from here or from another node; `where` is the node.
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    [[nodiscard]] const Issues& issues() const { return m_issues; }
    [[nodiscard]] const NodeHealth& healthOf(std::size_t node) const { return m_nodes[node].health; }

private:
    enum class Phase { Ask, Reach, Done };
    struct At {
        Node node;
        Errands errands;
        NodeHealth health;
        double askedSeconds = 0;
    };
    void evaluate();
    void beginMeetings();

    std::vector<At> m_nodes;
    bool m_onGpus;
    Phase m_phase = Phase::Ask;
    double m_now = 0;
    std::vector<std::unique_ptr<Meeting>> m_meetings;  // one for each node but the first, which all others reach
    Issues m_issues;
    std::optional<Error> m_error;
};

}  // namespace slipway
