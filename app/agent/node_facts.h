// What a launcher wants to know of the computer that the agent runs on.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <filesystem>
#include <string>

namespace slipway {

/// Processors, memory, room at `home`, GPUs, interfaces with their addresses, limits.
Json nodeFacts(const std::filesystem::path& home);

/// A socket that listens on a numeric address at a port of the system's choice. "no_port", "bad_address".
struct Listening {
    int fd = -1;
    int port = 0;
};
Result<Listening> listenAt(const std::string& address);
/// Connects within `seconds`, and hangs up. "unreachable" with the system's words, "bad_address".
Result<void> tryConnect(const std::string& address, int port, double seconds);

}  // namespace slipway
