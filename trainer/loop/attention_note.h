// The operators that compute a run's attention, noted where people and programs look.
#pragma once

#include "core/base/result.h"
#include "core/spec/run_dir.h"

namespace slipway::trainer {

/// After a run's first step, since a mask or a shape that no fused operator takes shows only then: "attention" of
/// environment.json, and a line in the log. Errors of the file.
Result<void> noteAttention(const RunDir& dir);

}  // namespace slipway::trainer
