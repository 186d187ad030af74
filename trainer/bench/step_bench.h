// What a training step costs in this process: forward, backward and update of the bundled trainer on random tokens,
// without reading data.
#pragma once

#include "core/base/result.h"
#include "core/spec/run_config.h"

#include <cstdint>
#include <vector>

namespace slipway::trainer {

/// One step, in seconds. On a GPU the whole step and its passes are what the device takes, the update what the host
/// waits for it.
struct StepSample {
    double seconds = 0, forwardSeconds = 0, backwardSeconds = 0, optimizerSeconds = 0;
    double cpuSeconds = 0;  ///< of all threads of this process: other programs hardly change it
    double loss = 0;
};

struct StepReport {
    std::int64_t tokensPerStep = 0, parameters = 0, threads = 1;
    std::int64_t peakBytes = 0;  ///< of tensors on the device, in the steps that are kept
    std::vector<StepSample> samples;
    /// Median of one member over the samples.
    [[nodiscard]] double median(double StepSample::*member) const;
};

/// On train.device (the first GPU). Runs `warmup` steps that are not kept, then `steps`. Errors: "bad_config" for more
/// than one rank or what the trainer cannot run, "no_gpu", "kernel_mismatch".
Result<StepReport> measureStep(const RunConfig& config, int warmup, int steps);

}  // namespace slipway::trainer
