// Actions of one-shot programs on continuing runs.
#pragma once

#include "core/run/run_session.h"

namespace slipway {

/// Updates the queued and running runs of the index, for one-shot programs: each is followed briefly, until it has no
/// more news. Unreadable runs are left unchanged.
Result<void> refreshOpenRuns(RunStore& store, const Home& home, std::int64_t nowUnixMilliseconds,
                             const Programs& programs = Programs::find());

/// Ends the processes of a run whose folder was deleted, so that no request file reaches them: found by their environment, only this
/// user's on this computer. Returns the number of signalled processes (SIGTERM; SIGKILL when `atOnce`).
std::int64_t endRunWithoutFolder(const RunId& id, bool atOnce);

}  // namespace slipway
