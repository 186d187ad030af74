#include "app/gui/pages/curve_data.h"

#include "core/base/json.h"
#include "core/metrics/derive.h"
#include "core/spec/metric_names.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace slipway::gui {
namespace {

constexpr std::size_t kAxisBuckets = 4000;

ThinSeries stored(RunStore& store, const RunRecord& record, const std::string& metric, std::size_t buckets,
                  const StepRange& steps = {}) {
    return store.window(record.id, metric, steps.from, steps.to, buckets).value_or(ThinSeries{});
}

}  // namespace

std::optional<StoredConfig> configOf(const RunRecord& record) {
    const auto json = parseJson(record.configJson, record.id.value);
    if (!json) return {};
    auto read = readStoredConfig(*json, record.id.value);
    return read ? std::optional(std::move(*read)) : std::nullopt;
}

std::int64_t numDevicesOf(RunStore& store, const RunId& run, const StoredConfig& config) {
    if (config.knows("parallel.dp")) return config.config.parallel.worldSize();
    const auto attempts = store.attempts(run);
    return attempts && !attempts->empty() ? attempts->back().worldSize : 0;
}

DeriveBasis basisOf(const CurveSource& run) {
    const RunFigures& figures = run.record.measured.flopsPerToken ? run.record.measured : run.record.forecast;
    return {figures.flopsPerToken, figures.peakFlops, figures.mfuRule, run.numDevices};
}

bool isDerived(const std::string& metric) {
    return std::any_of(kDerivedMetrics.begin(), kDerivedMetrics.end(),
                       [&](const MetricName& m) { return m.name == metric; });
}

StepRange stepsOf(RunStore& store, const CurveSource& run, CurveX x, const std::pair<double, double>& part) {
    StepRange out;
    if (x == CurveX::Step) {
        constexpr double kMost = 9e18;
        out.from = static_cast<std::int64_t>(std::clamp(std::floor(part.first), -kMost, kMost));
        out.to = static_cast<std::int64_t>(std::clamp(std::ceil(part.second), -kMost, kMost));
        return out;
    }
    const MetricSeries axis =
        lastPoints(stored(store, run.record, x == CurveX::Time ? "time_unix_ms" : "tokens", kAxisBuckets));
    const std::vector<double> xs = abscissa(store, run, axis.steps, x);
    for (std::size_t i = 0; i < xs.size(); ++i) {
        if (xs[i] <= part.first) out.from = axis.steps[i];
        if (xs[i] >= part.second) {
            out.to = axis.steps[i];
            break;
        }
    }
    return out;
}

ThinSeries metricOf(RunStore& store, const CurveSource& run, const std::string& metric, std::size_t buckets,
                    const StepRange& steps) {
    if (!isDerived(metric)) return stored(store, run.record, metric, buckets, steps);
    ThinSeries speed = tokensPerSecond(stored(store, run.record, "tokens", buckets, steps),
                                       stored(store, run.record, "step_seconds", buckets, steps));
    if (metric == "tokens_per_second") return speed;
    const DeriveBasis basis = basisOf(run);
    if (metric == "tokens_per_second_per_device")
        return basis.numDevices > 0 ? scaled(std::move(speed), 1 / static_cast<double>(basis.numDevices))
                                    : ThinSeries{};
    if (!basis.flopsPerToken || !basis.peakFlops || *basis.peakFlops <= 0) return {};
    return scaled(std::move(speed), *basis.flopsPerToken / *basis.peakFlops);
}

MetricSeries pointsOf(RunStore& store, const CurveSource& run, const std::string& metric) {
    const auto all = [&](const std::string& name) {
        return store.series(run.record.id, name).value_or(MetricSeries{});
    };
    if (!isDerived(metric)) return all(metric);
    MetricSeries speed = tokensPerSecond(all("tokens"), all("step_seconds"));
    if (metric == "tokens_per_second") return speed;
    const DeriveBasis basis = basisOf(run);
    return metric == "mfu" ? modelFlopsUtilisation(speed, basis) : perDevice(speed, basis.numDevices);
}

std::vector<MetricSeries> supersededOf(RunStore& store, const CurveSource& run, const std::string& metric) {
    std::vector<MetricSeries> out;
    if (isDerived(metric)) return out;
    const auto attempts = store.attempts(run.record.id);
    if (!attempts) return out;
    for (std::size_t i = 0; i + 1 < attempts->size(); ++i) {
        const auto series = store.attemptSeries(run.record.id, metric, (*attempts)[i].attempt);
        if (!series) continue;
        MetricSeries lost = slice(*series, (*attempts)[i + 1].resumeStep + 1, std::numeric_limits<std::int64_t>::max());
        if (!lost.empty()) out.push_back(std::move(lost));
    }
    return out;
}

std::vector<double> abscissa(RunStore& store, const CurveSource& run, const std::vector<std::int64_t>& steps,
                             CurveX x) {
    std::vector<double> out;
    const auto at = [&](const char* metric) {
        return valuesAt(lastPoints(stored(store, run.record, metric, kAxisBuckets)), steps);
    };
    switch (x) {
        case CurveX::Step: out.assign(steps.begin(), steps.end()); break;
        case CurveX::Tokens: out = at("tokens"); break;
        case CurveX::Time: {
            out = at("time_unix_ms");
            const double start = run.record.startedUnixMilliseconds
                                     ? static_cast<double>(*run.record.startedUnixMilliseconds)
                                     : (out.empty() ? 0 : out.front());
            for (double& value : out) value = (value - start) / 1000;
            break;
        }
        case CurveX::Flops: {
            out = at("tokens");
            const double perToken = basisOf(run).flopsPerToken.value_or(std::nan(""));
            for (double& value : out) value *= perToken;
            break;
        }
    }
    return out;
}

}  // namespace slipway::gui
