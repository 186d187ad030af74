// audit.jsonl of a home: what was started and ended where, by whom, a line each and never rewritten. Each line has the SHA-256 of the
// one before, so that a line that was changed or removed shows. Secrets are not in it.
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

/// What is said of an action on an attempt: its run, launcher, nodes with their number of ranks, and the arguments of its first rank.
Json auditOf(const std::string& action, const LaunchPlan& plan);

/// The set-up of a node. @param problem code of its error; empty: it went well
Json auditOfSetup(const NodeRecord& node, const std::string& problem);

/// The arguments, where those that look like a secret, or come behind an option that does, are "***".
std::vector<std::string> withoutSecrets(const std::vector<std::string>& arguments);

/// Adds time, user and computer and the checksum of the line before ("disk_full", "file_unwritable").
Result<void> appendAudit(const Home& home, Json entry, std::int64_t nowUnixMilliseconds);

struct AuditLog {
    std::vector<Json> entries;  ///< oldest first
    std::optional<std::size_t>
        firstBrokenLine;  ///< from 1 on: does not follow from the one before, or is not a document
};

/// Empty without a file.
Result<AuditLog> readAudit(const Home& home);

}  // namespace slipway
