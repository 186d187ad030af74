// Findings of a node's newest check, stored in the home: HOME/nodes/checks/NAME.json equals the output of `slipway nodes check --json`.
#pragma once

#include "core/remote/node_check.h"
#include "core/spec/run_dir.h"

#include <cstdint>
#include <optional>
#include <string>

namespace slipway {

/// {"host", "cpu", "cpus", "memory_bytes", "free_disk_bytes", "gpus", "interfaces", "trainer", ...} of a node.
Json toJson(const NodeFacts& facts);
/// {"node", "passed", "host_key", "steps", "facts"}.
Json toJson(const NodeCheck& check, const std::string& node);

/// "file_unwritable", "disk_full".
Result<void> writeLastCheck(const Home& home, const std::string& node, Json check, std::int64_t unixMilliseconds);

struct LastCheck {
    std::string document;  ///< as written, with "time_unix_ms": JSON
    bool passed = false;
    std::int64_t unixMilliseconds = 0;
    std::string problem;  ///< the sentence of the first failed step
};
/// Empty when the node was never checked, or its file is unreadable.
std::optional<LastCheck> lastCheck(const Home& home, const std::string& node);
/// For use when the node is removed.
void removeLastCheck(const Home& home, const std::string& node);

}  // namespace slipway
