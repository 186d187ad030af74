#include "core/planner/memory/memory_interval.h"
#include "core/planner/plan.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace slipway {

namespace {

/// Unknown figures are null, never 0.
Json figure(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}
Json figure(const std::optional<double>& value) {
    return value ? figure(*value) : Json(nullptr);
}

Json memoryJson(const MemoryBreakdown& b) {
    return {{"weight_bytes", b.weightBytes},       {"gradient_bytes", b.gradientBytes},
            {"optimizer_bytes", b.optimizerBytes}, {"activation_bytes", b.activationBytes},
            {"logits_bytes", b.logitsBytes},       {"buffer_bytes", b.bufferBytes},
            {"reserve_bytes", b.reserveBytes},     {"total_bytes", b.totalBytes()}};
}

Json stepJson(const StepEstimate& s) {
    return {{"compute_seconds", figure(s.computeSeconds)},      {"tp_exposed_seconds", figure(s.tpExposedSeconds)},
            {"cp_exposed_seconds", figure(s.cpExposedSeconds)}, {"ep_exposed_seconds", figure(s.epExposedSeconds)},
            {"pp_exposed_seconds", figure(s.ppExposedSeconds)}, {"bubble_seconds", figure(s.bubbleSeconds)},
            {"dp_exposed_seconds", figure(s.dpExposedSeconds)}, {"optimizer_seconds", figure(s.optimizerSeconds)},
            {"fixed_seconds", figure(s.fixedSeconds)},          {"step_seconds_low", figure(s.stepSecondsLow)},
            {"step_seconds_high", figure(s.stepSecondsHigh)}};
}

Json parametersJson(const ParameterCount& p) {
    return {{"embedding", p.embedding}, {"attention", p.attention}, {"ffn", p.ffn},
            {"norm", p.norm},           {"head", p.head},           {"router", p.router},
            {"total", p.total},         {"active", p.active},       {"matmul", p.matmul}};
}

}  // namespace

Json forecastJson(const Plan& plan) {
    const StepEstimate& s = plan.step;
    Json json = Json::object();
    json["step_seconds"] = figure(s.stepSeconds);
    json["tokens_per_second"] = figure(s.tokensPerSecond);
    json["tokens_per_second_per_device"] = figure(s.tokensPerSecondPerDevice);
    json["mfu"] = figure(s.mfu);
    json["hfu"] = figure(s.hfu);
    json["mfu_rule"] = s.mfuRule;
    json["memory_peak_bytes"] = figure(plan.memoryPeakBytes);
    json["memory_capacity_bytes"] = figure(plan.memoryCapacityBytes);
    json["bubble_fraction"] = figure(s.bubbleSimulated);
    json["bubble_theoretical"] = figure(s.bubbleTheoretical);
    json["bubble_simulated"] = figure(s.bubbleSimulated);
    json["comm_bytes"] = figure(s.commBytes);
    json["comm_seconds"] = figure(s.commSeconds);
    json["training_seconds"] = figure(plan.cost.trainingSeconds);
    json["device_hours"] = figure(plan.cost.deviceHours);
    json["money"] = figure(plan.cost.money);
    json["currency"] = plan.cost.currency;
    json["label"] = s.label;
    json["software"] = plan.cluster.stack ? Json(plan.cluster.stack->name) : Json(nullptr);
    if (!plan.memory.empty()) {
        json["worst_stage"] = plan.memory[plan.worstStage].stage;
        json["memory"] = memoryJson(plan.memory[plan.worstStage].bytes);
        const auto [low, high] = memoryInterval(plan);
        json["memory"]["total_bytes_low"] = figure(low);
        json["memory"]["total_bytes_high"] = figure(high);
        const auto resident = residentInterval(plan);
        json["memory"]["resident_bytes_low"] = resident ? figure(resident->first) : Json(nullptr);
        json["memory"]["resident_bytes_high"] = resident ? figure(resident->second) : Json(nullptr);
        json["parameters"] = parametersJson(plan.parameters);
    } else {
        json["worst_stage"] = json["memory"] = json["parameters"] = nullptr;
    }
    json["step"] = stepJson(s);
    return json;
}

}  // namespace slipway
