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
/// Takes the callers that wait there, however many, and hangs up: a queue that nobody empties refuses those that come later.
void hangUpOn(const Listening& listening);
/// A socket that begins to connect; it becomes writable when that has ended, one way or the other. "unreachable" with the system's words,
/// "bad_address".
Result<int> beginConnect(const std::string& address, int port);
/// How it ended, of a socket that is writable or whose time is over; closes it. "unreachable".
Result<void> endConnect(int fd, const std::string& address);

}  // namespace slipway
