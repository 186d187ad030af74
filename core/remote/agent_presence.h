// Is the agent of an attempt alive? Determined from the files of the run folder and /proc, on the agent's computer.
#pragma once

#include "core/spec/run_dir.h"

#include <cstdint>
#include <optional>
#include <string>

namespace slipway {

/// State of an agent: Unknown (the node is unreachable) is never treated as Gone. Elsewhere: it runs on another
/// computer or in another container that shares the folder; only its heartbeats show whether it is alive.
enum class AgentPresence { Unknown, NotStarted, Alive, Gone, Elsewhere };
/// "unknown", "not_started", ... as written by the channel.
std::string wordOf(AgentPresence presence);
std::optional<AgentPresence> agentPresenceFrom(const std::string& word);

/// As seen from this computer. @param nowSeconds since the Unix epoch
AgentPresence agentPresence(const RunDir& folder, const std::string& node, std::int64_t attempt, double nowSeconds);

}  // namespace slipway
