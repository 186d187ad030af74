#include "core/sweep/sweep_result.h"

#include "core/base/json_fields.h"
#include "core/base/untrusted_text.h"
#include "core/sweep/repeats.h"
#include "core/sweep/trial_state.h"

#include <algorithm>

namespace slipway {
namespace {

/// Copies the outcome of the run into the trial.
void takeRun(TrialResult& trial, const RunRecord& run) {
    if (!run.forecastJson.empty()) trial.forecastJson = run.forecastJson;
    trial.forecast = run.forecast;
    trial.measured = run.measured;
    if (run.startedUnixMilliseconds && run.endedUnixMilliseconds)
        trial.seconds = static_cast<double>(*run.endedUnixMilliseconds - *run.startedUnixMilliseconds) / 1000;
}

}  // namespace

std::size_t SweepResult::count(TrialStatus wanted) const {
    return static_cast<std::size_t>(
        std::count_if(trials.begin(), trials.end(), [&](const TrialResult& trial) { return trial.status == wanted; }));
}

bool SweepResult::succeeded() const {
    return count(TrialStatus::Completed) + count(TrialStatus::Skipped) + count(TrialStatus::Infeasible) ==
           trials.size();
}

std::string sweepStatusOf(const std::vector<TrialStatus>& trials) {
    const bool settled = std::all_of(trials.begin(), trials.end(), isSettled);
    if (!settled) return "paused";
    return std::find(trials.begin(), trials.end(), TrialStatus::Failed) == trials.end() ? "completed" : "failed";
}

std::string sweepDocument(const SweepFile& file, const ClusterSpec& cluster) {
    SweepFile resolved = file;
    resolved.cluster = cluster;
    return dumpJson(toJson(resolved), false);
}

Result<SweepResult> loadSweepResult(RunStore& store, const SweepId& id) {
    const auto record = store.sweep(id);
    if (!record) return fail(record.error());
    const auto json = parseJson(record->document, "sweep " + id.value);
    if (!json) return fail(json.error());
    Issues issues;
    const SweepFile file = sweepFileFromJson(*json, issues);
    if (hasErrors(issues))
        return fail("bad_sweep",
                    "The sweep's document cannot be read by this version: %1: %2"_text(issues.front().field,
                                                                                       issues.front().message),
                    id.value);

    SweepResult result;
    result.id = id;
    result.name = repairedName(file.name);
    result.question = file.question;
    result.hypothesis = file.hypothesis;
    result.cluster = file.cluster.value_or(ClusterSpec{});
    result.createdUnixMilliseconds = record->createdUnixMilliseconds;
    std::vector<Trial> trials = expandSweep(file);
    planTrials(trials, result.cluster);
    const auto stored = store.trials(id);
    if (!stored) return fail(stored.error());
    std::vector<TrialStatus> statuses;
    for (Trial& trial : trials) {
        TrialResult out{
            trial.index, trial.name, trial.settings, TrialStatus::Planned, {}, {}, trial.config, trial.forecastJson, {},
            {},          {}};
        const auto it = std::find_if(stored->begin(), stored->end(), [&](const TrialRecord& t) {
            return t.index == static_cast<std::int64_t>(trial.index);
        });
        if (it != stored->end()) {
            out.run = it->run;
            const auto run =
                out.run.empty() ? Result<RunRecord>(fail(Error{"run_missing", {}, {}})) : store.run(out.run);
            const TrialState state = trialStateOf(*it, run ? &*run : nullptr);
            out.status = state.status;
            out.reason = state.reason;
        }
        if (const auto forecast = parseJson(out.forecastJson, "forecast")) out.forecast = figuresFromJson(*forecast);
        if (!out.run.empty())
            if (const auto run = store.run(out.run)) takeRun(out, *run);
        statuses.push_back(out.status);
        result.trials.push_back(std::move(out));
    }
    result.status = sweepStatusOf(statuses);
    if (std::find(statuses.begin(), statuses.end(), TrialStatus::Running) != statuses.end()) result.status = "running";
    return result;
}

Json toJson(const SweepResult& result) {
    Json trials = Json::array();
    for (const TrialResult& trial : result.trials) {
        const auto forecast = parseJson(trial.forecastJson, "forecast");
        trials.push_back({{"name", trial.name},
                          {"status", wordOf(trial.status)},
                          {"reason", trial.reason.empty() ? Json(nullptr) : Json(trial.reason)},
                          {"run_id", trial.run.empty() ? Json(nullptr) : Json(trial.run.value)},
                          {"config", trial.stored().document()},
                          {"forecast", forecast ? *forecast : Json(nullptr)},
                          {"measured", shownJson(trial.measured, trial.knownSeqLen())}});
    }
    Json out{{"sweep_id", result.id.value}, {"status", result.status}, {"trials", std::move(trials)}};
    if (const auto groups = groupRepeats(result); hasRepeats(groups)) out["repeats"] = toJson(groups);
    return out;
}

}  // namespace slipway
