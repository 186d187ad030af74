#include "core/planner/explain/plan_difference.h"

#include <map>

namespace slipway {

namespace {

const MemoryBreakdown* fullest(const Plan& plan) {
    return plan.memory.empty() ? nullptr : &plan.memory[plan.worstStage].bytes;
}

}  // namespace

double FigureDifference::change() const {
    return before != 0 ? (after - before) / before : kUnknown;  // NaN stays NaN
}

std::vector<FieldDifference> fieldDifferences(const Plan& before, const Plan& after) {
    std::vector<FieldDifference> out = diffConfigs(before.config, after.config);
    // The table of a cluster grows with what it holds (a software stack), so fields are matched by path.
    const auto textOf = [](const FieldInfo& info) {
        return info.applies && info.defaultJson != "null" ? info.defaultJson : std::string();
    };
    std::map<std::string, std::string> old;
    for (const FieldInfo& info : clusterFields(before.cluster)) old[info.path] = textOf(info);
    for (const FieldInfo& info : clusterFields(after.cluster)) {
        const std::string then = old[info.path], now = textOf(info);
        if (now != then) out.push_back({info.path, then, now});
        old.erase(info.path);
    }
    for (const auto& [path, then] : old)
        if (!then.empty()) out.push_back({path, then, {}});
    return out;
}

std::vector<FigureDifference> figureDifferences(const Plan& before, const Plan& after) {
    std::vector<FigureDifference> out;
    const StepEstimate &s = before.step, &t = after.step;
    const auto add = [&](const char* name, FigureUnit unit, double was, double is, int better) {
        out.push_back({name, unit, was, is, better, s.label, t.label});
    };
    using Unit = FigureUnit;
    const auto share = [](const std::optional<double>& value) { return value.value_or(kUnknown); };
    add("memory_peak_bytes", Unit::Bytes, before.memoryPeakBytes, after.memoryPeakBytes, -1);
    add("step_seconds", Unit::Seconds, s.stepSeconds, t.stepSeconds, -1);
    add("tokens_per_second", Unit::PerSecond, s.tokensPerSecond, t.tokensPerSecond, 1);
    add("tokens_per_second_per_device", Unit::PerSecond, s.tokensPerSecondPerDevice, t.tokensPerSecondPerDevice, 1);
    add("mfu", Unit::Share, share(s.mfu), share(t.mfu), 1);
    add("hfu", Unit::Share, share(s.hfu), share(t.hfu), 0);
    add("bubble_simulated", Unit::Share, s.bubbleSimulated, t.bubbleSimulated, -1);
    add("bubble_theoretical", Unit::Share, s.bubbleTheoretical, t.bubbleTheoretical, -1);
    add("comm_bytes", Unit::Bytes, s.commBytes, t.commBytes, -1);
    add("comm_seconds", Unit::Seconds, s.commSeconds, t.commSeconds, -1);
    add("training_seconds", Unit::Seconds, before.cost.trainingSeconds, after.cost.trainingSeconds, -1);
    add("device_hours", Unit::Hours, before.cost.deviceHours, after.cost.deviceHours, -1);
    if (before.cost.currency == after.cost.currency)
        add("money", Unit::Money, share(before.cost.money), share(after.cost.money), -1);
    add("parameters", Unit::Count, before.parameters.total, after.parameters.total, 0);
    add("step.compute_seconds", Unit::Seconds, s.computeSeconds, t.computeSeconds, -1);
    add("step.tp_exposed_seconds", Unit::Seconds, s.tpExposedSeconds, t.tpExposedSeconds, -1);
    add("step.cp_exposed_seconds", Unit::Seconds, s.cpExposedSeconds, t.cpExposedSeconds, -1);
    add("step.ep_exposed_seconds", Unit::Seconds, s.epExposedSeconds, t.epExposedSeconds, -1);
    add("step.pp_exposed_seconds", Unit::Seconds, s.ppExposedSeconds, t.ppExposedSeconds, -1);
    add("step.bubble_seconds", Unit::Seconds, s.bubbleSeconds, t.bubbleSeconds, -1);
    add("step.dp_exposed_seconds", Unit::Seconds, s.dpExposedSeconds, t.dpExposedSeconds, -1);
    add("step.optimizer_seconds", Unit::Seconds, s.optimizerSeconds, t.optimizerSeconds, -1);
    add("step.fixed_seconds", Unit::Seconds, s.fixedSeconds, t.fixedSeconds, -1);
    const MemoryBreakdown *a = fullest(before), *b = fullest(after);
    if (a == nullptr || b == nullptr) return out;
    add("memory.weight_bytes", Unit::Bytes, a->weightBytes, b->weightBytes, -1);
    add("memory.gradient_bytes", Unit::Bytes, a->gradientBytes, b->gradientBytes, -1);
    add("memory.optimizer_bytes", Unit::Bytes, a->optimizerBytes, b->optimizerBytes, -1);
    add("memory.activation_bytes", Unit::Bytes, a->activationBytes, b->activationBytes, -1);
    add("memory.logits_bytes", Unit::Bytes, a->logitsBytes, b->logitsBytes, -1);
    add("memory.buffer_bytes", Unit::Bytes, a->bufferBytes, b->bufferBytes, -1);
    add("memory.reserve_bytes", Unit::Bytes, a->reserveBytes, b->reserveBytes, -1);
    return out;
}

}  // namespace slipway
