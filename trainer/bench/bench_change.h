// A measurement of this machine compared with a recorded one: slower figures.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <string>
#include <vector>

namespace slipway::trainer {

struct BenchChange {
    std::string figure;  ///< path in the document of runBenchCommand(), "peak_flops.fp32"
    double before = 0, now = 0;
    double change = 0;  ///< of the speed: -0.1 for 1/0.9 of the time, or 0.9 of the rate
    [[nodiscard]] bool isRegression() const { return change < -0.05; }
};

/// Every figure in both documents with equal conditions: peaks on the same number of threads, the link, a step of the
/// same model, batch and threads. "bench_not_comparable" when there is none.
Result<std::vector<BenchChange>> benchChanges(const Json& before, const Json& now);

}  // namespace slipway::trainer
