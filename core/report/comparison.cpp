// The comparison table: forecast and measurement side by side, one row per trial.
#include "core/base/units.h"
#include "core/report/build_report.h"

#include <cmath>

namespace slipway {
namespace {

Cell numberCell(const std::optional<double>& value, NumberFormat format, const TrialResult& trial, bool isMeasured) {
    if (value) return {format(*value), *value, std::isfinite(*value) ? Tone::Plain : Tone::Bad};
    // look.md 4: n/a cannot exist, a dash is not known (yet).
    const bool cannotExist =
        isMeasured && (trial.status == TrialStatus::Skipped || trial.status == TrialStatus::Failed);
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
        case TrialStatus::Lost: return Tone::Warn;
        default: return Tone::Quiet;
    }
}

std::string ruleOf(const std::vector<TrialResult>& trials) {
    for (const TrialResult& trial : trials)
        for (const RunFigures* figures : {&trial.measured, &trial.forecast})
            if (figures->mfu && !figures->mfuRule.empty()) return "MFU (" + figures->mfuRule + ")";
    return "MFU";
}

}  // namespace

Table comparisonTable(const std::vector<TrialResult>& trials) {
    Table table;
    const std::string mfu = ruleOf(trials);
    table.columns = {{"Trial", "trial", "", false, ""},
                     {"Status", "status", "", false, ""},
                     {"measured", "step_seconds", "Step time", true, ""},
                     {"forecast", "forecast_step_seconds", "Step time", true, ""},
                     {"measured", "tokens_per_second", "Tokens/s", true, ""},
                     {"forecast", "forecast_tokens_per_second", "Tokens/s", true, ""},
                     {"measured", "mfu", mfu, true, ""},
                     {"forecast", "forecast_mfu", mfu, true, ""},
                     {"measured", "memory_peak_bytes", "Memory, worst rank", true, ""},
                     {"forecast", "forecast_memory_peak_bytes", "Memory, worst rank", true, ""},
                     {"observed", "bubble_fraction", "Pipeline bubble", true, ""},
                     {"simulated", "forecast_bubble_simulated", "Pipeline bubble", true, ""},
                     {"theory", "forecast_bubble_theoretical", "Pipeline bubble", true, ""},
                     {"sent", "comm_bytes", "Communication", true, ""},
                     {"time", "comm_seconds", "Communication", true, ""},
                     {"Final loss", "final_loss", "", true, ""}};
    for (const TrialResult& trial : trials) {
        const RunFigures& m = trial.measured;
        const RunFigures& f = trial.forecast;
        const auto measured = [&](const std::optional<double>& value, NumberFormat format) {
            return numberCell(value, format, trial, true);
        };
        const auto forecast = [&](const std::optional<double>& value, NumberFormat format) {
            return numberCell(value, format, trial, false);
        };
        // A bubble belongs to a pipeline: for others it cannot exist, however it may have been reported.
        const bool isPipeline = trial.config.parallel.pp > 1;
        const auto bubble = [&](const std::optional<double>& value, bool isMeasured) {
            return isPipeline ? numberCell(value, percent, trial, isMeasured) : Cell{"n/a", {}, Tone::Quiet};
        };
        table.rows.push_back({{trial.name, {}, Tone::Plain},
                              {wordOf(trial.status), {}, toneOf(trial.status)},
                              measured(m.stepSeconds, seconds),
                              forecast(f.stepSeconds, seconds),
                              measured(m.tokensPerSecond, count),
                              forecast(f.tokensPerSecond, count),
                              measured(m.mfu, percent),
                              forecast(f.mfu, percent),
                              measured(m.memoryPeakBytes, bytes),
                              forecast(f.memoryPeakBytes, bytes),
                              bubble(m.bubbleFraction, true),
                              bubble(f.bubbleSimulated, false),
                              bubble(f.bubbleTheoretical, false),
                              measured(m.commBytes, bytes),
                              measured(m.commSeconds, seconds),
                              measured(m.finalLoss, loss)});
    }
    shareUnits(table);
    return table;
}

}  // namespace slipway
