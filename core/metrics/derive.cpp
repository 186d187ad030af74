#include "core/metrics/derive.h"

#include "core/base/units.h"

#include <cmath>
#include <utility>

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

ThinSeries tokensPerSecond(const ThinSeries& tokens, const ThinSeries& stepSeconds) {
    ThinSeries out = stepSeconds;
    out.name = "tokens_per_second";
    out.unit = "tokens/s";
    out.buckets.clear();
    if (tokens.buckets.empty()) return out;
    std::vector<std::int64_t> ends;
    for (const SeriesBucket& bucket : stepSeconds.buckets) ends.push_back(bucket.lastStep);
    const std::vector<double> totals = valuesAt(lastPoints(tokens), ends);
    // The first bucket has no predecessor; its running total covers the steps since step 0.
    std::int64_t stepBefore = 0;
    double tokensBefore = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const double perStep = (totals[i] - tokensBefore) / static_cast<double>(ends[i] - stepBefore);
        SeriesBucket speed = stepSeconds.buckets[i];
        speed.mean = perStep / speed.mean;
        speed.last = perStep / speed.last;
        speed.min = perStep / stepSeconds.buckets[i].max;
        speed.max = perStep / stepSeconds.buckets[i].min;
        std::swap(speed.minStep, speed.maxStep);
        if (ends[i] > stepBefore) out.buckets.push_back(speed);
        stepBefore = ends[i];
        tokensBefore = totals[i];
    }
    return out;
}

ThinSeries scaled(ThinSeries series, double factor) {
    for (SeriesBucket& bucket : series.buckets)
        for (double SeriesBucket::*value :
             {&SeriesBucket::min, &SeriesBucket::max, &SeriesBucket::mean, &SeriesBucket::last})
            bucket.*value *= factor;
    return series;
}

MetricSeries perDevice(const MetricSeries& tokensPerSecond, std::int64_t numDevices) {
    MetricSeries out{"tokens_per_second_per_device", "tokens/s/device", {}, {}};
    if (numDevices <= 0) return out;
    out.steps = tokensPerSecond.steps;
    out.values = tokensPerSecond.values;
    for (double& value : out.values) value /= static_cast<double>(numDevices);
    return out;
}

double perplexity(double meanLoss) {
    return std::exp(meanLoss);
}

std::string formatPerplexity(double perplexity) {
    if (std::isinf(perplexity)) return "above 1.8e308";
    return perplexity >= 1000 ? formatCount(std::round(perplexity)) : formatSignificant(perplexity, 4);
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
