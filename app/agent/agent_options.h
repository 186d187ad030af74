// Command line of slipway-agent.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace slipway {

struct AgentOptions {
    enum class Task { Run, BeginJob, Serve, Version, Help } task = Task::Run;
    std::filesystem::path runDir;
    std::string node;
    std::string nonce;          ///< of Serve: repeated in the greeting
    std::string jobStart;       ///< of BeginJob
    std::string masterAddress;  ///< empty: the plan's
    std::int64_t masterPort = 0;
    bool foreground = false;  ///< stay a child of the caller: for batch scripts, detached by their scheduler
};

/// Reads the arguments without the program's name; "bad_usage" names the invalid one.
Result<AgentOptions> parseAgentOptions(const std::vector<std::string>& arguments);

std::string agentHelp();

}  // namespace slipway
