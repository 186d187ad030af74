// What a launcher wants to know of the computer that the agent runs on.
#pragma once

#include "core/base/json.h"

#include <filesystem>

namespace slipway {

/// Processors, memory, room at `home`, GPUs, interfaces with their addresses, limits.
Json nodeFacts(const std::filesystem::path& home);

}  // namespace slipway
