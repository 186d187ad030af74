// The comparison table: forecast and measurement side by side, one row per run.
#include "core/base/message.h"
#include "core/base/units.h"
#include "core/metrics/forecast_label.h"
#include "core/report/build_report.h"
#include "core/report/figures.h"
#include "core/report/words.h"

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

Cell numberCell(const std::optional<double>& value, NumberFormat format, const TrialResult& trial, bool isMeasured) {
    if (value) return {format(*value), *value, std::isfinite(*value) ? Tone::Plain : Tone::Bad};
    // look.md 4: n/a cannot exist, a dash is unknown (yet).
    const bool cannotExist =
        isMeasured && (trial.status == TrialStatus::Skipped || trial.status == TrialStatus::Failed ||
                       trial.status == TrialStatus::Infeasible);
    return {cannotExist ? "n/a" : "–", {}, Tone::Quiet};
}

/// Forecast against measurement: +5.0 %: the forecast is too high.
Cell differenceCell(const TrialResult& trial, Member member) {
    const auto& forecast = trial.forecast.*member;
    const auto& measured = trial.measured.*member;
    if (!forecast || !measured || !(*measured > 0) || !std::isfinite(*forecast)) return {"–", {}, Tone::Quiet};
    const double error = *forecast / *measured - 1;
    return {(error > 0 ? "+" : "") + formatPercent(error), error, std::fabs(error) > 0.2 ? Tone::Warn : Tone::Plain};
}

std::string bytes(double value) {
    return formatBytes(value);
}
std::string count(double value) {
    return formatCount(std::round(value));
}
std::string samples(double value) {
    return formatSignificant(value, 4);
}
std::string percent(double value) {
    return formatPercent(value);
}
std::string loss(double value) {
    return formatFixed(value, 3);
}

Tone toneOf(TrialStatus status) {
    switch (status) {
        case TrialStatus::Completed: return Tone::Good;
        case TrialStatus::Failed: return Tone::Bad;
        case TrialStatus::Lost:
        case TrialStatus::Infeasible: return Tone::Warn;
        default: return Tone::Quiet;
    }
}

std::string ruleOf(const std::vector<TrialResult>& trials) {
    for (const TrialResult& trial : trials)
        for (const RunFigures* figures : {&trial.measured, &trial.forecast})
            if (figures->mfu && !figures->mfuRule.empty()) return figures->mfuRule;
    return {};
}

}  // namespace

Table comparisonTable(const std::vector<TrialResult>& trials, Language language) {
    const auto say = [&](const Message& message) { return textOf(message, language); };
    const NumberFormat seconds = secondsFormat(language);
    Table table;
    const std::string mfu = mfuTitle(ruleOf(trials), language);
    const std::string common = labelText(commonLabel(trials), language);
    const std::string measuredWord = say("measured"_text), forecastWord = say("forecast"_text),
                      differenceWord = say("difference"_text), step = say("Step time"_text),
                      tokens = say("Tokens/s"_text), memory = say("Memory, worst rank"_text),
                      bubbles = say("Pipeline bubble"_text), communication = say("Communication"_text);
    table.columns = {{say("Trial"_text), "trial", "", false, ""},
                     {say("Status"_text), "status", "", false, ""},
                     {measuredWord, "step_seconds", step, true, ""},
                     {forecastWord, "forecast_step_seconds", step, true, "", false, common},
                     {differenceWord, "forecast_step_seconds_error", step, true, ""},
                     {measuredWord, "tokens_per_second", tokens, true, ""},
                     {forecastWord, "forecast_tokens_per_second", tokens, true, "", false, common},
                     {say("Samples/s"_text), "samples_per_second", "", true, ""},
                     {measuredWord, "mfu", mfu, true, ""},
                     {forecastWord, "forecast_mfu", mfu, true, "", false, common},
                     {measuredWord, "memory_peak_bytes", memory, true, ""},
                     {forecastWord, "forecast_memory_peak_bytes", memory, true, "", false, common},
                     {differenceWord, "forecast_memory_peak_bytes_error", memory, true, ""},
                     {say("observed"_text), "bubble_fraction", bubbles, true, ""},
                     {say("simulated"_text), "forecast_bubble_simulated", bubbles, true, "", false, common},
                     {say("theory"_text), "forecast_bubble_theoretical", bubbles, true, "", false, common},
                     {say("sent"_text), "comm_bytes", communication, true, ""},
                     {say("time"_text), "comm_seconds", communication, true, ""},
                     {say("Final loss"_text), "final_loss", "", true, ""}};
    // Most runs have no held-out data; an empty column would only take space.
    const bool heldOut = std::any_of(trials.begin(), trials.end(),
                                     [](const TrialResult& trial) { return trial.measured.finalEvalLoss.has_value(); });
    if (heldOut) table.columns.push_back({say("Held-out loss"_text), "final_eval_loss", "", true, ""});
    table.columns.push_back({say("Perplexity"_text), "perplexity", "", true, ""});
    table.columns.push_back({"Basis of forecasts", "forecast_label", "", false, "", true});
    for (const auto& [name, title] :
         {std::pair{"step_seconds", "Step time"}, std::pair{"tokens_per_second", "Tokens/s"}, std::pair{"mfu", "MFU"},
          std::pair{"memory_peak_bytes", "Memory"}})
        for (const char* end : {"low", "high"})
            table.columns.push_back(
                {end, std::string("forecast_") + name + "_" + end, std::string(title) + ", interval", true, "", true});
    for (const TrialResult& trial : trials) {
        const RunFigures& m = trial.measured;
        const RunFigures& f = trial.forecast;
        const auto measured = [&](const std::optional<double>& value, NumberFormat format) {
            return numberCell(value, format, trial, true);
        };
        const std::string label = forecastLabel(trial.forecastJson);
        const auto labelled = [&](Cell cell, const std::string& interval) {
            if (!cell.number) return cell;
            cell.note = common.empty() ? labelText(label, language) : "";
            if (!interval.empty()) cell.note += (cell.note.empty() ? "" : ", ") + interval;
            return cell;
        };
        const auto forecast = [&](Member member, NumberFormat format) {
            const auto ends = forecastInterval(trial, member);
            return labelled(numberCell(f.*member, format, trial, false),
                            ends ? format(ends->first) + " – " + format(ends->second) : std::string());
        };
        // A bubble belongs to a pipeline: for others it cannot exist, even if reported.
        const bool isPipeline = trial.config.parallel.pp > 1 || !trial.knows("parallel.pp");
        const auto bubble = [&](const std::optional<double>& value, bool isMeasured) {
            if (!isPipeline) return Cell{"n/a", {}, Tone::Quiet};
            const Cell cell = numberCell(value, percent, trial, isMeasured);
            return isMeasured ? cell : labelled(cell, {});
        };
        table.rows.push_back({{trial.name, {}, Tone::Plain},
                              {textOf(statusText(trial.status), language), {}, toneOf(trial.status)},
                              measured(m.stepSeconds, seconds),
                              forecast(&RunFigures::stepSeconds, seconds),
                              differenceCell(trial, &RunFigures::stepSeconds),
                              measured(m.tokensPerSecond, count),
                              forecast(&RunFigures::tokensPerSecond, count),
                              measured(samplesPerSecond(m, trial.knownSeqLen()), samples),
                              measured(m.mfu, percent),
                              forecast(&RunFigures::mfu, percent),
                              measured(m.memoryPeakBytes, bytes),
                              forecast(&RunFigures::memoryPeakBytes, bytes),
                              differenceCell(trial, &RunFigures::memoryPeakBytes),
                              bubble(m.bubbleFraction, true),
                              bubble(f.bubbleSimulated, false),
                              bubble(f.bubbleTheoretical, false),
                              measured(m.commBytes, bytes),
                              measured(m.commSeconds, seconds),
                              measured(m.finalLoss, loss)});
        std::vector<Cell>& row = table.rows.back();
        if (heldOut) row.push_back(measured(m.finalEvalLoss, loss));
        row.push_back(measured(finalPerplexity(m), formatPerplexity));
        row.push_back({label.empty() ? "–" : label, {}, Tone::Plain});
        for (const auto& [member, format] : {std::pair{Member(&RunFigures::stepSeconds), seconds},
                                             std::pair{Member(&RunFigures::tokensPerSecond), NumberFormat(count)},
                                             std::pair{Member(&RunFigures::mfu), NumberFormat(percent)},
                                             std::pair{Member(&RunFigures::memoryPeakBytes), NumberFormat(bytes)}}) {
            const auto ends = forecastInterval(trial, member);
            row.push_back(numberCell(ends ? std::optional(ends->first) : std::nullopt, format, trial, false));
            row.push_back(numberCell(ends ? std::optional(ends->second) : std::nullopt, format, trial, false));
        }
    }
    shareUnits(table);
    return table;
}

}  // namespace slipway
