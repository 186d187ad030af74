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
    Explanation (*build)(Ledger& ledger);
};

/// For figures without an account.
template <Explanation (*Build)(const Plan&)>
Explanation ofPlan(Ledger& ledger) {
    return Build(ledger.plan());
}
template <Explanation (*Build)(const Plan&, FlopsRule), FlopsRule kRule>
Explanation byRule(Ledger& ledger) {
    return Build(ledger.plan(), kRule);
}

constexpr std::array kEntries = {
    Entry{"step_seconds", explainStep},
    Entry{"tokens_per_second", ofPlan<explainTokensPerSecond>},
    Entry{"tokens_per_second_per_device", ofPlan<explainTokensPerSecondPerDevice>},
    Entry{"mfu", byRule<explainMfu, FlopsRule::C>},
    Entry{"hfu", byRule<explainHfu, FlopsRule::C>},
    Entry{"flops_per_token", byRule<explainFlopsPerToken, FlopsRule::C>},
    Entry{"hardware_flops_per_token", byRule<explainHardwareFlops, FlopsRule::C>},
    Entry{"mfu_a", byRule<explainMfu, FlopsRule::A>},
    Entry{"mfu_b", byRule<explainMfu, FlopsRule::B>},
    Entry{"mfu_d", byRule<explainMfu, FlopsRule::D>},
    Entry{"hfu_a", byRule<explainHfu, FlopsRule::A>},
    Entry{"hfu_b", byRule<explainHfu, FlopsRule::B>},
    Entry{"hfu_d", byRule<explainHfu, FlopsRule::D>},
    Entry{"flops_per_token_a", byRule<explainFlopsPerToken, FlopsRule::A>},
    Entry{"flops_per_token_b", byRule<explainFlopsPerToken, FlopsRule::B>},
    Entry{"flops_per_token_d", byRule<explainFlopsPerToken, FlopsRule::D>},
    Entry{"hardware_flops_per_token_a", byRule<explainHardwareFlops, FlopsRule::A>},
    Entry{"hardware_flops_per_token_b", byRule<explainHardwareFlops, FlopsRule::B>},
    Entry{"hardware_flops_per_token_d", byRule<explainHardwareFlops, FlopsRule::D>},
    Entry{"memory_peak_bytes", explainMemory},
    Entry{"memory_capacity_bytes", ofPlan<explainCapacity>},
    Entry{"bubble_theoretical", ofPlan<explainBubbleTheoretical>},
    Entry{"bubble_simulated", explainBubbleSimulated},
    Entry{"bubble_fraction", explainBubbleSimulated},
    Entry{"comm_bytes", explainCommBytes},
    Entry{"comm_seconds", explainCommSeconds},
    Entry{"training_seconds", ofPlan<explainTrainingSeconds>},
    Entry{"device_hours", ofPlan<explainDeviceHours>},
    Entry{"money", ofPlan<explainMoney>},
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
    Entry{"host_memory.node_bytes", ofPlan<explainNodeHostBytes>},
    Entry{"host_memory.node_tensor_bytes", ofPlan<explainNodeTensorBytes>},
    Entry{"host_memory.node_capacity_bytes", ofPlan<explainNodeCapacity>},
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
    Entry{"parameters", ofPlan<explainParameters>},
    Entry{"parameters.total", ofPlan<explainParameters>},
    Entry{"parameters.embedding", ofPlan<explainEmbeddingParameters>},
    Entry{"parameters.attention", ofPlan<explainAttentionParameters>},
    Entry{"parameters.ffn", ofPlan<explainFfnParameters>},
    Entry{"parameters.norm", ofPlan<explainNormParameters>},
    Entry{"parameters.head", ofPlan<explainHeadParameters>},
    Entry{"parameters.router", ofPlan<explainRouterParameters>},
    Entry{"parameters.active", ofPlan<explainActiveParameters>},
    Entry{"parameters.matmul", ofPlan<explainMatmulParameters>},
    Entry{"checkpoint_bytes", ofPlan<explainCheckpointBytes>},
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

namespace {

Result<Explanation> explain(Ledger& ledger, std::string_view figure) {
    const Plan& plan = ledger.plan();
    const auto entry =
        std::find_if(kEntries.begin(), kEntries.end(), [&](const Entry& e) { return e.figure == figure; });
    Explanation explanation;
    if (entry != kEntries.end()) {
        if (plan.memory.empty())
            return fail("no_plan", "The config has errors; fix them first."_text, std::string(figure));
        explanation = entry->build(ledger);
    } else if (const auto part = plan.memory.empty() ? std::nullopt : ledger.part(figure)) {
        explanation = explanationOf(part->term, {"a part of %1"_text(part->of)});
    } else {
        std::vector<std::string> names(explainedFigures().begin(), explainedFigures().end());
        const std::string nearest = nearestKey(figure, names);
        return fail("unknown_figure", "There is no figure %1%2"_text(figure, didYouMean(nearest)), std::string(figure));
    }
    explanation.figure.name = std::string(figure);
    if (!explanation.interval) explanation.interval = intervalOfStep(figure, explanation.figure.value, plan.step);
    if (explanation.interval && std::isnan(explanation.interval->first)) explanation.interval.reset();
    return explanation;
}

}  // namespace

Result<Explanation> explain(const Plan& plan, std::string_view figure, std::optional<std::int64_t> rank) {
    if (rank && (*rank < 0 || *rank >= plan.config.parallel.pp))
        return fail("unknown_rank",
                    "There is no pipeline rank %1; parallel.pp is %2."_text(*rank, plan.config.parallel.pp), "rank");
    Ledger ledger(plan, rank);
    return explain(ledger, figure);
}

}  // namespace slipway
