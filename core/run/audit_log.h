// audit.jsonl of a home: starts and ends with place and person, one line each, append-only. Each line has the SHA-256
// of the previous one, so that a changed or removed line is detected. It contains no secrets.
//   appendAudit(home, auditOf("start", plan), now);   const auto log = readAudit(home);
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/remote/node_record.h"
#include "core/spec/agent_files.h"
#include "core/spec/run_dir.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// The entry for an action on an attempt: its run, launcher, nodes with their number of ranks, and the arguments of its first rank.
Json auditOf(const std::string& action, const LaunchPlan& plan);

/// The set-up of a node. @param problem code of its error; empty: it succeeded
Json auditOfSetup(const NodeRecord& node, const std::string& problem);

/// The arguments, with "***" for those that look like a secret, or follow an option that does.
std::vector<std::string> withoutSecrets(const std::vector<std::string>& arguments);

/// Adds time, user and computer and the checksum of the previous line ("disk_full", "file_unwritable").
Result<void> appendAudit(const Home& home, Json entry, std::int64_t nowUnixMilliseconds);

struct AuditLog {
    std::vector<Json> entries;  ///< oldest first
    std::optional<std::size_t>
        firstBrokenLine;  ///< 1-based: does not match the previous one's checksum, or is not a document
};

/// Empty without a file.
Result<AuditLog> readAudit(const Home& home);

}  // namespace slipway
