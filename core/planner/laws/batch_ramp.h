// Batch ramp: the global batch grows with the tokens seen (Brown 2020, arXiv 2005.14165, sec. 2.3: over 4 to 12 billion
// tokens). Values in tokens; a run rounds them to seq_len * micro_batch_size * dp.
#pragma once

#include <algorithm>
#include <cstdint>

namespace slipway {

struct BatchRamp {
    double initialTokens = 0;
    double finalTokens = 0;
    double rampTokens = 0;

    /// Batch, in whole tokens, after `seen` tokens: linear, then constant.
    [[nodiscard]] std::int64_t batchTokens(double seen) const {
        const double done = rampTokens > 0 ? std::clamp(seen / rampTokens, 0.0, 1.0) : 1.0;
        return static_cast<std::int64_t>(initialTokens + (finalTokens - initialTokens) * done);
    }

    /// Optimizer steps until the end of the ramp; the batch is set at each step.
    [[nodiscard]] std::int64_t rampSteps() const {
        std::int64_t steps = 0;
        for (double seen = 0; seen < rampTokens; ++steps)
            seen += static_cast<double>(std::max<std::int64_t>(batchTokens(seen), 1));
        return steps;
    }
};

}  // namespace slipway
