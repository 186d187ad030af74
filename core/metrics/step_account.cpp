#include "core/metrics/step_account.h"

#include "core/metrics/summarise.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace slipway {
namespace {

constexpr double kRounding = 1e-9;  ///< for a forecast, whose parts are complete
constexpr double kOverlap = 0.02;   ///< a negative rest beyond this share of the step is reported

struct AxisPart {
    TimePart part;
    const char* metric;
    std::int64_t ParallelLayout::*degree;
};
constexpr std::array<AxisPart, 4> kAxes{{{TimePart::TensorParallel, "tp_exposed_seconds", &ParallelLayout::tp},
                                         {TimePart::ContextParallel, "cp_exposed_seconds", &ParallelLayout::cp},
                                         {TimePart::ExpertParallel, "ep_exposed_seconds", &ParallelLayout::ep},
                                         {TimePart::DataParallel, "dp_exposed_seconds", &ParallelLayout::dp}}};

double quantile(const std::vector<double>& sorted, double at) {
    const double place = at * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// The metrics of the counted steps.
class Steps {
public:
    explicit Steps(const AccountEvidence& evidence) : m_evidence(evidence) {
        const MetricSeries seconds = evidence.seriesOf("step_seconds");
        const std::int64_t warmUp = warmupSteps(static_cast<std::int64_t>(seconds.size()));
        std::vector<std::int64_t> starts = evidence.resumeSteps;
        if (!seconds.empty()) starts.push_back(seconds.steps.front() - 1);
        for (std::size_t i = 0; i < seconds.size(); ++i) {
            const std::int64_t step = seconds.steps[i];
            const bool warm = std::none_of(starts.begin(), starts.end(),
                                           [&](std::int64_t start) { return step > start && step <= start + warmUp; });
            if (warm)
                m_steps.push_back(step);
            else
                ++m_leftOut;
        }
    }

    [[nodiscard]] const std::vector<std::int64_t>& steps() const { return m_steps; }
    [[nodiscard]] std::int64_t leftOut() const { return m_leftOut; }
    [[nodiscard]] bool counts(std::int64_t step) const {
        return std::binary_search(m_steps.begin(), m_steps.end(), step);
    }

    /// Finite values of the metric in ascending order.
    [[nodiscard]] const std::vector<double>& sorted(const std::string& name) const {
        const auto [known, isNew] = m_sorted.try_emplace(name);
        std::vector<double>& values = known->second;
        if (!isNew) return values;
        const MetricSeries series = m_evidence.seriesOf(name);
        for (std::size_t i = 0; i < series.size(); ++i)
            if (std::isfinite(series.values[i]) && counts(series.steps[i])) values.push_back(series.values[i]);
        std::sort(values.begin(), values.end());
        return values;
    }
    [[nodiscard]] std::optional<double> median(const std::string& name) const {
        const std::vector<double>& values = sorted(name);
        return values.empty() ? std::nullopt : std::optional(quantile(values, 0.5));
    }
    [[nodiscard]] std::optional<Quartiles> quartiles(const std::string& name) const {
        const std::vector<double>& values = sorted(name);
        if (values.size() < 3) return {};
        return Quartiles{quantile(values, 0.25), quantile(values, 0.75)};
    }

private:
    const AccountEvidence& m_evidence;
    std::vector<std::int64_t> m_steps;
    std::int64_t m_leftOut = 0;
    mutable std::map<std::string, std::vector<double>> m_sorted;  ///< by metric; each is read once
};

std::optional<double> numberIn(const Json& json, const char* key) {
    if (!json.is_object() || !json.contains(key)) return {};
    const auto number = numberFromJson(json.at(key), key);
    return number && std::isfinite(*number) ? std::optional(*number) : std::nullopt;
}

/// Splits the passes' own seconds into useful work, recomputation and the rest.
void splitPasses(TimeParts& parts, double seconds, const std::optional<double>& useful,
                 const std::optional<double>& recomputedShare) {
    parts[TimePart::Useful] = useful;
    if (recomputedShare && *recomputedShare > 0) parts[TimePart::Recompute] = seconds * *recomputedShare;
    parts[TimePart::Kernels] = seconds - useful.value_or(0) - parts[TimePart::Recompute].value_or(0);
}

/// FLOP of recomputation over all FLOP of the passes.
std::optional<double> recomputedShare(const Json& forecast) {
    const auto mfu = numberIn(forecast, "mfu"), hfu = numberIn(forecast, "hfu");
    if (!mfu || !hfu || *hfu <= *mfu) return {};
    return 1 - *mfu / *hfu;
}

void addForecast(StepAccount& account, const Json& forecast) {
    account.forecastSeconds = numberIn(forecast, "step_seconds");
    const Json step = forecast.is_object() && forecast.contains("step") ? forecast["step"] : Json();
    const auto compute = numberIn(step, "compute_seconds");
    if (!account.forecastSeconds || !compute) {
        account.forecastSeconds.reset();
        account.notes.emplace_back("The run has no forecast with parts of the step."_text);
        return;
    }
    account.label = forecast.value("label", "");
    account.forecastMfu = numberIn(forecast, "mfu");
    TimeParts& parts = account.forecast;
    const auto useful =
        account.forecastMfu ? std::optional(*account.forecastMfu * *account.forecastSeconds) : std::nullopt;
    splitPasses(parts, *compute, useful, recomputedShare(forecast));
    parts[TimePart::TensorParallel] = numberIn(step, "tp_exposed_seconds");
    parts[TimePart::ContextParallel] = numberIn(step, "cp_exposed_seconds");
    parts[TimePart::ExpertParallel] = numberIn(step, "ep_exposed_seconds");
    parts[TimePart::DataParallel] = numberIn(step, "dp_exposed_seconds");
    parts[TimePart::Pipeline] =
        numberIn(step, "bubble_seconds").value_or(0) + numberIn(step, "pp_exposed_seconds").value_or(0);
    parts[TimePart::Optimizer] = numberIn(step, "optimizer_seconds");
    parts[TimePart::Overhead] = numberIn(step, "fixed_seconds");
    const double rest = *account.forecastSeconds - parts.sum(false);
    parts[TimePart::Unexplained] = std::fabs(rest) < kRounding * *account.forecastSeconds ? 0 : rest;
}

/// Waits for collectives by axis; the part for slow ranks is subtracted from each in proportion. @return their total
double addWaits(StepAccount& account, const Steps& steps, const ParallelLayout& layout) {
    TimeParts& parts = account.measured;
    std::array<std::optional<double>, 4> byAxis;
    double axes = 0;
    bool known = false;
    for (std::size_t i = 0; i < kAxes.size(); ++i) {
        byAxis[i] = steps.median(kAxes[i].metric);
        known = known || byAxis[i].has_value();
        axes += byAxis[i].value_or(0);
    }
    const auto exposed = steps.median("comm_exposed_seconds");
    if (!known && exposed) {
        // A single axis can be identified; among several it is not recorded.
        const auto isUsed = [&](const AxisPart& axis) { return layout.*axis.degree > 1; };
        const auto one = std::find_if(kAxes.begin(), kAxes.end(), isUsed);
        const bool single = std::count_if(kAxes.begin(), kAxes.end(), isUsed) == 1;
        parts[single ? one->part : TimePart::Collectives] = exposed;
        if (!single && *exposed > 0)
            account.notes.emplace_back("The run does not record its waits by axis; they are one part."_text);
        return *exposed;
    }
    const double world = steps.median("world_exposed_seconds").value_or(0);
    const auto imbalance = steps.median("imbalance_seconds");
    const double slow = std::min(axes + world, std::max(imbalance.value_or(0), world));
    // After the end of the step there are no other waits.
    if (imbalance) parts[TimePart::SlowRanks] = slow + steps.median("finish_wait_seconds").value_or(0);
    const double kept = axes > 0 ? (axes + world - (imbalance ? slow : world)) / axes : 0;
    for (std::size_t i = 0; i < kAxes.size(); ++i)
        if (byAxis[i]) parts[kAxes[i].part] = *byAxis[i] * kept;
    if (!imbalance) parts[TimePart::Collectives] = world;
    return axes + world;
}

void addStep(StepAccount& account, const Steps& steps, const AccountEvidence& evidence, const Json& forecast) {
    TimeParts& parts = account.measured;
    const double step = *account.stepSeconds;
    std::optional<double> useful;
    if (evidence.basis.flopsPerToken && evidence.basis.peakFlops && *evidence.basis.peakFlops > 0 &&
        account.tokensPerStep) {
        useful = *evidence.basis.flopsPerToken * *account.tokensPerStep / *evidence.basis.peakFlops;
        account.mfu = *useful / step;
        account.peakFlops = evidence.basis.peakFlops;
        account.mfuRule = evidence.basis.mfuRule;
    } else {
        account.notes.emplace_back(
            "The devices' peak is unknown, so useful work and kernels are one part, and there is no MFU."_text);
    }
    parts[TimePart::Data] = steps.median("data_seconds");
    parts[TimePart::Pipeline] = steps.median("pipeline_wait_seconds");
    const auto forward = steps.median("forward_seconds"), backward = steps.median("backward_seconds");
    const auto optimizer = steps.median("optimizer_seconds");
    if (!forward || !backward) {
        parts[TimePart::Useful] = useful;
        account.notes.emplace_back(
            "The run does not record its passes; all that was not useful work is unexplained."_text);
    } else {
        const double waits = addWaits(account, steps, evidence.layout);
        // Waits during the update; where not recorded, gradients come last.
        const double lateWaits =
            steps.median("dp_exposed_seconds").value_or(0) + steps.median("world_exposed_seconds").value_or(0);
        const double inUpdate = std::min(
            waits, std::min(optimizer.value_or(0), steps.median("update_exposed_seconds").value_or(lateWaits)));
        if (optimizer) parts[TimePart::Optimizer] = *optimizer - inUpdate;
        const double atEdges = std::min(waits - inUpdate, steps.median("edge_exposed_seconds").value_or(0));
        splitPasses(parts, *forward + *backward - (waits - inUpdate - atEdges), useful, recomputedShare(forecast));
    }
    parts[TimePart::Unexplained] = step - parts.sum(false);
    if (*parts[TimePart::Unexplained] < -kOverlap * step)
        account.notes.emplace_back("Parts of the step overlap: they add up to more than the step."_text);
    if (parts[TimePart::Kernels].value_or(0) < 0)
        account.notes.emplace_back("The passes ran above the peak that is assumed for the devices."_text);
}

/// Time between steps, by their time stamps; for consecutive steps of one attempt.
void addBetween(StepAccount& account, const Steps& steps, const AccountEvidence& evidence) {
    const MetricSeries clock = evidence.seriesOf("time_unix_ms");
    const MetricSeries seconds = evidence.seriesOf("step_seconds");
    const MetricSeries stalls = evidence.seriesOf("checkpoint_seconds"),
                       evaluations = evidence.seriesOf("eval_seconds");
    const auto at = [](const MetricSeries& series, std::int64_t step) -> std::optional<double> {
        const auto it = std::lower_bound(series.steps.begin(), series.steps.end(), step);
        if (it == series.steps.end() || *it != step) return {};
        const double value = series.values[static_cast<std::size_t>(it - series.steps.begin())];
        return std::isfinite(value) ? std::optional(value) : std::nullopt;
    };
    double wall = 0, inSteps = 0, saving = 0, evaluating = 0;
    double pairs = 0;
    for (std::size_t i = 1; i < clock.size(); ++i) {
        const std::int64_t step = clock.steps[i];
        if (clock.steps[i - 1] != step - 1 || !steps.counts(step)) continue;
        const auto own = at(seconds, step);
        const double passed = (clock.values[i] - clock.values[i - 1]) / 1000;
        if (!own || !(passed > 0)) continue;
        wall += passed;
        inSteps += *own;
        saving += at(stalls, step).value_or(0);
        evaluating += at(evaluations, step).value_or(0);
        ++pairs;
    }
    if (pairs == 0) {
        account.notes.emplace_back("The time between steps is not recorded."_text);
        return;
    }
    TimeParts& parts = account.measured;
    account.wallSeconds = wall / pairs;
    parts[TimePart::SlowSteps] = inSteps / pairs - *account.stepSeconds;
    parts[TimePart::Checkpoints] = saving / pairs;
    parts[TimePart::Evaluations] = evaluating / pairs;
    parts[TimePart::BetweenSteps] = (wall - inSteps - saving - evaluating) / pairs;
    if (account.mfu) account.wallMfu = *account.mfu * *account.stepSeconds / *account.wallSeconds;
}

std::optional<double> tokensOf(const MetricSeries& tokens, const Steps& steps) {
    // A stream that does not count tokens has 0 in every step.
    if (tokens.empty() || !(tokens.values.back() > 0)) return {};
    const auto first = std::lower_bound(tokens.steps.begin(), tokens.steps.end(), steps.steps().front());
    if (first == tokens.steps.end()) return {};
    const auto at = static_cast<std::size_t>(first - tokens.steps.begin());
    const std::int64_t stepBefore = at == 0 ? 0 : tokens.steps[at - 1];
    const double before = at == 0 ? 0 : tokens.values[at - 1];
    const std::int64_t count = tokens.steps.back() - stepBefore;
    return count > 0 ? std::optional((tokens.values.back() - before) / static_cast<double>(count)) : std::nullopt;
}

}  // namespace

SourceText titleOf(TimePart part) {
    switch (part) {
        case TimePart::Useful: return "Useful work at peak"_text;
        case TimePart::Kernels: return "Kernels below peak"_text;
        case TimePart::Recompute: return "Recomputation"_text;
        case TimePart::TensorParallel: return "Tensor-parallel traffic, exposed"_text;
        case TimePart::ContextParallel: return "Context-parallel traffic, exposed"_text;
        case TimePart::ExpertParallel: return "Expert-parallel traffic, exposed"_text;
        case TimePart::DataParallel: return "Data-parallel traffic, exposed"_text;
        case TimePart::Collectives: return "Collectives, exposed"_text;
        case TimePart::Pipeline: return "Pipeline bubble and messages"_text;
        case TimePart::SlowRanks: return "Waiting for slow ranks"_text;
        case TimePart::Optimizer: return "Optimizer"_text;
        case TimePart::Data: return "Waiting for data"_text;
        case TimePart::Overhead: return "Fixed time of a step"_text;
        case TimePart::Unexplained: return "Unexplained"_text;
        case TimePart::SlowSteps: return "Steps slower than the median"_text;
        case TimePart::Checkpoints: return "Checkpoints"_text;
        case TimePart::Evaluations: return "Evaluations"_text;
        case TimePart::BetweenSteps: return "Host, between steps"_text;
    }
    return {};
}

SourceText helpOf(TimePart part) {
    switch (part) {
        case TimePart::Useful: return "The model's FLOP of a step at the peak of all devices."_text;
        case TimePart::Kernels:
            return "Forward and backward passes beyond the useful work, without waits and recomputation."_text;
        case TimePart::Recompute: return "The share of the passes that recomputation has in their FLOP."_text;
        case TimePart::TensorParallel:
        case TimePart::ContextParallel:
        case TimePart::ExpertParallel:
        case TimePart::DataParallel:
        case TimePart::Collectives:
            return "Time that ranks waited for collectives and no computation hid, without waits for slow ranks."_text;
        case TimePart::Pipeline: return "Time that ranks waited for their neighbors in the pipeline."_text;
        case TimePart::SlowRanks:
            return "Time that ranks were ready before the slowest rank of their stage; taken from the collectives in proportion."_text;
        case TimePart::Optimizer: return "Clipping and optimizer, without waits."_text;
        case TimePart::Data: return "Time until the batch of the step was there."_text;
        case TimePart::Overhead:
            return "A fixed cost per step in the forecast; in a measurement it is unexplained."_text;
        case TimePart::Unexplained:
            return "The rest of the step, which no record covers; negative where parts overlap."_text;
        case TimePart::SlowSteps: return "Mean of the steps less their median."_text;
        case TimePart::Checkpoints: return "Stalls of checkpoints, per step."_text;
        case TimePart::Evaluations: return "Evaluations on held-out data, per step."_text;
        case TimePart::BetweenSteps: return "The rest of the time to the next step: records, decisions, the host."_text;
    }
    return {};
}

bool isOutsideStep(TimePart part) {
    return part >= TimePart::SlowSteps;
}

double TimeParts::sum(bool withOutside) const {
    double total = 0;
    for (std::size_t i = 0; i < kNumTimeParts; ++i)
        if (withOutside || !isOutsideStep(static_cast<TimePart>(i))) total += seconds[i].value_or(0);
    return total;
}

std::optional<double> StepAccount::share(TimePart part, bool ofForecast) const {
    const std::optional<double>& seconds = (ofForecast ? forecast : measured)[part];
    const std::optional<double>& whole = ofForecast ? forecastSeconds : stepSeconds;
    if (!seconds || !whole || !(*whole > 0)) return {};
    return 100 * *seconds / *whole;
}

StepAccount accountOf(const AccountEvidence& evidence) {
    StepAccount account;
    const auto document = parseJson(evidence.forecastJson.empty() ? "null" : evidence.forecastJson, "forecast");
    const Json forecast = document ? *document : Json();
    const Steps steps(evidence);
    account.leftOut = steps.leftOut();
    account.numSteps = static_cast<std::int64_t>(steps.steps().size());
    account.stepSeconds = steps.median("step_seconds");
    if (account.stepSeconds && !(*account.stepSeconds > 0)) account.stepSeconds.reset();
    if (account.stepSeconds) {
        account.firstStep = steps.steps().front();
        account.lastStep = steps.steps().back();
        account.stepSpread = steps.quartiles("step_seconds");
        account.tokensPerStep = tokensOf(evidence.seriesOf("tokens"), steps);
        addStep(account, steps, evidence, forecast);
        addBetween(account, steps, evidence);
        const auto spreadOf = [&](TimePart part, const char* metric) {
            account.spread[static_cast<std::size_t>(part)] = steps.quartiles(metric);
        };
        for (const AxisPart& axis : kAxes) spreadOf(axis.part, axis.metric);
        spreadOf(TimePart::Pipeline, "pipeline_wait_seconds");
        spreadOf(TimePart::SlowRanks, "imbalance_seconds");
        spreadOf(TimePart::Data, "data_seconds");
        if (!evidence.resumeSteps.empty())
            account.notes.emplace_back(
                plural(static_cast<std::int64_t>(evidence.resumeSteps.size()),
                       "The run was restarted %1 time; the first steps of each attempt are left out."_text,
                       "The run was restarted %1 times; the first steps of each attempt are left out."_text)(
                    static_cast<std::int64_t>(evidence.resumeSteps.size())));
    } else {
        account.notes.emplace_back("No step after the warm-up has a time."_text);
    }
    addForecast(account, forecast);
    return account;
}

Json toJson(const StepAccount& account) {
    const auto number = [](const std::optional<double>& value) { return value ? jsonNumber(*value) : Json(nullptr); };
    Json parts = Json::array();
    for (const auto& name : enumNames(TimePart{})) {
        const auto &measured = account.measured[name.value], &forecast = account.forecast[name.value];
        if (!measured && !forecast) continue;
        parts.push_back({{"part", std::string(name.word)},
                         {"title", textOf(titleOf(name.value))},
                         {"outside_step", isOutsideStep(name.value)},
                         {"seconds", number(measured)},
                         {"percent", number(account.share(name.value, false))},
                         {"forecast_seconds", number(forecast)},
                         {"forecast_percent", number(account.share(name.value, true))}});
    }
    Json notes = Json::array();
    for (const Message& note : account.notes) notes.push_back(textOf(note));
    return {{"step_seconds", number(account.stepSeconds)},
            {"wall_seconds", number(account.wallSeconds)},
            {"mfu", number(account.mfu)},
            {"wall_mfu", number(account.wallMfu)},
            {"mfu_rule", account.mfuRule.empty() ? Json(nullptr) : Json(account.mfuRule)},
            {"peak_flops", number(account.peakFlops)},
            {"tokens_per_step", number(account.tokensPerStep)},
            {"forecast_step_seconds", number(account.forecastSeconds)},
            {"forecast_mfu", number(account.forecastMfu)},
            {"forecast_label", account.label.empty() ? Json(nullptr) : Json(account.label)},
            {"first_step", account.firstStep},
            {"last_step", account.lastStep},
            {"steps", account.numSteps},
            {"steps_left_out", account.leftOut},
            {"parts", std::move(parts)},
            {"notes", std::move(notes)}};
}

}  // namespace slipway
