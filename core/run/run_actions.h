// What command line and window do with runs that exist: one place, so that both do the same.
#pragma once

#include "core/run/run_session.h"

#include <string>
#include <utility>
#include <vector>

namespace slipway {

/// A request with the config and hardware of a run and changes to it ({"parallel.tp", "4"}, as typed). Tags are kept,
/// sweep and trial are not. The name is the run's with " (copy)" unless a change sets it. "unknown_key", "bad_config".
Result<RunRequest> cloneRun(RunStore& store, const Home& home, const RunId& id,
                            const std::vector<std::pair<std::string, std::string>>& changes);

/// Asks a run to stop, or ends it at once. It is the caller's to poll a session until it has.
Result<void> stopRun(RunStore& store, const Home& home, const RunId& id, StopKind kind,
                     std::int64_t nowUnixMilliseconds, const Programs& programs = Programs::find());

/// A session on a new attempt of a run that failed, was cancelled or lost.
Result<RunSession> resumeRun(RunStore& store, const Home& home, const RunId& id, std::int64_t nowUnixMilliseconds,
                             const Programs& programs = Programs::find());

/// Runs that may be alive (queued, running, lost), oldest first: what a program follows again when it starts.
Result<std::vector<RunId>> openRuns(RunStore& store);

/// Brings what the index says about queued and running runs up to date, for programs that look once and end: each is
/// followed for a moment, until nothing new comes. Runs that cannot be read are left as they are.
Result<void> refreshOpenRuns(RunStore& store, const Home& home, std::int64_t nowUnixMilliseconds,
                             const Programs& programs = Programs::find());

}  // namespace slipway
