#include "core/remote/node_link.h"

#include <nlohmann/json.hpp>

#include <iterator>
#include <utility>

namespace slipway {

void waitForLinks(const std::vector<const NodeLink*>& links, double seconds) {
    std::vector<pollfd> descriptors;
    for (const NodeLink* link : links) link->addDescriptors(descriptors);
    ::poll(descriptors.data(), descriptors.size(), static_cast<int>(seconds * 1000));
}

NodeLink::NodeLink(NodeRecord node, SshOptions options)
    : NodeLink(
          std::make_shared<NodeConnection>(std::move(node), options, std::make_shared<AgentProgram>(options.agent))) {}

NodeLink::NodeLink(std::shared_ptr<NodeConnection> connection)
    : m_connection(std::move(connection)), m_client(m_connection->join()) {}

NodeLink::~NodeLink() {
    m_connection->leave(m_client);
}

std::uint64_t NodeLink::ask(Json request, std::string data, double patience) {
    return m_connection->ask(m_client, std::move(request), std::move(data), patience);
}

std::vector<LinkAnswer> NodeLink::poll(double now) {
    m_connection->poll(now);
    return m_connection->takeAnswers(m_client);
}

std::unique_ptr<NodeLink> NodeLinks::link(const NodeRecord& node) {
    Kept& kept = m_kept[node.name];
    if (!kept.connection || kept.connection->node() != node) {
        SshOptions options;
        options.agent = m_agentFile;
        kept.connection = std::make_shared<NodeConnection>(node, options, m_agent);
    }
    kept.idleSince = -1;
    return std::make_unique<NodeLink>(kept.connection);
}

void NodeLinks::poll(double now) {
    for (auto it = m_kept.begin(); it != m_kept.end();) {
        Kept& kept = it->second;
        const bool isUsed = kept.connection.use_count() > 1;
        if (isUsed || kept.idleSince < 0) kept.idleSince = isUsed ? -1 : now;
        const bool isOver =
            !isUsed && (now - kept.idleSince > kIdleSeconds || kept.connection->state() != NodeConnection::State::Up);
        it = isOver ? m_kept.erase(it) : std::next(it);
    }
}

}  // namespace slipway
