#include "core/planner/explain/explain.h"

#include "core/base/json.h"
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
    Entry{"mfu", [](const Plan& p) { return explainMfu(p, FlopsRule::C); }},
    Entry{"hfu", [](const Plan& p) { return explainHfu(p, FlopsRule::C); }},
    Entry{"flops_per_token", [](const Plan& p) { return explainFlopsPerToken(p, FlopsRule::C); }},
    Entry{"hardware_flops_per_token", [](const Plan& p) { return explainHardwareFlops(p, FlopsRule::C); }},
    Entry{"mfu_a", [](const Plan& p) { return explainMfu(p, FlopsRule::A); }},
    Entry{"mfu_b", [](const Plan& p) { return explainMfu(p, FlopsRule::B); }},
    Entry{"mfu_d", [](const Plan& p) { return explainMfu(p, FlopsRule::D); }},
    Entry{"hfu_a", [](const Plan& p) { return explainHfu(p, FlopsRule::A); }},
    Entry{"hfu_b", [](const Plan& p) { return explainHfu(p, FlopsRule::B); }},
    Entry{"hfu_d", [](const Plan& p) { return explainHfu(p, FlopsRule::D); }},
    Entry{"flops_per_token_a", [](const Plan& p) { return explainFlopsPerToken(p, FlopsRule::A); }},
    Entry{"flops_per_token_b", [](const Plan& p) { return explainFlopsPerToken(p, FlopsRule::B); }},
    Entry{"flops_per_token_d", [](const Plan& p) { return explainFlopsPerToken(p, FlopsRule::D); }},
    Entry{"hardware_flops_per_token_a", [](const Plan& p) { return explainHardwareFlops(p, FlopsRule::A); }},
    Entry{"hardware_flops_per_token_b", [](const Plan& p) { return explainHardwareFlops(p, FlopsRule::B); }},
    Entry{"hardware_flops_per_token_d", [](const Plan& p) { return explainHardwareFlops(p, FlopsRule::D); }},
    Entry{"memory_peak_bytes", explainMemory},
    Entry{"memory_capacity_bytes", explainCapacity},
    Entry{"bubble_theoretical", explainBubbleTheoretical},
    Entry{"bubble_simulated", explainBubbleSimulated},
    Entry{"bubble_fraction", explainBubbleSimulated},
    Entry{"comm_bytes", explainCommBytes},
    Entry{"comm_seconds", explainCommSeconds},
    Entry{"training_seconds", explainTrainingSeconds},
    Entry{"device_hours", explainDeviceHours},
    Entry{"money", explainMoney},
    Entry{"memory.weight_bytes", explainWeightBytes},
    Entry{"memory.gradient_bytes", explainGradientBytes},
    Entry{"memory.optimizer_bytes", explainOptimizerBytes},
    Entry{"memory.activation_bytes", explainActivationBytes},
    Entry{"memory.logits_bytes", explainLogitsBytes},
    Entry{"memory.buffer_bytes", explainBufferBytes},
    Entry{"memory.reserve_bytes", explainReserveBytes},
    Entry{"memory.total_bytes", explainMemory},
    Entry{"host_memory.total_bytes", explainHostMemory},
    Entry{"host_memory.staging_bytes", explainStagingBytes},
    Entry{"host_memory.optimizer_bytes", explainHostOptimizerBytes},
    Entry{"host_memory.activation_bytes", explainHostActivationBytes},
    Entry{"host_memory.node_bytes", explainNodeHostBytes},
    Entry{"host_memory.node_tensor_bytes", explainNodeTensorBytes},
    Entry{"host_memory.node_capacity_bytes", explainNodeCapacity},
    Entry{"step.compute_seconds", explainComputeSeconds},
    Entry{"step.graph_saved_seconds", explainGraphSavedSeconds},
    Entry{"memory.graph_bytes", explainGraphBytes},
    Entry{"step.tp_exposed_seconds", explainTpSeconds},
    Entry{"step.cp_exposed_seconds", explainCpSeconds},
    Entry{"step.ep_exposed_seconds", explainEpSeconds},
    Entry{"step.pp_exposed_seconds", explainPpSeconds},
    Entry{"step.bubble_seconds", explainBubbleSeconds},
    Entry{"step.dp_exposed_seconds", explainDpSeconds},
    Entry{"step.optimizer_seconds", explainOptimizerSeconds},
    Entry{"step.fixed_seconds", explainFixedSeconds},
    Entry{"parameters", explainParameters},
    Entry{"parameters.total", explainParameters},
    Entry{"parameters.embedding", explainEmbeddingParameters},
    Entry{"parameters.attention", explainAttentionParameters},
    Entry{"parameters.ffn", explainFfnParameters},
    Entry{"parameters.norm", explainNormParameters},
    Entry{"parameters.head", explainHeadParameters},
    Entry{"parameters.router", explainRouterParameters},
    Entry{"parameters.active", explainActiveParameters},
    Entry{"parameters.matmul", explainMatmulParameters},
    Entry{"checkpoint_bytes", explainCheckpointBytes},
};

/// Figures in proportion (or in inverse proportion) to the step time have its relative interval.
std::optional<std::pair<double, double>> intervalOfStep(std::string_view figure, double value,
                                                        const StepEstimate& step) {
    const double low = step.stepSecondsLow / step.stepSeconds, high = step.stepSecondsHigh / step.stepSeconds;
    if (figure == "training_seconds" || figure == "device_hours" || figure == "money")
        return {{value * low, value * high}};
    if (figure == "tokens_per_second" || figure == "tokens_per_second_per_device" || figure.starts_with("mfu") ||
        figure.starts_with("hfu"))
        return {{value / high, value / low}};
    return {};
}

}  // namespace

const std::vector<std::string_view>& explainedFigures() {
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> out;
        for (const Entry& entry : kEntries) out.push_back(entry.figure);
        return out;
    }();
    return names;
}

Result<Explanation> explain(const Plan& plan, std::string_view figure) {
    const auto entry =
        std::find_if(kEntries.begin(), kEntries.end(), [&](const Entry& e) { return e.figure == figure; });
    if (entry == kEntries.end()) {
        std::vector<std::string> names(explainedFigures().begin(), explainedFigures().end());
        const std::string nearest = nearestKey(figure, names);
        return fail("unknown_figure", "There is no figure %1%2"_text(figure, didYouMean(nearest)), std::string(figure));
    }
    if (plan.memory.empty()) return fail("no_plan", "The config has errors; fix them first."_text, std::string(figure));
    Explanation explanation = entry->build(plan);
    explanation.figure.name = std::string(figure);
    if (!explanation.interval) explanation.interval = intervalOfStep(figure, explanation.figure.value, plan.step);
    if (explanation.interval && std::isnan(explanation.interval->first)) explanation.interval.reset();
    return explanation;
}

}  // namespace slipway
