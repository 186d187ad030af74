#include "core/run/follow.h"

#include "core/base/error_of.h"

#include <algorithm>
#include <utility>

namespace slipway {
namespace {

std::filesystem::path agentFile(const std::string& node, const char* file) {
    return std::filesystem::path("agent") / node / file;
}

}  // namespace

AttemptFollower::AttemptFollower(LaunchHandle handle, std::int64_t createdUnixMilliseconds)
    : m_handle(std::move(handle)), m_createdUnixMilliseconds(createdUnixMilliseconds) {
    for (const std::string& name : m_handle.nodes) {
        Node node;
        node.name = name;
        m_nodes.push_back(std::move(node));
    }
    m_heartbeats.resize(m_nodes.size());
    for (std::size_t i = 0; i < m_nodes.size(); ++i) m_heartbeats[i].node = m_nodes[i].name;
}

void AttemptFollower::ask(Launcher& launcher, std::int64_t now) {
    if (!m_asked.empty()) return;
    const bool beat = now >= m_nextHeartbeat;
    if (beat) m_nextHeartbeat = now + 1000;
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
        const Node& node = m_nodes[i];
        if (node.exit || node.isGivenUp) continue;
        // In this order: an agent that is gone now has already written its exit.json, or never will.
        m_asked[launcher.presence(m_handle, node.name)] = {i, Question::Presence};
        m_asked[launcher.readFrom(m_handle, node.name, agentFile(node.name, "exit.json"), 0)] = {i, Question::Exit};
        if (beat || node.beatCounter < 0)
            m_asked[launcher.readFrom(m_handle, node.name, agentFile(node.name, "heartbeat.json"), 0)] = {
                i, Question::Heartbeat};
        const bool isThere = node.presence == AgentPresence::Alive || node.presence == AgentPresence::Elsewhere;
        if (!node.identityKnown && isThere)
            m_asked[launcher.readFrom(m_handle, node.name, agentFile(node.name, "id.json"), 0)] = {i,
                                                                                                   Question::Identity};
    }
}

bool AttemptFollower::take(const LaunchEvent& event, std::int64_t now) {
    if (m_start && event.request == *m_start) {
        if (event.kind == LaunchEvent::Kind::Failed && event.error.code != "already_started") {
            m_startFailed = true;
            m_startError = event.error;
            m_nothingStarted = event.nothingStarted;
            // Only an exit.json requested after this moment can provide more.
            for (Node& node : m_nodes) node.lookedForExit = false;
        }
        m_start.reset();
        return true;
    }
    const auto asked = m_asked.find(event.request);
    if (asked == m_asked.end()) return false;
    const Asked question = asked->second;
    m_asked.erase(asked);
    Node& node = m_nodes[question.node];
    if (event.kind == LaunchEvent::Kind::Presence) {
        node.presence = event.presence;
        if (event.presence != AgentPresence::Unknown) node.unreachable.clear();
    }
    if (event.kind == LaunchEvent::Kind::Failed) {
        node.presence = AgentPresence::Unknown;  // unreachable is never Gone
        if (node.unreachable.empty()) {
            m_problems.push_back(event.error);
            node.unreachableUnixMilliseconds = now;
        }
        node.unreachable = event.error.message;
        node.beatSeenUnixMilliseconds = now;  // its silence starts when it is reachable again
    }
    if (event.kind == LaunchEvent::Kind::Data) takeData(node, question.question, event, now);
    return true;
}

void AttemptFollower::takeData(Node& node, Question question, const LaunchEvent& event, std::int64_t now) {
    if (question == Question::Exit) {
        const auto exit = event.missing ? Result<AgentExit>(fail("file_missing", "The file does not exist."_text))
                                        : parseAgentExit(event.bytes, node.name + "/exit.json");
        if (exit && exit->attempt == m_handle.attempt) node.exit = *exit;
        if (!event.missing && !exit) m_problems.push_back(exit.error());
        node.gone = !node.exit && node.presence == AgentPresence::Gone;
        node.lookedForExit = true;
    }
    if (event.missing) return;
    if (question == Question::Identity) {
        const auto id = parseAgentId(event.bytes, node.name + "/id.json");
        if (!id || id->attempt != m_handle.attempt) return;
        node.identityKnown = true;
        node.host = id->host;
        if (!id->versionNote.empty()) m_problems.push_back({"version_mismatch", id->versionNote, node.name});
    }
    if (question == Question::Heartbeat) {
        auto beat = parseAgentHeartbeat(event.bytes, node.name + "/heartbeat.json");
        if (!beat || beat->attempt != m_handle.attempt) return;
        if (beat->counter != node.beatCounter) {
            node.beatCounter = beat->counter;
            node.beatSeenUnixMilliseconds = now;
            node.saidSilent = false;
        }
        const auto i = static_cast<std::size_t>(&node - m_nodes.data());
        m_heartbeats[i] = std::move(*beat);
    }
}

AttemptOutcome AttemptFollower::outcome(std::int64_t now) const {
    const auto all = [&](auto test) { return !m_nodes.empty() && std::all_of(m_nodes.begin(), m_nodes.end(), test); };
    if (all([](const Node& n) { return n.exit.has_value(); })) return AttemptOutcome::Ended;
    if (m_startFailed && all([](const Node& n) { return n.exit || n.lookedForExit; }) &&
        std::none_of(m_nodes.begin(), m_nodes.end(), [](const Node& n) {
            return n.presence == AgentPresence::Alive || n.presence == AgentPresence::Elsewhere;
        }))
        return AttemptOutcome::StartFailed;
    if (all([](const Node& n) { return n.exit || n.gone || n.isGivenUp; })) return AttemptOutcome::Gone;
    const bool seen = std::any_of(m_nodes.begin(), m_nodes.end(), [](const Node& n) {
        return n.exit || n.gone || n.presence == AgentPresence::Alive || n.presence == AgentPresence::Elsewhere;
    });
    if (seen) return AttemptOutcome::Alive;
    if (!m_start && now - m_createdUnixMilliseconds > kStartMilliseconds &&
        (m_nodes.empty() ||
         all([](const Node& n) { return n.lookedForExit && n.presence == AgentPresence::NotStarted; })))
        return AttemptOutcome::NeverStarted;
    return AttemptOutcome::Waiting;
}

bool AttemptFollower::isElsewhere() const {
    return std::any_of(m_nodes.begin(), m_nodes.end(),
                       [](const Node& n) { return !n.exit && n.presence == AgentPresence::Elsewhere; });
}

std::string AttemptFollower::host() const {
    for (const Node& node : m_nodes)
        if (node.presence == AgentPresence::Elsewhere && !node.host.empty()) return node.host;
    return "another computer";
}

std::optional<std::int64_t> AttemptFollower::lastSignUnixMilliseconds() const {
    std::optional<std::int64_t> newest;
    for (const AgentHeartbeat& beat : m_heartbeats)
        if (beat.timeUnixMilliseconds > newest.value_or(0)) newest = beat.timeUnixMilliseconds;
    return newest;
}

std::string AttemptFollower::unreachable() const {
    for (const Node& node : m_nodes)
        if (!node.exit && !node.unreachable.empty()) return node.unreachable;
    return {};
}

std::vector<std::string> AttemptFollower::silentNodes(std::int64_t since) const {
    std::vector<std::string> names;
    for (const Node& node : m_nodes)
        if (!node.exit && !node.isGivenUp && !node.unreachable.empty() && node.unreachableUnixMilliseconds <= since)
            names.push_back(node.name);
    return names;
}

std::int64_t AttemptFollower::silentUnixMilliseconds(const std::string& name) const {
    const auto node = std::ranges::find(m_nodes, name, &Node::name);
    return node == m_nodes.end() || node->unreachable.empty() ? 0 : node->unreachableUnixMilliseconds;
}

void AttemptFollower::giveUp(const std::string& name) {
    for (Node& node : m_nodes)
        if (node.name == name) node.isGivenUp = true;
}

bool AttemptFollower::isGivenUp(const std::string& name) const {
    const auto node = std::ranges::find(m_nodes, name, &Node::name);
    return node != m_nodes.end() && node->isGivenUp;
}

std::string AttemptFollower::givenUpNode() const {
    const auto node = std::ranges::find_if(m_nodes, [](const Node& each) { return each.isGivenUp; });
    return node == m_nodes.end() ? std::string() : node->name;
}

std::vector<AgentExit> AttemptFollower::exits() const {
    std::vector<AgentExit> out;
    for (const Node& node : m_nodes)
        if (node.exit) out.push_back(*node.exit);
    return out;
}

std::vector<Error> AttemptFollower::takeProblems(std::int64_t now) {
    for (Node& node : m_nodes) {
        // In a scheduler's queue there are no heartbeats.
        const bool silent = node.presence != AgentPresence::Unknown && node.beatCounter >= 0 && !node.exit &&
                            now - node.beatSeenUnixMilliseconds > kSilentMilliseconds;
        if (!silent || node.saidSilent) continue;
        node.saidSilent = true;
        const Message silentFor = "The agent on node %1 has not reported for %2 s."_text(
            node.name, (now - node.beatSeenUnixMilliseconds) / 1000);
        m_problems.push_back(errorOf("agent_silent", silentFor));
    }
    return std::exchange(m_problems, {});
}

}  // namespace slipway
