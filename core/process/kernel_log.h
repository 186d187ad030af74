// Evidence from the kernel and the cgroup about an end: lines of /dev/kmsg and the OOM kills of memory.events.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

struct KernelLine {
    double monotonicSeconds = 0;
    std::string text;
};
/// One record of /dev/kmsg ("6,1234,5678901,-;text"); empty when it is not a record. Its tags on further lines are omitted.
std::optional<KernelLine> kernelLineOf(std::string_view record);

/// The newest lines since then about memory, disks, file servers and GPUs, at most `most`, each truncated to 400 bytes.
/// "file_unreadable" where this user may not read the kernel's log.
Result<std::vector<std::string>> kernelLines(double sinceMonotonicSeconds, std::size_t most);

/// The count after "oom_kill" in a cgroup's memory.events (version 2) or memory.oom_control (version 1); 0 without one.
std::int64_t oomKillsIn(std::string_view memoryEvents);

/// The file with that count for a process with these contents of /proc/PID/cgroup; empty where there is none.
std::filesystem::path oomFile(std::string_view cgroups);

/// Number of out-of-memory kills in the cgroup of this process; 0 where
/// unknown.
std::int64_t oomKills();

}  // namespace slipway
