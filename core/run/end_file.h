// end.json of a run folder: the end of each failed attempt, and the policy's advice. Replaced atomically; its sentences
// are English, and are rebuilt from the facts for readers of other languages.
//   if (const auto end = readEnd(folder)) show(textOf(sentence(end->diagnosis), language));
#pragma once

#include "core/base/json.h"
#include "core/faults/diagnose.h"
#include "core/faults/retry_policy.h"
#include "core/spec/run_dir.h"

#include <optional>

namespace slipway {

struct RunEnd {
    std::int64_t attempt = 1;
    Diagnosis diagnosis;
    FailedAttempt failure;
    RetryDecision decision;
    std::int64_t decidedUnixMilliseconds = 0;  ///< 0: the decision is only advice
    std::int64_t restartUnixMilliseconds = 0;  ///< start time of the next attempt; 0: no automatic restart
    std::int64_t numRanks = 0;  ///< of the next attempt, where the remaining nodes have room for fewer; 0: all

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("attempt"), s.attempt);
        v(field("diagnosis"), s.diagnosis);
        v(field("failure"), s.failure);
        v(field("decision"), s.decision);
        v(field("decided_unix_ms"), s.decidedUnixMilliseconds);
        v(field("restart_unix_ms"), s.restartUnixMilliseconds);
        v(field("num_ranks"), s.numRanks);
    }
};

/// All known ends, oldest first; empty where none has failed or the file is unreadable.
std::vector<RunEnd> readEnds(const RunDir& folder);

/// The newest attempt's; empty when none has failed, the file is unreadable, or it is not of the run's newest
/// attempt.
std::optional<RunEnd> readEnd(const RunDir& folder, std::int64_t attempt);

/// Appends the end of an attempt and makes the next decision. A decision to be carried out is made once: later callers
/// with the same end get it unchanged.
/// @param uniform of decideRetry()
/// @param decidedUnixMilliseconds now, if the decision will be carried out; 0: it is only advice
/// @param checkpointStep newest one on nodes; -1: none. Those in the folder are found here
Result<RunEnd> writeEnd(const RunDir& folder, std::int64_t attempt, const Diagnosis& diagnosis, double ranSeconds,
                        double uniform, std::int64_t decidedUnixMilliseconds = 0, std::int64_t checkpointStep = -1);

/// Replaces the entry of the same, newest attempt.
Result<void> replaceEnd(const RunDir& folder, const RunEnd& end);

/// For an attempt whose nodes have room for fewer ranks than the config has.
Message fewerRanksText(std::int64_t numRanks);

/// {"fault": ..., "sentence": ..., "decision": {...}} for programs.
Json endJson(const RunEnd& end);

}  // namespace slipway
