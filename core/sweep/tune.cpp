#include "core/sweep/tune.h"

#include "core/base/json_fields.h"
#include "core/sweep/search_points.h"

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

/// Only the layout is measured: no checkpoints, no evaluation.
RunConfig trialConfig(RunConfig config, std::int64_t steps) {
    config.train.numSteps = steps;
    config.checkpoint.everySteps = 0;
    config.train.eval = {};
    return config;
}

}  // namespace

Result<TunePlan> planTune(const TuneRequest& request) {
    LayoutRequest search{trialConfig(request.config, request.steps), request.cluster};
    search.onlyRunnable = true;
    search.distinct = true;
    search.limit = request.layouts;
    search.limits = request.limits;
    search.run = request.run;
    TunePlan plan;
    plan.found = searchLayouts(search);
    if (plan.found.best.empty())
        return fail("no_layout",
                    "No layout of this config fits and runs here; `slipway search` lists the reasons."_text,
                    request.config.name);
    // The current layout is the baseline of the gain.
    FoundLayout own;
    own.parallel = search.config.parallel;
    own.microBatchSize = search.config.train.microBatchSize;
    own.recompute = search.config.train.recompute.policy;
    const RunConfig asConfigured = own.applied(search.config);
    std::vector<FoundLayout> layouts = plan.found.best;
    const bool isFound = std::ranges::any_of(layouts, [&](const FoundLayout& l) {
        return configHash(l.applied(search.config)) == configHash(asConfigured);
    });
    const bool isAdded = !isFound && !hasErrors(validate(asConfigured)) && !hasErrors(trainerSupports(asConfigured));
    if (isAdded) layouts.push_back(own);
    Json document = benchmarkSweep(search, layouts);
    if (isAdded)
        document["points"].back()["name"] =
            "as configured: " + layoutText(own.parallel, own.microBatchSize, own.recompute);
    document["name"] = "Tune " + (request.config.name.empty() ? std::string("config") : request.config.name);
    document["question"] = "Which layout is fastest on this computer?";
    document["hypothesis"] = "One of those that the planner ranks highest.";
    SearchRules rules;
    rules.method = SearchMethod::Planner;
    document["search"] = fields::toJson(rules);
    document["stop"] = {{"seconds", request.budgetSeconds}};
    Issues issues;
    plan.file = sweepFileFromJson(document, issues);
    for (const Issue& issue : issues)
        if (issue.severity == Severity::Error) return fail("bad_config", issue.sentence(), issue.field);
    return plan;
}

TuneAnswer answerOf(const SweepResult& result, const SearchDecision& decision) {
    TuneAnswer answer;
    answer.chance = decision.chance;
    double least = 0;
    for (const TrialResult& trial : result.trials) {
        TuneTrial out;
        out.trial = trial.index;
        out.forecastSeconds = trial.forecast.stepSeconds.value_or(kUnknown);
        if (trial.index < decision.beliefs.size()) {
            out.fittedSeconds = decision.beliefs[trial.index].cost;
            if (trial.status == TrialStatus::Skipped || trial.status == TrialStatus::Planned)
                out.chance = decision.beliefs[trial.index].chance;
        }
        if (trial.status == TrialStatus::Completed) {
            out.measuredSeconds = costOf(trial.measured, SweepObjective::StepSeconds).value_or(kUnknown);
            if (std::isfinite(out.measuredSeconds) && (!answer.best || out.measuredSeconds < least)) {
                answer.best = trial.index;
                least = out.measuredSeconds;
            }
        }
        answer.trials.push_back(out);
    }
    std::ranges::stable_sort(answer.trials, [](const TuneTrial& a, const TuneTrial& b) {
        const bool ranA = std::isfinite(a.measuredSeconds), ranB = std::isfinite(b.measuredSeconds);
        if (ranA != ranB) return ranA;
        const double left = ranA ? a.measuredSeconds : a.fittedSeconds,
                     right = ranA ? b.measuredSeconds : b.fittedSeconds;
        return left < right;
    });
    answer.fittedEfficiency = fitEfficiency(answer.trials);
    return answer;
}

double fitEfficiency(const std::vector<TuneTrial>& trials) {
    std::vector<double> ratios;
    for (const TuneTrial& trial : trials)
        if (const double ratio = trial.forecastSeconds / trial.measuredSeconds; std::isfinite(ratio))
            ratios.push_back(ratio);
    if (ratios.empty()) return kUnknown;
    std::ranges::sort(ratios);
    const std::size_t middle = ratios.size() / 2;
    return ratios.size() % 2 == 1 ? ratios[middle] : (ratios[middle - 1] + ratios[middle]) / 2;
}

RunConfig withLayoutOf(const RunConfig& config, const RunConfig& trial) {
    RunConfig out = config;
    out.parallel = trial.parallel;
    out.train.microBatchSize = trial.train.microBatchSize;
    out.train.recompute = trial.train.recompute;
    return out;
}

}  // namespace slipway
