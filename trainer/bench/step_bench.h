// Cost of a training step in this process: forward, backward and update of the bundled trainer on random tokens,
// without reading data.
#pragma once

#include "core/base/result.h"
#include "core/spec/run_config.h"

#include <cstdint>
#include <vector>

namespace slipway::trainer {

/// One step, in seconds. On a GPU the full step and its passes are device time, the update is the host's wait for
/// it.
struct StepSample {
    double seconds = 0, forwardSeconds = 0, backwardSeconds = 0, optimizerSeconds = 0;
    double cpuSeconds = 0;  ///< of all threads of this process: hardly affected by other programs
    double loss = 0;
};

struct StepReport {
    std::int64_t tokensPerStep = 0, parameters = 0, threads = 1;
    std::int64_t peakBytes = 0;  ///< of tensors on the device, in the counted steps
    std::vector<StepSample> samples;
    /// Median of one member over the samples.
    [[nodiscard]] double median(double StepSample::*member) const;
};

/// On train.device (the first GPU). Runs `warmup` uncounted steps, then `steps`. Errors: "bad_config" for more than one
/// rank or an unsupported config, "no_gpu", "kernel_mismatch".
Result<StepReport> measureStep(const RunConfig& config, int warmup, int steps);

}  // namespace slipway::trainer
