// The agent's own log: its standard error, redirected by detach() to agent/<node>/agent.log.
#pragma once

#include <string>

namespace slipway {

/// One line with the time (UTC).
void agentLog(const std::string& line);

}  // namespace slipway
