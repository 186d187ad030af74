#include "app/cli/plan_documents.h"

#include "core/base/json_fields.h"
#include "core/planner/cost/checkpoint.h"
#include "core/planner/explain/plan_difference.h"
#include "core/planner/memory/graph_passes.h"
#include "core/planner/memory/host_memory.h"
#include "core/planner/memory/memory_timeline.h"
#include "core/planner/plan.h"
#include "core/planner/time/utilisation.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace slipway {
namespace {

const char* wordOf(Severity severity) {
    return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "info";
}

Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

/// The gain of a piece of advice; null if no change is known for it.
Json gainJson(const AdviceGain* gain) {
    if (gain == nullptr) return nullptr;
    return {{"change", gain->change.empty() ? Json(nullptr) : Json(gain->change)},
            {"text", textOf(gain->text)},
            {"set", gain->settings},
            {"step_seconds", number(gain->stepSeconds)},
            {"memory_peak_bytes", number(gain->memoryPeakBytes)},
            {"time_per_token_change", number(gain->timeChange)},
            {"memory_change_bytes", number(gain->memoryChangeBytes)},
            {"host_node_bytes", number(gain->hostNodeBytes)},
            {"host_node_change_bytes", number(gain->hostNodeChangeBytes)},
            {"fits", gain->fits},
            {"label", gain->label}};
}

Json timelineJson(const Plan& plan) {
    Json moments = Json::array();
    if (plan.memory.empty()) return moments;
    for (const MemoryMoment& m : memoryTimeline(plan.memory[plan.worstStage], allocationOf(plan.cluster)))
        moments.push_back({{"moment", wordOf(m.phase)},
                           {"weight_bytes", m.bytes.weightBytes},
                           {"gradient_bytes", m.bytes.gradientBytes},
                           {"optimizer_bytes", m.bytes.optimizerBytes},
                           {"activation_bytes", m.bytes.activationBytes},
                           {"logits_bytes", m.bytes.logitsBytes},
                           {"buffer_bytes", m.bytes.bufferBytes},
                           {"reserve_bytes", m.bytes.reserveBytes},
                           {"total_bytes", m.bytes.totalBytes()}});
    return moments;
}

Json hostMemoryJson(const Plan& plan) {
    const NodeHostMemory node = nodeHostMemory(plan.config, plan.cluster, plan.memoryPeakBytes);
    const HostMemory& host = node.ofRank;
    const ListedHost* listed = listedNode(plan);
    return {{"staging_bytes", host.stagingBytes},
            {"optimizer_bytes", host.optimizerBytes},
            {"activation_bytes", host.activationBytes},
            {"total_bytes", host.totalBytes()},
            {"stage", host.stage},
            {"node_bytes", node.hostBytes()},
            {"node_tensor_bytes", number(node.tensorBytes)},
            {"node_capacity_bytes", number(node.capacityBytes)},
            {"node_system", listed != nullptr ? Json(listed->system) : Json(nullptr)},
            {"node_source", listed != nullptr ? Json(listed->source) : Json(nullptr)}};
}

Json utilisationJson(const Plan& plan) {
    Json list = Json::array();
    const auto names = enumNames(FlopsRule{});
    for (const Utilisation& u : utilisations(plan))
        list.push_back({{"rule", wordOf(u.rule)},
                        {"counts", names.at(static_cast<std::size_t>(u.rule)).help.english()},
                        {"flops_per_token", u.flopsPerToken},
                        {"mfu", u.mfu},
                        {"hardware_flops_per_token", number(u.hardwareFlopsPerToken.value_or(kUnknown))},
                        {"hfu", number(u.hfu.value_or(kUnknown))}});
    return list;
}

/// The effect of train.cuda_graphs on this run.
Json graphsJson(const Plan& plan) {
    const double repeated = plan.memory.empty() ? 0 : repeatedMicroBatches(plan.config);
    if (repeated <= 0) return nullptr;
    return {{"repeated_micro_batches", repeated},
            {"saved_seconds", number(explain(plan, "step.graph_saved_seconds")->figure.value)},
            {"memory_bytes", graphPoolBytes(plan.config, plan.cluster)}};
}

Json numberJson(const ExplainedNumber& number) {
    return Json{{"name", number.name},
                {"value", std::isfinite(number.value) ? Json(number.value) : Json(nullptr)},
                {"unit", number.unit}};
}

}  // namespace

const ListedHost* listedNode(const Plan& plan) {
    return plan.cluster.device.kind == DeviceKind::Cpu ? nullptr : listedHost(plan.cluster.device.name);
}

Json planJson(const Plan& plan, const std::vector<AdviceGain>& gains) {
    Json issues = Json::array();
    for (const Issue& issue : plan.issues)
        issues.push_back({{"severity", wordOf(issue.severity)},
                          {"code", issue.code},
                          {"field", issue.field},
                          {"message", issue.message},
                          {"gain", gainJson(gainOf(gains, issue.code))}});
    return Json{{"config", toJson(plan.config)},        {"cluster", toJson(plan.cluster)},
                {"forecast", forecastJson(plan)},       {"checkpoint_bytes", checkpointStateBytes(plan.config)},
                {"host_memory", hostMemoryJson(plan)},  {"cuda_graphs", graphsJson(plan)},
                {"utilisation", utilisationJson(plan)}, {"memory_timeline", timelineJson(plan)},
                {"issues", std::move(issues)}};
}

Json differencesJson(const Plan& baseline, const Plan& plan) {
    Json fields = Json::array(), figures = Json::array();
    for (const FieldDifference& d : fieldDifferences(baseline, plan))
        fields.push_back({{"field", d.path},
                          {"before", d.left.empty() ? Json(nullptr) : Json::parse(d.left)},
                          {"after", d.right.empty() ? Json(nullptr) : Json::parse(d.right)}});
    for (const FigureDifference& d : figureDifferences(baseline, plan))
        figures.push_back({{"figure", d.name},
                           {"before", number(d.before)},
                           {"after", number(d.after)},
                           {"change", number(d.change())},
                           {"label_before", d.labelBefore},
                           {"label_after", d.labelAfter}});
    return {{"fields", std::move(fields)}, {"figures", std::move(figures)}};
}

Json explanationJson(const Explanation& e) {
    const auto list = [](const std::vector<ExplainedNumber>& numbers) {
        Json out = Json::array();
        for (const ExplainedNumber& one : numbers) out.push_back(numberJson(one));
        return out;
    };
    Json json = numberJson(e.figure);
    json["formula"] = e.formula;
    json["inputs"] = list(e.inputs);
    json["by_other_conventions"] = list(e.others);
    json["source"] = textOf(e.source);
    json["low"] = e.interval && std::isfinite(e.interval->first) ? Json(e.interval->first) : Json(nullptr);
    json["high"] = e.interval && std::isfinite(e.interval->second) ? Json(e.interval->second) : Json(nullptr);
    return json;
}

}  // namespace slipway
