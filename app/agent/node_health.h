// Health checks before a run's start, in addition to nodeFacts(): limits that end runs late, and the disk's reliability.
#pragma once

#include "core/base/json.h"

#include <filesystem>

namespace slipway {

/// {"clock_unix_ms", "free_inodes", "shm_bytes", "open_files", "available_memory_bytes", "memory_limit_bytes", "governor", "load",
/// "disk_bytes_per_second", "disk_problem"}; null where unknown. Writes a few MiB below `home` and removes them.
Json nodeHealth(const std::filesystem::path& home);

}  // namespace slipway
