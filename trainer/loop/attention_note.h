// The operators that compute a run's attention, recorded for people and programs.
#pragma once

#include "core/base/result.h"
#include "core/spec/run_dir.h"

namespace slipway::trainer {

/// For use after a run's first step, since unsupported masks or shapes of fused operators appear only then: writes
/// "attention" of environment.json, and a line in the log. Errors of the file.
Result<void> noteAttention(const RunDir& dir);

}  // namespace slipway::trainer
