#include "core/playbook/standing.h"

#include "core/planner/advice/lint.h"
#include "core/planner/plan.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

double medianOf(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

bool isOf(const Json& record, const std::string& experiment) {
    return record.contains("experiment") && record["experiment"] == experiment;
}

std::string hostOf(const Json& record) {
    return record.contains("host") && record["host"].is_string() ? record["host"].get<std::string>() : std::string();
}

Json recordFor(const std::vector<Json>& records, const std::string& experiment, const std::string& here) {
    const Json* record = ownRecord(records, experiment, here);
    return record == nullptr ? Json(nullptr) : *record;
}

ClaimState stateOf(Verdict verdict) {
    switch (verdict) {
        case Verdict::Agrees: return ClaimState::Confirmed;
        case Verdict::Differs: return ClaimState::Contradicted;
        case Verdict::Inconclusive: return ClaimState::Undecided;
        case Verdict::NotRun: break;
    }
    return ClaimState::Untested;
}

void summarise(GuessCalibration& all) {
    std::vector<double> errors;
    std::vector<std::pair<const Chapter*, std::vector<double>>> byChapter;
    for (const GuessRow& row : all.rows) {
        if (!row.score) continue;
        ++all.answered;
        all.right += row.score->isRight ? 1 : 0;
        errors.push_back(std::fabs(row.score->relativeError));
        if (byChapter.empty() || byChapter.back().first != row.chapter) byChapter.push_back({row.chapter, {}});
        byChapter.back().second.push_back(errors.back());
    }
    if (!errors.empty()) all.medianError = medianOf(errors);
    for (const auto& [chapter, found] : byChapter) all.chapters.push_back({chapter, found.size(), medianOf(found)});
    std::stable_sort(
        all.chapters.begin(), all.chapters.end(),
        [](const ChapterCalibration& a, const ChapterCalibration& b) { return a.medianError > b.medianError; });
}

}  // namespace

const Json* ownRecord(const std::vector<Json>& records, const std::string& experiment, const std::string& here) {
    for (auto it = records.rbegin(); it != records.rend(); ++it)
        if (isOf(*it, experiment) && hostOf(*it) == here) return &*it;
    return nullptr;
}

std::vector<const Json*> theirRecords(const std::vector<Json>& records, const std::string& experiment,
                                      const std::string& here) {
    std::vector<const Json*> theirs;
    for (const Json& record : records) {
        if (!isOf(record, experiment) || hostOf(record) == here) continue;
        const auto same =
            std::find_if(theirs.begin(), theirs.end(), [&](const Json* one) { return hostOf(*one) == hostOf(record); });
        if (same == theirs.end())
            theirs.push_back(&record);
        else
            *same = &record;
    }
    return theirs;
}

Message hardwareOf(const Circumstances& at) {
    return at.processor.empty() ? "%1, %2 CPUs"_text(at.host, at.cpus)
                                : "%1, %2, %3 CPUs"_text(at.host, at.processor, at.cpus);
}

Circumstances circumstancesOf(const Json& record) {
    Circumstances at;
    const auto numberAt = [&](const char* key, double fallback) {
        return record.contains(key) && record[key].is_number() ? record[key].get<double>() : fallback;
    };
    const auto textAt = [&](const char* key) {
        return record.contains(key) && record[key].is_string() ? record[key].get<std::string>() : std::string();
    };
    at.unixMilliseconds = static_cast<std::int64_t>(numberAt("unix_ms", 0));
    at.host = textAt("host");
    at.processor = textAt("processor");
    at.version = textAt("version");
    at.sweepId = textAt("sweep_id");
    at.cpus = static_cast<std::int64_t>(numberAt("cpus", 0));
    at.load = numberAt("load", 0);
    at.isShort = record.contains("short") && record["short"] == true;
    return at;
}

ExperimentStanding standingOf(const Experiment& experiment, const Json& record, const Guess* guess) {
    ExperimentStanding out;
    out.guess = guess;
    if (record.is_object()) out.at = circumstancesOf(record);
    out.claims = evaluateClaims(experiment, measurementsOf(record),
                                out.at && out.at->cpus > 0 && wasBusy(out.at->load, out.at->cpus));
    out.answer = answerOf(experiment.guess);
    std::vector<Judgement> judgements;
    for (const ClaimResult& result : out.claims) {
        judgements.push_back(result.judgement);
        if (result.claim->id == experiment.guess.claim && result.judgement.repeats > 0)
            out.answer = result.judgement.measured * experiment.guess.scale;
    }
    out.verdict = worstOf(judgements);
    if (experiment.claims.empty())
        for (const Check& check : experiment.computes) {
            out.computes.push_back(runCheck(check));
            if (out.computes.back().verdict == CheckVerdict::Fails)
                out.verdict = Verdict::Differs;
            else if (out.verdict == Verdict::NotRun && experiment.need == ExperimentNeed::Plan)
                out.verdict = Verdict::Agrees;
        }
    if (guess != nullptr && out.answer) out.score = scoreOf(experiment.guess, guess->value, *out.answer);
    return out;
}

namespace {

void addForecasts(const Playbook& playbook, const std::vector<Json>& records, const std::string& here,
                  GuessCalibration& all) {
    std::vector<double> errors;
    for (const Experiment& experiment : playbook.experiments) {
        const Json* record = ownRecord(records, experiment.id, here);
        if (record == nullptr) continue;
        for (const ClaimResult& result : standingOf(experiment, *record, nullptr).claims) {
            const auto error = result.forecastError();
            if (!error || result.wasBusy) continue;
            all.forecasts.push_back({&experiment, result.claim, *result.forecast, result.judgement.measured, *error});
            errors.push_back(std::fabs(*error));
        }
    }
    if (!errors.empty()) all.medianForecastError = medianOf(errors);
}

}  // namespace

std::string GuessRow::subject() const {
    return experiment != nullptr ? experiment->id : exercise != nullptr ? chapter->subjectOf(*exercise) : chapter->id;
}

const LocalText& GuessRow::title() const {
    return experiment != nullptr ? experiment->title : exercise != nullptr ? exercise->title : chapter->title;
}

GuessCalibration guessCalibrationOf(const Playbook& playbook, const std::vector<Guess>& guesses,
                                    const std::vector<Json>& records, const std::string& here) {
    GuessCalibration all;
    for (const Chapter& chapter : playbook.chapters) {
        if (const Guess* guess = firstGuess(guesses, chapter.id)) {
            GuessRow row{&chapter, nullptr, nullptr, guess->value, answerOf(chapter.guess), {}};
            if (row.answer) row.score = scoreOf(chapter.guess, guess->value, *row.answer);
            all.rows.push_back(row);
        }
        for (const Exercise& exercise : chapter.exercises) {
            const Guess* guess = firstGuess(guesses, chapter.subjectOf(exercise));
            if (guess == nullptr) continue;
            GuessRow row{&chapter, nullptr, &exercise, guess->value, answerOf(exercise.guess), {}};
            if (row.answer) row.score = scoreOf(exercise.guess, guess->value, *row.answer);
            all.rows.push_back(row);
        }
        for (const std::string& id : chapter.experiments) {
            const Experiment* experiment = playbook.experiment(id);
            const Guess* guess = firstGuess(guesses, id);
            if (experiment == nullptr || guess == nullptr) continue;
            const bool isElsewhere = experiment->chapter != chapter.id;  // listed by several chapters, counted once
            if (isElsewhere && playbook.chapter(experiment->chapter) != nullptr) continue;
            const ExperimentStanding standing = standingOf(*experiment, recordFor(records, id, here), guess);
            all.rows.push_back({&chapter, experiment, nullptr, guess->value, standing.answer, standing.score});
        }
    }
    addForecasts(playbook, records, here, all);
    summarise(all);
    return all;
}

std::string_view wordOf(ClaimState state) {
    switch (state) {
        case ClaimState::Confirmed: return "confirmed";
        case ClaimState::Contradicted: return "contradicted";
        case ClaimState::Undecided: return "undecided";
        case ClaimState::Untested: break;
    }
    return "untested";
}

SourceText textOf(ClaimState state) {
    switch (state) {
        case ClaimState::Confirmed: return "confirmed"_text;
        case ClaimState::Contradicted: return "contradicted"_text;
        case ClaimState::Undecided: return "undecided"_text;
        case ClaimState::Untested: break;
    }
    return "untested"_text;
}

std::vector<ClaimRow> claimsOf(const Playbook& playbook, const std::vector<Json>& records, const std::string& here) {
    std::vector<ClaimRow> rows;
    for (const Experiment& experiment : playbook.experiments) {
        const ExperimentStanding standing = standingOf(experiment, recordFor(records, experiment.id, here), nullptr);
        if (experiment.claims.empty())
            rows.push_back({&experiment, nullptr, stateOf(standing.verdict), {}, standing.at});
        for (const ClaimResult& result : standing.claims) {
            const bool isMeasured = result.judgement.repeats > 0;
            rows.push_back({&experiment, result.claim, stateOf(result.judgement.verdict),
                            isMeasured ? std::optional(result.judgement.measured) : std::nullopt, standing.at});
        }
    }
    return rows;
}

std::vector<std::string> brokenRules(const RunConfig& config, const ClusterSpec& cluster) {
    std::vector<std::string> codes;
    for (const Issues& found : {makePlan(config, cluster).issues, lint(runScriptOf(config, cluster))})
        for (const Issue& issue : found)
            if (issue.severity != Severity::Info) codes.push_back(issue.code);
    return codes;
}

std::vector<const Trap*> trapsHit(const Chapter& chapter, const std::vector<std::string>& broken) {
    std::vector<const Trap*> hit;
    for (const Trap& trap : chapter.traps)
        if (!trap.rule.empty() && std::find(broken.begin(), broken.end(), trap.rule) != broken.end())
            hit.push_back(&trap);
    return hit;
}

}  // namespace slipway
