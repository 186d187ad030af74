#include "core/remote/agent_presence.h"

#include "core/base/own_file.h"
#include "core/process/host_identity.h"
#include "core/process/proc_facts.h"
#include "core/spec/agent_files.h"

#include <algorithm>
#include <array>
#include <utility>

namespace slipway {
namespace {

constexpr std::array<std::pair<AgentPresence, const char*>, 5> kWords = {{{AgentPresence::Unknown, "unknown"},
                                                                          {AgentPresence::NotStarted, "not_started"},
                                                                          {AgentPresence::Alive, "alive"},
                                                                          {AgentPresence::Gone, "gone"},
                                                                          {AgentPresence::Elsewhere, "elsewhere"}}};

Result<AgentHeartbeat> heartbeatOf(const RunDir& folder, const std::string& node) {
    const auto text = readOwnFile(folder.agentFolder(node) / "heartbeat.json");
    return text ? parseAgentHeartbeat(*text, "heartbeat.json") : Result<AgentHeartbeat>(fail(text.error()));
}

// Ranks die with their agent, but not at the same instant.
bool anyRankAlive(const RunDir& folder, const std::string& node, const AgentId& id) {
    const auto beat = heartbeatOf(folder, node);
    if (!beat || beat->attempt != id.attempt) return false;
    return std::any_of(beat->ranks.begin(), beat->ranks.end(), [&](const RankState& rank) {
        return isAlive({rank.pid, rank.startTicks, id.bootId});
    });
}

/// After a restart of this computer its agents are gone. But another computer may have the same name: a heartbeat from
/// the last minute belongs to one of its agents.
bool wasRestarted(const RunDir& folder, const std::string& node, double nowSeconds) {
    constexpr double kSilentSeconds = 60;
    const auto beat = heartbeatOf(folder, node);
    return !beat || nowSeconds - static_cast<double>(beat->timeUnixMilliseconds) / 1000 > kSilentSeconds;
}

bool hasEnded(const RunDir& folder, const std::string& node, const AgentId& id) {
    const auto text = readOwnFile(folder.agentFolder(node) / "exit.json");
    const auto exit = text ? parseAgentExit(*text, "exit.json") : Result<AgentExit>(fail(text.error()));
    return exit && exit->attempt == id.attempt;
}

}  // namespace

std::string wordOf(AgentPresence presence) {
    for (const auto& [value, word] : kWords)
        if (value == presence) return word;
    return "unknown";
}

std::optional<AgentPresence> agentPresenceFrom(const std::string& word) {
    for (const auto& [value, known] : kWords)
        if (word == known) return value;
    return {};
}

AgentPresence agentPresence(const RunDir& folder, const std::string& node, std::int64_t attempt, double nowSeconds) {
    AgentPresence presence = AgentPresence::NotStarted;
    if (const auto text = readOwnFile(folder.agentFolder(node) / "id.json")) {
        const auto id = parseAgentId(*text, "id.json");
        const bool isOurs = id && id->attempt == attempt;
        const Reach reach = isOurs ? reachOf({id->host, id->bootId, id->pidNamespace}) : Reach::Here;
        if (isOurs && reach == Reach::Here) {
            // After writing its exit.json the agent only ends.
            const bool agentAlive = isAlive({id->pid, id->startTicks, id->bootId}) && !hasEnded(folder, node, *id);
            const bool alive = agentAlive || anyRankAlive(folder, node, *id);
            presence = alive ? AgentPresence::Alive : AgentPresence::Gone;
        } else if (isOurs) {
            const bool isGone = reach == Reach::Rebooted && wasRestarted(folder, node, nowSeconds);
            presence = isGone ? AgentPresence::Gone : AgentPresence::Elsewhere;
        }
    }
    return presence;
}

}  // namespace slipway
