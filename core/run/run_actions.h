// Actions of programs that look once and end, on runs that continue.
#pragma once

#include "core/run/run_session.h"

namespace slipway {

/// Updates the queued and running runs of the index, for programs that look once and end: each is
/// followed for a moment, until nothing new comes. Runs that cannot be read are left as they are.
Result<void> refreshOpenRuns(RunStore& store, const Home& home, std::int64_t nowUnixMilliseconds,
                             const Programs& programs = Programs::find());

/// Ends the processes of a run whose folder was deleted, so that no request file reaches them: by their environment, those of
/// this user on this computer. Returns how many were signalled (SIGTERM; SIGKILL when `atOnce`).
std::int64_t endRunWithoutFolder(const RunId& id, bool atOnce);

}  // namespace slipway
