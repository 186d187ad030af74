#include "core/metrics/derive.h"

#include <cmath>

namespace slipway {

MetricSeries tokensPerSecond(const MetricSeries& tokens, const MetricSeries& stepSeconds) {
    MetricSeries out{"tokens_per_second", "tokens/s", {}, {}};
    std::size_t t = 0;
    for (std::size_t i = 0; i < stepSeconds.size(); ++i) {
        const std::int64_t step = stepSeconds.steps[i];
        while (t < tokens.size() && tokens.steps[t] < step) ++t;
        if (t == tokens.size()) break;
        if (tokens.steps[t] != step) continue;
        // The first record has no predecessor; its running total covers the steps since step 0.
        const std::int64_t stepBefore = t == 0 ? 0 : tokens.steps[t - 1];
        const double tokensBefore = t == 0 ? 0 : tokens.values[t - 1];
        if (step <= stepBefore) continue;
        const double perStep = (tokens.values[t] - tokensBefore) / static_cast<double>(step - stepBefore);
        out.steps.push_back(step);
        out.values.push_back(perStep / stepSeconds.values[i]);
    }
    return out;
}

MetricSeries perDevice(const MetricSeries& tokensPerSecond, std::int64_t numDevices) {
    MetricSeries out{"tokens_per_second_per_device", "tokens/s/device", tokensPerSecond.steps, tokensPerSecond.values};
    for (double& value : out.values) value /= static_cast<double>(numDevices > 0 ? numDevices : 1);
    return out;
}

MetricSeries modelFlopsUtilisation(const MetricSeries& tokensPerSecond, const DeriveBasis& basis) {
    MetricSeries out{"mfu", "fraction", {}, {}};
    if (!basis.flopsPerToken || !basis.peakFlops || *basis.peakFlops <= 0) return out;
    out.steps = tokensPerSecond.steps;
    out.values = tokensPerSecond.values;
    for (double& value : out.values) value *= *basis.flopsPerToken / *basis.peakFlops;
    return out;
}

}  // namespace slipway
