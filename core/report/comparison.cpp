// The comparison table: forecast and measurement side by side, one row per trial.
#include "core/base/units.h"
#include "core/metrics/forecast_label.h"
#include "core/metrics/mfu_rule.h"
#include "core/report/build_report.h"
#include "core/report/figures.h"

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

Cell numberCell(const std::optional<double>& value, NumberFormat format, const TrialResult& trial, bool isMeasured) {
    if (value) return {format(*value), *value, std::isfinite(*value) ? Tone::Plain : Tone::Bad};
    // look.md 4: n/a cannot exist, a dash is not known (yet).
    const bool cannotExist =
        isMeasured && (trial.status == TrialStatus::Skipped || trial.status == TrialStatus::Failed ||
                       trial.status == TrialStatus::Infeasible);
    return {cannotExist ? "n/a" : "–", {}, Tone::Quiet};
}

std::string seconds(double value) {
    return formatSeconds(value);
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
            if (figures->mfu && !figures->mfuRule.empty()) return titleWithRule("MFU", figures->mfuRule);
    return "MFU";
}

}  // namespace

Table comparisonTable(const std::vector<TrialResult>& trials) {
    Table table;
    const std::string mfu = ruleOf(trials);
    const std::string common = commonLabel(trials);
    table.columns = {{"Trial", "trial", "", false, ""},
                     {"Status", "status", "", false, ""},
                     {"measured", "step_seconds", "Step time", true, ""},
                     {"forecast", "forecast_step_seconds", "Step time", true, "", false, common},
                     {"measured", "tokens_per_second", "Tokens/s", true, ""},
                     {"forecast", "forecast_tokens_per_second", "Tokens/s", true, "", false, common},
                     {"Samples/s", "samples_per_second", "", true, ""},
                     {"measured", "mfu", mfu, true, ""},
                     {"forecast", "forecast_mfu", mfu, true, "", false, common},
                     {"measured", "memory_peak_bytes", "Memory, worst rank", true, ""},
                     {"forecast", "forecast_memory_peak_bytes", "Memory, worst rank", true, "", false, common},
                     {"observed", "bubble_fraction", "Pipeline bubble", true, ""},
                     {"simulated", "forecast_bubble_simulated", "Pipeline bubble", true, "", false, common},
                     {"theory", "forecast_bubble_theoretical", "Pipeline bubble", true, "", false, common},
                     {"sent", "comm_bytes", "Communication", true, ""},
                     {"time", "comm_seconds", "Communication", true, ""},
                     {"Final loss", "final_loss", "", true, ""}};
    // Most runs hold nothing out; an empty column would only take room.
    const bool heldOut = std::any_of(trials.begin(), trials.end(),
                                     [](const TrialResult& trial) { return trial.measured.finalEvalLoss.has_value(); });
    if (heldOut) table.columns.push_back({"Held-out loss", "final_eval_loss", "", true, ""});
    table.columns.push_back({"Perplexity", "perplexity", "", true, ""});
    table.columns.push_back({"Forecasts rest on", "forecast_label", "", false, "", true});
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
            cell.note = common.empty() ? label : "";
            if (!interval.empty()) cell.note += (cell.note.empty() ? "" : ", ") + interval;
            return cell;
        };
        const auto forecast = [&](Member member, NumberFormat format) {
            const auto ends = forecastInterval(trial, member);
            return labelled(numberCell(f.*member, format, trial, false),
                            ends ? format(ends->first) + " – " + format(ends->second) : std::string());
        };
        // A bubble belongs to a pipeline: for others it cannot exist, however it may have been reported.
        const bool isPipeline = trial.config.parallel.pp > 1;
        const auto bubble = [&](const std::optional<double>& value, bool isMeasured) {
            if (!isPipeline) return Cell{"n/a", {}, Tone::Quiet};
            const Cell cell = numberCell(value, percent, trial, isMeasured);
            return isMeasured ? cell : labelled(cell, {});
        };
        table.rows.push_back({{trial.name, {}, Tone::Plain},
                              {wordOf(trial.status), {}, toneOf(trial.status)},
                              measured(m.stepSeconds, seconds),
                              forecast(&RunFigures::stepSeconds, seconds),
                              measured(m.tokensPerSecond, count),
                              forecast(&RunFigures::tokensPerSecond, count),
                              measured(samplesPerSecond(m, trial.config.train.seqLen), samples),
                              measured(m.mfu, percent),
                              forecast(&RunFigures::mfu, percent),
                              measured(m.memoryPeakBytes, bytes),
                              forecast(&RunFigures::memoryPeakBytes, bytes),
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
        for (const auto& [member, format] : {std::pair{Member(&RunFigures::stepSeconds), NumberFormat(seconds)},
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
