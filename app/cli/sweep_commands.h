// The makers of commands around sweeps, and what they share.
#pragma once

#include "app/cli/command.h"
#include "core/sweep/sweep_runner.h"

namespace slipway {

std::unique_ptr<Command> makeTuneCommand();

/// Runs a sweep to its end with a progress line. The first Ctrl-C pauses it, the second stops its trials, the third leaves them.
/// @return exit code
Result<int> driveSweep(CliContext& context, SweepRunner& runner);

}  // namespace slipway
