// end.json of a run folder: how each failed attempt ended, and what the policy advises. Replaced as a whole; the sentences
// in it are English, and made again from the facts for a reader of another language.
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
    std::int64_t restartUnixMilliseconds = 0;  ///< when the next attempt starts; 0: none does by itself
    std::int64_t numRanks = 0;  ///< of the next attempt, where the nodes that are left take fewer; 0: all

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

/// All that are known, oldest first; empty where none has failed or the file is not readable.
std::vector<RunEnd> readEnds(const RunDir& folder);

/// The newest attempt's; empty when none has failed, the file is not readable, or it is of another attempt than the
/// newest of the run.
std::optional<RunEnd> readEnd(const RunDir& folder, std::int64_t attempt);

/// Adds the end of an attempt to those before it and decides what to do next. A decision that was made to be carried out is made once:
/// whoever finds the same end later gets it as it is.
/// @param uniform of decideRetry()
/// @param decidedUnixMilliseconds now, when the decision will be carried out; 0: it is only advice
/// @param checkpointStep newest of those on nodes; -1: none. Those in the folder are found by this
Result<RunEnd> writeEnd(const RunDir& folder, std::int64_t attempt, const Diagnosis& diagnosis, double ranSeconds,
                        double uniform, std::int64_t decidedUnixMilliseconds = 0, std::int64_t checkpointStep = -1);

/// Replaces that of the same attempt, the newest.
Result<void> replaceEnd(const RunDir& folder, const RunEnd& end);

/// Of an attempt whose nodes take fewer ranks than the config has.
Message fewerRanksText(std::int64_t numRanks);

/// {"fault": ..., "sentence": ..., "decision": {...}} for programs.
Json endJson(const RunEnd& end);

}  // namespace slipway
