// The makers of commands around sweeps, and shared parts.
#pragma once

#include "app/cli/command.h"
#include "core/sweep/sweep_runner.h"

#include <functional>

namespace slipway {

std::unique_ptr<Command> makeTuneCommand();

/// The sweep of this file, found by its identity or created, with the trainer's version.
/// @param cluster the planned hardware
/// @return "program_missing" without a trainer; errors of SweepRunner::open()
Result<SweepRunner> openSweep(CliContext& context, RunStore& store, const SweepFile& file, const ClusterSpec& cluster,
                              SweepOptions options);
/// Builds the text of the sweep's corpus, unless it exists.
Result<void> buildSweepText(CliContext& context, const SweepFile& file);
/// Runs a sweep to its end with a progress line. The first Ctrl-C pauses it, the second stops its trials, the third leaves them.
/// @param afterTick is called between two ticks @return exit code
Result<int> driveSweep(CliContext& context, SweepRunner& runner, const std::function<void()>& afterTick = {});

}  // namespace slipway
