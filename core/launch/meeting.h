// Meeting: an address of the first of several nodes reachable from all others, and a free port there. Addresses are
// tried in turn: the first node listens, and the others connect to it.
#pragma once

#include "core/remote/errands.h"
#include "core/remote/node_check.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// Candidate addresses of the first node, best first: the record's own; loopback where all nodes are one computer; then
/// its IPv4 addresses.
std::vector<std::string> meetingAddresses(const std::string& given, const std::vector<NodeFacts>& nodes);

/// 128 random bits for the store of the meeting ranks.
std::string newStoreSecret();

class Meeting {
public:
    struct Place {
        std::string name;
        NodeLink* link = nullptr;  ///< outlives this
    };
    /// @param facts of the nodes, in their order
    Meeting(const std::vector<Place>& places, const std::vector<NodeFacts>& facts);
    Meeting(const Meeting&) = delete;
    Meeting& operator=(const Meeting&) = delete;

    /// True when the answer belongs to one of its requests.
    bool take(const std::string& node, const LinkAnswer& answer);
    void poll(double nowSeconds);
    [[nodiscard]] bool done() const { return m_phase == Phase::Done || m_error; }
    /// "no_interface", "nodes_apart"; `where` is the node.
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    [[nodiscard]] const std::string& address() const { return m_addresses[m_address]; }
    [[nodiscard]] std::int64_t port() const { return m_port; }
    /// The node's own address on the way there; empty: it did not tell.
    [[nodiscard]] const std::string& addressOf(std::size_t node) const {
        return node == 0 ? address() : m_nodes[node].own;
    }

private:
    enum class Phase { Listen, Connect, Port, Done };
    struct At {
        Place place;
        Errands errands;
        std::string own;
    };
    void enter(Phase phase);
    void evaluateConnections();

    std::vector<At> m_nodes;
    std::vector<std::string> m_addresses;
    Phase m_phase = Phase::Listen;
    std::size_t m_address = 0, m_numReached = 0;
    int m_probePort = 0, m_listenedOn = 0, m_listenAgain = 0;
    bool m_isSecondTry = false;  // of this address
    std::int64_t m_port = 0;
    std::string m_unreached;
    std::optional<Error> m_error;
};

}  // namespace slipway
