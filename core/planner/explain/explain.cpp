#include "core/planner/explain/explain.h"

#include "core/base/json.h"
#include "core/base/units.h"
#include "core/planner/explain/explain_parts.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace slipway {

namespace {

struct Entry {
    std::string_view figure;
    Explanation (*build)(const Plan& plan);
};

constexpr std::array kEntries = {
    Entry{"step_seconds", explainStep},
    Entry{"tokens_per_second", explainTokensPerSecond},
    Entry{"tokens_per_second_per_device", explainTokensPerSecondPerDevice},
    Entry{"mfu", explainMfu},
    Entry{"flops_per_token", explainFlopsPerToken},
    Entry{"memory_peak_bytes", explainMemory},
    Entry{"bubble_theoretical", explainBubbleTheoretical},
    Entry{"bubble_simulated", explainBubbleSimulated},
    Entry{"comm_bytes", explainCommBytes},
    Entry{"training_seconds", explainTrainingSeconds},
    Entry{"device_hours", explainDeviceHours},
    Entry{"money", explainMoney},
    Entry{"memory.weight_bytes", explainWeightBytes},
    Entry{"memory.gradient_bytes", explainGradientBytes},
    Entry{"memory.optimizer_bytes", explainOptimizerBytes},
    Entry{"memory.activation_bytes", explainActivationBytes},
    Entry{"memory.logits_bytes", explainLogitsBytes},
    Entry{"host_memory.total_bytes", explainHostMemory},
    Entry{"host_memory.staging_bytes", explainStagingBytes},
    Entry{"host_memory.optimizer_bytes", explainHostOptimizerBytes},
    Entry{"host_memory.activation_bytes", explainHostActivationBytes},
    Entry{"step.compute_seconds", explainComputeSeconds},
    Entry{"step.graph_saved_seconds", explainGraphSavedSeconds},
    Entry{"memory.graph_bytes", explainGraphBytes},
    Entry{"step.tp_exposed_seconds", explainTpSeconds},
    Entry{"step.bubble_seconds", explainBubbleSeconds},
    Entry{"step.dp_exposed_seconds", explainDpSeconds},
};

/// Figures in proportion (or in inverse proportion) to the step time have its relative interval.
std::optional<std::pair<double, double>> intervalOfStep(std::string_view figure, double value, const StepEstimate& step) {
    const double low = step.stepSecondsLow / step.stepSeconds, high = step.stepSecondsHigh / step.stepSeconds;
    if (figure == "training_seconds" || figure == "device_hours" || figure == "money")
        return {{value * low, value * high}};
    if (figure == "tokens_per_second" || figure == "tokens_per_second_per_device" || figure == "mfu")
        return {{value / high, value / low}};
    return {};
}

}  // namespace

std::string textOf(const ExplainedNumber& number) {
    const double v = number.value;
    if (std::isnan(v)) return "unknown";
    if (number.unit == "s") return formatSeconds(v);
    if (number.unit == "B") return formatBytes(v);
    if (number.unit == "B/s") return formatBandwidth(v);
    if (number.unit == "FLOP/s") return formatFlops(v);
    const std::string text = v == std::floor(v) && std::fabs(v) < 1e6 ? formatCount(v)
                             : std::fabs(v) < 1e6                     ? formatSignificant(v, 4)
                                                                      : formatShort(v);
    return number.unit.empty() ? text : text + " " + number.unit;
}

const std::vector<std::string_view>& explainedFigures() {
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> out;
        for (const Entry& entry : kEntries) out.push_back(entry.figure);
        return out;
    }();
    return names;
}

Result<Explanation> explain(const Plan& plan, std::string_view figure) {
    const auto entry = std::find_if(kEntries.begin(), kEntries.end(), [&](const Entry& e) { return e.figure == figure; });
    if (entry == kEntries.end()) {
        std::vector<std::string> names(explainedFigures().begin(), explainedFigures().end());
        const std::string nearest = nearestKey(figure, names);
        return fail("unknown_figure",
                    "No figure is called " + std::string(figure) +
                        (nearest.empty() ? "." : "; did you mean " + nearest + "?"),
                    std::string(figure));
    }
    if (plan.memory.empty())
        return fail("no_plan", "The config has errors, so there is nothing to explain; mend them first.",
                    std::string(figure));
    Explanation explanation = entry->build(plan);
    explanation.figure.name = std::string(figure);
    if (!explanation.interval) explanation.interval = intervalOfStep(figure, explanation.figure.value, plan.step);
    if (explanation.interval && std::isnan(explanation.interval->first)) explanation.interval.reset();
    return explanation;
}

}  // namespace slipway
