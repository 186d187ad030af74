// Facts for the launcher about the agent's computer.
#pragma once

#include "core/base/json.h"

#include <filesystem>

namespace slipway {

/// Processors, memory, free space at `home`, GPUs, interfaces with their addresses, limits.
Json nodeFacts(const std::filesystem::path& home);

}  // namespace slipway
