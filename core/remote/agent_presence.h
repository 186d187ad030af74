// Is the agent of an attempt alive? Decided by the files of the run folder and /proc, where the agent runs.
#pragma once

#include "core/spec/run_dir.h"

#include <cstdint>
#include <optional>
#include <string>

namespace slipway {

/// What is known of an agent: Unknown (the node cannot be reached) is never taken for Gone. Elsewhere: it runs on another
/// computer or in another container that shares the folder; only its heartbeats show whether it lives.
enum class AgentPresence { Unknown, NotStarted, Alive, Gone, Elsewhere };
/// "unknown", "not_started", ... as the channel writes them.
std::string wordOf(AgentPresence presence);
std::optional<AgentPresence> agentPresenceFrom(const std::string& word);

/// As this computer sees it. @param nowSeconds since the Unix epoch
AgentPresence agentPresence(const RunDir& folder, const std::string& node, std::int64_t attempt, double nowSeconds);

}  // namespace slipway
