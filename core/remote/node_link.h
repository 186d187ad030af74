// NodeLink: the way to the agent of a node, kept for as long as it is needed. Requests are answered in poll(); a link that is lost
// fails what is outstanding and connects again by itself, with growing pauses.
//   NodeLink link(node, {.agent = programs.agent});
//   const auto id = link.ask(Json{{"do", "hello"}});
//   for (LinkAnswer& answer : link.poll(now)) if (answer.request == id) ...
// Links of NodeLinks to the same node share one ssh: a login costs the node and its user more than all requests of a run.
#pragma once

#include "core/remote/node_connection.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace slipway {

/// Waits until one of the links has something to do, at most this long. For threads that may block, never for the window's.
class NodeLink;
void waitForLinks(const std::vector<const NodeLink*>& links, double seconds);

class NodeLink {
public:
    using State = NodeConnection::State;

    /// With a connection of its own.
    NodeLink(NodeRecord node, SshOptions options);
    explicit NodeLink(std::shared_ptr<NodeConnection> connection);
    ~NodeLink();
    NodeLink(const NodeLink&) = delete;
    NodeLink& operator=(const NodeLink&) = delete;

    /// Sends a request as soon as the link is up. While it is down, or when it is lost, or after `patience` seconds, the answer is
    /// the error of the link.
    std::uint64_t ask(Json request, std::string data = {}, double patience = kAnswerSeconds);
    /// Advances; never blocks. @param nowSeconds of any monotonic clock
    std::vector<LinkAnswer> poll(double nowSeconds);

    /// What poll(2) waits for until poll() has something to do.
    void addDescriptors(std::vector<pollfd>& descriptors) const { m_connection->addDescriptors(descriptors); }

    [[nodiscard]] State state() const { return m_connection->state(); }
    /// Why it is down, or was last.
    [[nodiscard]] const Error& error() const { return m_connection->error(); }
    /// By the clock of poll(): since when it has not been up.
    [[nodiscard]] double downSinceSeconds() const { return m_connection->downSinceSeconds(); }
    [[nodiscard]] const NodeRecord& node() const { return m_connection->node(); }
    /// "ED25519 SHA256:...": the key that ssh showed and that was not accepted.
    [[nodiscard]] const std::string& hostKey() const { return m_connection->hostKey(); }
    /// How often it has come up: what an agent held open for an earlier connection is gone.
    [[nodiscard]] int numConnections() const { return m_connection->numConnections(); }
    /// The agent was not there and was copied when the link came up.
    [[nodiscard]] bool copiedAgent() const { return m_connection->copiedAgent(); }
    /// What the login shell printed before the agent came.
    [[nodiscard]] const std::string& noise() const { return m_connection->noise(); }
    /// What a launch over this connection has found out about the node within the last minute: trials of a sweep follow one another, and
    /// a trainer that prints its version costs the node more than a short trial. Forgotten with the connection, and after any failure.
    [[nodiscard]] const std::optional<NodeLook>& look() const { return m_connection->look(); }
    void keepLook(NodeLook look) { m_connection->keepLook(std::move(look)); }
    void forgetLook() { m_connection->forgetLook(); }
    static constexpr double kAnswerSeconds = NodeConnection::kAnswerSeconds;

private:
    std::shared_ptr<NodeConnection> m_connection;
    NodeConnection::Client m_client;
};

/// The connections that runs share which one program follows in one thread. Links live as long as they like.
class NodeLinks {
public:
    explicit NodeLinks(std::filesystem::path agent)
        : m_agentFile(agent), m_agent(std::make_shared<AgentProgram>(std::move(agent))) {}

    /// Over the connection that others have to the node, unless its record has changed since.
    std::unique_ptr<NodeLink> link(const NodeRecord& node);
    /// Closes connections that no link has used for a while.
    void poll(double nowSeconds);

    static constexpr double kIdleSeconds = 30;  ///< trials of a sweep follow one another

private:
    struct Kept {
        std::shared_ptr<NodeConnection> connection;
        double idleSince = -1;
    };
    std::filesystem::path m_agentFile;
    std::shared_ptr<AgentProgram> m_agent;
    std::map<std::string, Kept> m_kept;  // by name of the node
};

}  // namespace slipway
