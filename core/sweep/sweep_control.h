// What others want of a sweep: files in sweeps/<id>/control/ that its runner looks for at every tick, and the way to start a
// sweep again without its file.
//   requestSweep(home, id, SweepRequest::Pause);          // any program, at any time
//   auto file = storedSweepFile(store, id, version);      // then SweepRunner::open with options.id = id
#pragma once

#include "core/spec/run_dir.h"
#include "core/store/run_store.h"
#include "core/sweep/sweep_file.h"

#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// control/pause lets running trials finish and starts none; control/stop also stops those that run after their current
/// step. Both hold until they are withdrawn or the sweep is started again.
enum class SweepRequest { Pause, Stop };
Result<void> requestSweep(const Home& home, const SweepId& id, SweepRequest request);
/// control/retry: run trials again that ended for these reasons (kRetryReasons of trial_state.h). The runner removes the file when it
/// has taken it.
Result<void> requestRetry(const Home& home, const SweepId& id, const std::vector<std::string>& reasons);
/// Takes back a pause, while what runs has not finished. "bad_id", "file_unwritable".
Result<void> withdrawRequests(const Home& home, const SweepId& id);

/// The strongest request that holds.
std::optional<SweepRequest> sweepRequest(const Home& home, const SweepId& id);
/// The reasons of control/retry, which is removed; words that are not reasons are left out.
std::vector<std::string> takeRetryRequest(const Home& home, const SweepId& id);

/// Whether a program on this computer runs the sweep now; a sweep whose status is "running" without one was interrupted.
/// Holds the sweep's lock for an instant: not for a tight loop.
bool isSweepDriven(const Home& home, const std::string& identity);
/// The lock that the runner of a sweep holds.
std::filesystem::path sweepLock(const Home& home, const std::string& identity);

/// The file of a sweep that was started before. "sweep_missing"; "bad_sweep" when this version cannot read it;
/// "trainer_changed" when another version of the trainer ran it, whose figures would not compare.
Result<SweepFile> storedSweepFile(RunStore& store, const SweepId& id, const std::string& trainerVersion);

}  // namespace slipway
