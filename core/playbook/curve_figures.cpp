#include "core/playbook/curve_figures.h"

#include "core/stability/spike_detector.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace slipway {
namespace {

constexpr std::string_view kAlarms = "_alarms";

std::optional<SpikeRule> ruleOf(const std::string& metric) {
    if (!metric.ends_with(kAlarms)) return {};
    const std::string_view word = std::string_view(metric).substr(0, metric.size() - kAlarms.size());
    for (const auto& name : enumNames(SpikeRule{}))
        if (name.word == word && name.value != SpikeRule::Off) return name.value;
    return {};
}

std::optional<std::int64_t> stepOf(const std::string& metric) {
    const std::size_t at = metric.find('@');
    if (at == std::string::npos) return {};
    std::int64_t step = 0;
    const char* end = metric.data() + metric.size();
    const auto [stopped, error] = std::from_chars(metric.data() + at + 1, end, step);
    return error == std::errc() && stopped == end ? std::optional(step) : std::nullopt;
}

double alarms(SpikeRule rule, const MetricSeries& loss) {
    SpikeDetector detector(rule);
    double count = 0;
    for (const double value : loss.values) count += detector.evaluate(value) == SpikeVerdict::Normal ? 0 : 1;
    return count;
}

}  // namespace

std::string seriesOf(const std::string& metric) {
    if (ruleOf(metric)) return "loss";
    return stepOf(metric) ? metric.substr(0, metric.find('@')) : "";
}

std::optional<double> curveFigure(const std::string& metric, const MetricSeries& series) {
    if (const auto rule = ruleOf(metric)) return series.empty() ? std::nullopt : std::optional(alarms(*rule, series));
    const auto step = stepOf(metric);
    if (!step) return {};
    const auto found = std::lower_bound(series.steps.begin(), series.steps.end(), *step);
    if (found == series.steps.end() || *found != *step) return {};
    return series.values[static_cast<std::size_t>(found - series.steps.begin())];
}

Result<void> addCurveFigures(const Experiment& experiment, const SweepResult& result,
                             const std::function<Result<MetricSeries>(const RunId&, const std::string&)>& read,
                             Measurements& measurements) {
    std::set<std::string> metrics;
    for (const Claim& claim : experiment.claims)
        for (const std::string& metric : {claim.metric, claim.baselineMetric})
            if (!seriesOf(metric).empty()) metrics.insert(metric);
    for (const TrialResult& trial : result.trials) {
        const std::string point = pointOf(trial.name);
        if (point.empty() || trial.status != TrialStatus::Completed) continue;
        for (const std::string& metric : metrics) {
            const auto series = read(trial.run, seriesOf(metric));
            if (!series) return fail(series.error());
            if (const auto value = curveFigure(metric, *series)) measurements.measured[metric][point].push_back(*value);
        }
    }
    return {};
}

}  // namespace slipway
