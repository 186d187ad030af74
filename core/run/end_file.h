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

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("attempt"), s.attempt);
        v(field("diagnosis"), s.diagnosis);
        v(field("failure"), s.failure);
        v(field("decision"), s.decision);
    }
};

/// The newest attempt's; empty when none has failed, the file is not readable, or it tells of another attempt than the
/// newest of the run.
std::optional<RunEnd> readEnd(const RunDir& folder, std::int64_t attempt);

/// Adds the end of an attempt to those before it and decides what to do next. @param uniform of decideRetry()
Result<RunEnd> writeEnd(const RunDir& folder, std::int64_t attempt, const Diagnosis& diagnosis, double ranSeconds,
                        double uniform);

/// {"fault": ..., "sentence": ..., "decision": {...}} for programs.
Json endJson(const RunEnd& end);

}  // namespace slipway
