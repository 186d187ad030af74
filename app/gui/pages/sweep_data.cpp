#include "app/gui/pages/sweep_data.h"

#include "app/gui/engine/store_access.h"
#include "app/gui/pages/compare_data.h"
#include "app/gui/text/format.h"
#include "app/gui/text/layout_words.h"
#include "app/gui/text/text.h"
#include "core/base/json.h"
#include "core/base/json_fields.h"
#include "core/sweep/sweep_control.h"
#include "core/sweep/trial_state.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace slipway::gui {
namespace {

QString say(const char* text) {
    return QCoreApplication::translate("SweepData", text);
}

/// "parallel.zero_stage" -> "ZeRO"; layout fields have the short names of the tables.
QString shortName(const std::string& path) {
    const std::string leaf = path.substr(path.rfind('.') + 1);
    if (leaf == "micro_batch_size") return QStringLiteral("mb");
    if (leaf == "zero_stage") return QStringLiteral("ZeRO");
    return qs(leaf).replace('_', ' ');
}

std::string valueIn(const FieldInfos& fields, const std::string& path) {
    for (const FieldInfo& info : fields)
        if (info.path == path) return info.applies ? info.defaultJson : "null";
    return "null";
}

struct Values {
    std::vector<std::string> json;  ///< [trial]
    std::vector<std::string> order;
};

/// The value of a field in each trial: set by the sweep, or from the config.
Values valuesOf(const std::vector<Trial>& trials, const std::string& path) {
    Values out;
    for (const Trial& trial : trials) {
        const auto it = std::find_if(trial.settings.rbegin(), trial.settings.rend(),
                                     [&](const Setting& setting) { return setting.path == path; });
        std::string value = it != trial.settings.rend() ? it->value : valueIn(runConfigFields(trial.config), path);
        if (std::find(out.order.begin(), out.order.end(), value) == out.order.end()) out.order.push_back(value);
        out.json.push_back(std::move(value));
    }
    const auto number = [](const std::string& text) { return qs(text).toDouble(); };
    const bool numbers = std::all_of(out.order.begin(), out.order.end(), [](const std::string& text) {
        bool isNumber = false;
        (void)qs(text).toDouble(&isNumber);
        return isNumber;
    });
    if (numbers)
        std::sort(out.order.begin(), out.order.end(),
                  [&](const std::string& a, const std::string& b) { return number(a) < number(b); });
    return out;
}

void findFields(SweepPlan& plan) {
    std::vector<std::string> paths;
    for (const Trial& trial : plan.trials)
        for (const Setting& setting : trial.settings)
            if (std::find(paths.begin(), paths.end(), setting.path) == paths.end()) paths.push_back(setting.path);
    plan.valueOf.assign(plan.trials.size(), {});
    for (const std::string& path : paths) {
        const Values values = valuesOf(plan.trials, path);
        if (values.order.size() < 2) continue;
        SweepField field{path, shortName(path), {}};
        for (const std::string& value : values.order)
            field.values << (value == "null" ? say(QT_TRANSLATE_NOOP("SweepData", "default"))
                                             : valueWords(path, value));
        for (std::size_t i = 0; i < plan.trials.size(); ++i)
            plan.valueOf[i].push_back(static_cast<int>(
                std::find(values.order.begin(), values.order.end(), values.json[i]) - values.order.begin()));
        plan.fields.push_back(std::move(field));
    }
    for (std::size_t i = 0; i < plan.trials.size(); ++i) {
        std::string key;
        for (std::size_t f = 0; f < plan.fields.size(); ++f)
            if (plan.fields[f].path != "train.seed") key += std::to_string(plan.valueOf[i][f]) + ' ';
        plan.repeatOf.push_back(std::move(key));
    }
}

/// Forecast seconds of a trial; 1 if unknown.
double weightOf(const SweepPlan& plan, std::size_t trial) {
    const std::int64_t asked = plan.trials[trial].config.train.numSteps;
    const std::int64_t limit = plan.file.stop.steps;
    const auto steps = static_cast<double>(limit > 0 ? std::min(asked, limit) : asked);
    const double weight = plan.forecasts[trial].stepSeconds.value_or(0) * steps;
    return std::isfinite(weight) && weight > 0 ? weight : 1;
}

SweepStage stageOf(const Home& home, const SweepRecord& record, const SweepCounts& counts) {
    const bool driven = (counts.running > 0 || record.status == "running") && isSweepDriven(home, record.identity);
    if (driven) {
        const auto request = sweepRequest(home, record.id);
        return !request                         ? SweepStage::Running
               : *request == SweepRequest::Stop ? SweepStage::Stopping
                                                : SweepStage::Pausing;
    }
    if (counts.waiting() == 0 && counts.running == 0)
        return counts.failed > 0 && record.status != "completed" ? SweepStage::Failed : SweepStage::Completed;
    return record.status == "running" ? SweepStage::Interrupted : SweepStage::Paused;
}

/// The runs of a sweep by id.
Result<std::map<std::string, RunRecord>> runsOf(RunStore& store, const SweepId& id) {
    RunQuery query;
    query.filter = "sweep:" + id.value;
    query.scope = RunScope::All;
    query.limit = static_cast<std::int64_t>(kMostTrials);
    auto rows = store.list(query);
    if (!rows) return fail(rows.error());
    std::map<std::string, RunRecord> runs;
    for (RunRow& row : *rows) runs.emplace(row.record.id.value, std::move(row.record));
    return runs;
}

SweepTrial trialFrom(const TrialRecord& record, const RunRecord* run) {
    SweepTrial out;
    const TrialState state = trialStateOf(record, run);
    out.status = state.status;
    out.reason = state.reason;
    if (run == nullptr) return out;
    if (run->status == RunStatus::Queued) out.reason = run->reason;  // such as a node out of reach
    out.run = run->id;
    out.forecast = run->forecast;
    out.measured = run->measured;
    out.startedUnixMilliseconds = run->startedUnixMilliseconds;
    out.lastStep = run->lastStep;
    out.numSteps = run->numSteps;
    if (run->startedUnixMilliseconds && run->endedUnixMilliseconds)
        out.seconds = static_cast<double>(*run->endedUnixMilliseconds - *run->startedUnixMilliseconds) / 1000;
    return out;
}

const RunRecord* runOf(const std::map<std::string, RunRecord>& runs, const RunId& id) {
    const auto it = runs.find(id.value);
    return it == runs.end() ? nullptr : &it->second;
}

/// Of the remaining trials, at the speed of those that have ended.
std::optional<double> timeLeft(const SweepData& data) {
    double known = 0, took = 0, left = 0;
    for (std::size_t i = 0; i < data.trials.size(); ++i) {
        const SweepTrial& trial = data.trials[i];
        const double weight = weightOf(*data.plan, i);
        if (trial.status == TrialStatus::Completed && trial.seconds) {
            known += weight;
            took += *trial.seconds;
        } else if (!isSettled(trial.status)) {
            const double done =
                trial.numSteps > 0 ? static_cast<double>(trial.lastStep) / static_cast<double>(trial.numSteps) : 0;
            left += weight * (1 - std::min(1.0, done));
        }
    }
    if (known <= 0 || left <= 0) return {};
    return left * took / known / std::max(1, data.counts.running);
}

double medianOf(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Keeps the better value of each figure.
void keepBest(RunFigures& best, const RunFigures& figures) {
    for (const char* key : kSweepMeasures) {
        const auto member = measureOf(key);
        const auto value = figures.*member;
        if (!value || !std::isfinite(*value)) continue;
        const bool better =
            !(best.*member) || (isLessBetter(key) ? *value < *(best.*member) : *value > *(best.*member));
        if (better) best.*member = value;
    }
}

Result<SweepRow> rowOf(RunStore& store, const Home& home, const SweepRecord& record) {
    SweepRow row;
    row.id = record.id;
    row.name = record.name.empty() ? qs(record.id.value) : qs(record.name);
    row.createdUnixMilliseconds = record.createdUnixMilliseconds;
    if (const auto json = parseJson(record.document, "sweep"); json) {
        Issues issues;
        const SweepFile file = sweepFileFromJson(*json, issues);
        row.counts.total = static_cast<int>(std::min(file.countTrials(), kMostTrials));
        row.budgetSeconds = file.stop.seconds;
    }
    const auto trials = store.trials(record.id);
    if (!trials) return fail(trials.error());
    const auto runs = runsOf(store, record.id);
    if (!runs) return fail(runs.error());
    std::vector<double> errors;
    std::int64_t newest = -1;
    double bestShown = -INFINITY;
    for (const TrialRecord& stored : *trials) {
        const RunRecord* run = runOf(*runs, stored.run);
        const SweepTrial trial = trialFrom(stored, run);
        row.counts.add(trial.status);
        row.usedSeconds += trial.seconds.value_or(0);
        if (run != nullptr && run->createdUnixMilliseconds > newest) {
            newest = run->createdUnixMilliseconds;
            row.host = qs(run->host);
        }
        if (trial.status != TrialStatus::Completed) continue;
        keepBest(row.best, trial.measured);
        const double speed = trial.measured.mfu.value_or(trial.measured.tokensPerSecondPerDevice.value_or(-INFINITY));
        if (speed > bestShown) {
            bestShown = speed;
            row.bestTrial = qs(stored.name);
        }
        if (trial.forecast.stepSeconds && trial.measured.stepSeconds && *trial.measured.stepSeconds > 0)
            errors.push_back(std::fabs(*trial.forecast.stepSeconds / *trial.measured.stepSeconds - 1));
    }
    row.counts.total = std::max(row.counts.total, row.counts.settled() + row.counts.running);
    if (!errors.empty()) row.forecastError = medianOf(std::move(errors));
    row.stage = stageOf(home, record, row.counts);
    return row;
}

}  // namespace

void SweepCounts::add(TrialStatus status) {
    completed += status == TrialStatus::Completed;
    failed += status == TrialStatus::Failed || status == TrialStatus::Infeasible;
    skipped += status == TrialStatus::Skipped;
    running += status == TrialStatus::Running;
}

Result<std::shared_ptr<const SweepPlan>> makeSweepPlan(const std::string& document, const std::string& where) {
    const auto json = parseJson(document, where);
    if (!json) return fail(json.error());
    Issues issues;
    auto plan = std::make_shared<SweepPlan>();
    plan->document = document;
    plan->file = sweepFileFromJson(*json, issues);
    if (hasErrors(issues)) return fail("bad_sweep", issues, where);
    plan->trials = expandSweep(plan->file);
    planTrials(plan->trials, plan->file.cluster.value_or(ClusterSpec{}));
    for (const Trial& trial : plan->trials) {
        const auto forecast = parseJson(trial.forecastJson, "forecast");
        plan->forecasts.push_back(forecast ? figuresFromJson(*forecast) : RunFigures{});
    }
    const auto isNamed = [](const SettingGroup& group) { return !group.name.empty(); };
    plan->isNamed = std::any_of(plan->file.points.begin(), plan->file.points.end(), isNamed);
    for (const SweepAxis& axis : plan->file.axes)
        plan->isNamed = plan->isNamed || std::any_of(axis.choices.begin(), axis.choices.end(), isNamed);
    findFields(*plan);
    return std::shared_ptr<const SweepPlan>(std::move(plan));
}

SweepData loadSweep(const Home& home, const SweepId& id, std::shared_ptr<const SweepPlan> known) {
    SweepData data;
    data.id = id;
    const auto loaded = readStore(home, [&](RunStore& store) -> Result<void> {
        const auto record = store.sweep(id);
        if (!record) return fail(record.error());
        if (known && known->document == record->document) {
            data.plan = std::move(known);
        } else {
            auto plan = makeSweepPlan(record->document, "sweep " + id.value);
            if (!plan) return fail(plan.error());
            data.plan = std::move(*plan);
        }
        data.name = record->name.empty() ? qs(id.value) : qs(record->name);
        data.createdUnixMilliseconds = record->createdUnixMilliseconds;
        const auto trials = store.trials(id);
        if (!trials) return fail(trials.error());
        const auto runs = runsOf(store, id);
        if (!runs) return fail(runs.error());
        data.trials.resize(data.plan->trials.size());
        std::int64_t newest = -1;
        for (const TrialRecord& stored : *trials) {
            if (stored.index < 0 || stored.index >= static_cast<std::int64_t>(data.trials.size())) continue;
            const RunRecord* run = runOf(*runs, stored.run);
            data.trials[static_cast<std::size_t>(stored.index)] = trialFrom(stored, run);
            if (run == nullptr || run->createdUnixMilliseconds <= newest) continue;
            newest = run->createdUnixMilliseconds;
            data.host = qs(run->host);
        }
        data.counts.total = static_cast<int>(data.trials.size());
        for (std::size_t i = 0; i < data.trials.size(); ++i) {
            SweepTrial& trial = data.trials[i];
            data.counts.add(trial.status);
            data.usedSeconds += trial.seconds.value_or(0);
            // A trial without a run has the current forecast; a run has the forecast at its launch.
            if (trial.forecast == RunFigures{}) trial.forecast = data.plan->forecasts[i];
        }
        data.stage = stageOf(home, *record, data.counts);
        data.secondsLeft = timeLeft(data);
        return {};
    });
    if (!loaded) data.error = loaded.error();
    return data;
}

Result<std::vector<SweepRow>> loadSweeps(const Home& home, SweepRowCache& cache, const std::stop_token& token) {
    return readStore(home, [&](RunStore& store) -> Result<std::vector<SweepRow>> {
        const auto sweeps = store.sweeps();
        if (!sweeps) return fail(sweeps.error());
        std::vector<SweepRow> rows;
        for (const SweepRecord& record : *sweeps) {
            if (token.stop_requested()) break;
            const std::string key = record.id.value + ' ' + record.status + ' ' + record.name + ' ' +
                                    std::to_string(record.endedUnixMilliseconds.value_or(0));
            const bool ended = record.endedUnixMilliseconds.has_value();
            const auto kept = cache.find(key);
            if (ended && kept != cache.end()) {
                rows.push_back(kept->second);
                continue;
            }
            auto row = rowOf(store, home, record);
            if (!row) return fail(row.error());
            if (ended) cache.emplace(key, *row);
            rows.push_back(std::move(*row));
        }
        return rows;
    });
}

std::optional<double> RunFigures::*measureOf(std::string_view key) {
    for (const FigureInfo& info : figureInfos())
        if (info.key == key) return info.member;
    return nullptr;
}

bool isLessBetter(std::string_view key) {
    return key == "step_seconds" || key == "memory_peak_bytes" || key == "bubble_fraction" || key.ends_with("loss");
}

std::optional<double> valueOf(const SweepTrial& trial, std::string_view measure) {
    const auto member = measureOf(measure);
    if (trial.status != TrialStatus::Completed || !member) return {};
    const auto value = trial.measured.*member;
    return value && std::isfinite(*value) ? value : std::nullopt;
}

int bestTrial(const SweepData& data, std::string_view measure) {
    int best = -1;
    double most = 0;
    const double sign = isLessBetter(measure) ? -1 : 1;
    for (std::size_t i = 0; i < data.trials.size(); ++i) {
        const auto value = valueOf(data.trials[i], measure);
        if (!value || (best >= 0 && sign * *value <= most)) continue;
        best = static_cast<int>(i);
        most = sign * *value;
    }
    return best;
}

QString settingsText(const SweepPlan& plan, std::size_t trial, const std::vector<int>& fields) {
    QStringList parts;
    for (const int field : fields) {
        const SweepField& f = plan.fields[static_cast<std::size_t>(field)];
        parts << f.name + ' ' + f.values.value(plan.valueOf[trial][static_cast<std::size_t>(field)]);
    }
    return parts.join(QStringLiteral(", "));
}

QString trialName(const SweepPlan& plan, std::size_t trial) {
    std::vector<int> all(plan.fields.size());
    std::iota(all.begin(), all.end(), 0);
    const QString values = plan.isNamed ? QString() : settingsText(plan, trial, all);
    return values.isEmpty() ? qs(plan.trials[trial].name) : values;
}

QString outcomeText(const SweepTrial& trial) {
    const QString word = trial.status == TrialStatus::Infeasible ? say(QT_TRANSLATE_NOOP("SweepData", "Out of memory"))
                                                                 : statusText(wordOf(trial.status));
    return trial.reason.empty() ? word : word + QStringLiteral(": ") + recordedWords(trial.reason);
}

QString stageText(SweepStage stage) {
    switch (stage) {
        case SweepStage::Running: return say(QT_TRANSLATE_NOOP("SweepData", "Running"));
        case SweepStage::Pausing: return say(QT_TRANSLATE_NOOP("SweepData", "Pausing"));
        case SweepStage::Stopping: return say(QT_TRANSLATE_NOOP("SweepData", "Stopping"));
        case SweepStage::Paused: return say(QT_TRANSLATE_NOOP("SweepData", "Paused"));
        case SweepStage::Interrupted: return say(QT_TRANSLATE_NOOP("SweepData", "Interrupted"));
        case SweepStage::Completed: return say(QT_TRANSLATE_NOOP("SweepData", "Completed"));
        case SweepStage::Failed: return say(QT_TRANSLATE_NOOP("SweepData", "Completed with failures"));
    }
    return {};
}

}  // namespace slipway::gui
