// Requests to a sweep from other programs: files in sweeps/<id>/control/ that its runner checks at every tick, and
// restarting a sweep without its file.
//   requestSweep(home, id, SweepRequest::Pause);          // any program, at any time
//   auto file = storedSweepFile(store, id, version);      // then SweepRunner::open with options.id = id
#pragma once

#include "core/base/field_table.h"
#include "core/spec/run_dir.h"
#include "core/store/run_store.h"
#include "core/sweep/sweep_file.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// control/pause lets running trials finish and starts none; control/stop also stops running ones after their current
/// step. Both apply until withdrawn or until the sweep is restarted.
enum class SweepRequest { Pause, Stop };
Result<void> requestSweep(const Home& home, const SweepId& id, SweepRequest request);
/// control/retry: rerun trials that ended for these reasons (kRetryReasons of trial_state.h). The runner removes the
/// file after reading it.
Result<void> requestRetry(const Home& home, const SweepId& id, const std::vector<std::string>& reasons);
/// Withdraws a pause, while running trials have not finished. "bad_id", "file_unwritable".
Result<void> withdrawRequests(const Home& home, const SweepId& id);

/// The strongest current request.
std::optional<SweepRequest> sweepRequest(const Home& home, const SweepId& id);
/// The reasons of control/retry, which is removed; words that are not reasons are ignored.
std::vector<std::string> takeRetryRequest(const Home& home, const SweepId& id);

/// Where a sweep runs: kept at each start in sweeps/<id>/place.json, so that a start by its id continues there. Not of Slurm.
struct SweepPlace {
    std::int64_t jobs = 1;
    std::vector<std::string> nodes;  ///< empty: this computer
    std::int64_t lostAfterSeconds = 0;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("jobs"), s.jobs);
        v(field("nodes"), s.nodes);
        v(field("lost_after_seconds"), s.lostAfterSeconds);
    }
};
Result<void> keepSweepPlace(const Home& home, const SweepId& id, const SweepPlace& place);
/// Of the newest start; empty for a sweep of an earlier version, or when the file cannot be read.
std::optional<SweepPlace> sweepPlace(const Home& home, const SweepId& id);

/// Whether a program on this computer runs the sweep now; a sweep with status "running" without one was interrupted.
/// Holds the sweep's lock for an instant: not for a tight loop.
bool isSweepDriven(const Home& home, const std::string& identity);
/// The lock held by the runner of a sweep.
std::filesystem::path sweepLock(const Home& home, const std::string& identity);

/// The file of a sweep started before. "sweep_missing"; "bad_sweep" when this version cannot read it; "trainer_changed"
/// when it ran with another version of the trainer, so that figures would not be comparable.
Result<SweepFile> storedSweepFile(RunStore& store, const SweepId& id, const std::string& trainerVersion);

}  // namespace slipway
