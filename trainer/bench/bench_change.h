// A measurement of this machine beside a recorded one: what became slower.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <string>
#include <vector>

namespace slipway::trainer {

struct BenchChange {
    std::string figure;  ///< path in the document of runBenchCommand(), "peak_flops.fp32"
    double before = 0, now = 0;
    double change = 0;  ///< of the speed: -0.1 when it takes 1/0.9 of the time, or reaches 0.9 of the rate
    [[nodiscard]] bool isRegression() const { return change < -0.05; }
};

/// Every figure that both documents hold and that was measured alike: peaks on the same number of threads, the link, a
/// step of the same model, batch and threads. "bench_not_comparable" when there is none.
Result<std::vector<BenchChange>> benchChanges(const Json& before, const Json& now);

}  // namespace slipway::trainer
