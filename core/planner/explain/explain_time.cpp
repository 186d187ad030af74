#include "core/base/real.h"
#include "core/planner/explain/explain_parts.h"
#include "core/planner/forecast_basis.h"
#include "core/planner/memory/memory.h"
#include "core/planner/schedule/bubble.h"
#include "core/planner/time/communication.h"
#include "core/planner/time/compute.h"
#include "core/planner/time/repeated_passes.h"
#include "core/planner/time/step.h"
#include "core/spec/batch_sizes.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace slipway {

std::string sumOf(const std::vector<ExplainedNumber>& inputs) {
    std::string text;
    for (const ExplainedNumber& input : inputs) text += (text.empty() ? "" : " + ") + input.name;
    return text;
}

Message deviceSource(const Plan& plan) {
    const std::string& source = plan.cluster.device.source;
    return source.empty() ? Message("the cluster's own figure"_text) : Message::name(source);
}

Explanation explainStep(const Plan& plan) {
    const StepEstimate& s = plan.step;
    Explanation e;
    e.figure = {"", s.stepSeconds, "s"};
    e.inputs = {
        {"step.compute_seconds", s.computeSeconds, "s"},      {"step.tp_exposed_seconds", s.tpExposedSeconds, "s"},
        {"step.cp_exposed_seconds", s.cpExposedSeconds, "s"}, {"step.ep_exposed_seconds", s.epExposedSeconds, "s"},
        {"step.pp_exposed_seconds", s.ppExposedSeconds, "s"}, {"step.bubble_seconds", s.bubbleSeconds, "s"},
        {"step.dp_exposed_seconds", s.dpExposedSeconds, "s"}, {"step.optimizer_seconds", s.optimizerSeconds, "s"},
        {"step.fixed_seconds", s.fixedSeconds, "s"}};
    e.formula = sumOf(e.inputs);
    e.source = {"parts of the busiest pipeline rank, %1 efficiencies"_text(basisText(s.label))};
    e.interval = {{s.stepSecondsLow, s.stepSecondsHigh}};
    return e;
}

Explanation explainTokensPerSecond(const Plan& plan) {
    const RunConfig& c = plan.config;
    Explanation e;
    e.figure = {"", plan.step.tokensPerSecond, "tokens/s"};
    e.inputs = {{"train.global_batch_size", real(c.train.globalBatchSize), ""},
                {"train.seq_len", real(c.train.seqLen), ""},
                {"step_seconds", plan.step.stepSeconds, "s"}};
    e.formula = "train.global_batch_size * train.seq_len / step_seconds";
    e.source = {"definition"_text};
    return e;
}

Explanation explainTokensPerSecondPerDevice(const Plan& plan) {
    Explanation e;
    const double world = real(plan.config.parallel.worldSize());
    e.figure = {"", plan.step.tokensPerSecondPerDevice, "tokens/s"};
    e.inputs = {{"tokens_per_second", plan.step.tokensPerSecond, "tokens/s"}, {"world_size", world, ""}};
    e.formula = "tokens_per_second / world_size";
    e.source = {"definition"_text};
    return e;
}

Explanation explainBubbleTheoretical(const Plan& plan) {
    const ParallelLayout& p = plan.config.parallel;
    Explanation e;
    e.figure = {"", plan.step.bubbleTheoretical, ""};
    if (p.pp == 1) {
        e.state("0: one stage has nothing to wait for"_text);
        e.source = {"definition"_text};
        return e;
    }
    e.inputs = {{"idle_units", bubbleUnits(p.schedule, real(p.pp), real(p.virtualStages)), ""},
                {"num_micro_batches", real(plan.config.numMicroBatches()), ""}};
    e.formula = "idle_units / (num_micro_batches + idle_units)";
    e.source = {
        "idle units of a schedule, in works of one micro-batch: (p - 1) / v for 1F1B and its relatives, Narayanan 2021, "
        "arXiv 2104.04473, sec. 2.2"_text,
        "zero bubble: Qi 2023, arXiv 2401.10241"_text};
    return e;
}

Explanation explainBubbleSimulated(const Plan& plan) {
    Explanation e;
    e.figure = {"", plan.step.bubbleSimulated, ""};
    e.inputs = {{"parallel.pp", real(plan.config.parallel.pp), ""},
                {"num_micro_batches", real(plan.config.numMicroBatches()), ""},
                {"step.pp_exposed_seconds", plan.step.ppExposedSeconds, "s"},
                {"step.bubble_seconds", plan.step.bubbleSeconds, "s"}};
    e.state("1 - sum over ranks of their passes / (parallel.pp * length of the schedule)"_text);
    e.source = {
        "the schedule played pass by pass with this plan's unequal stages and transfers; the drawing shows it"_text};
    return e;
}

Explanation explainCommBytes(const Plan& plan) {
    Explanation e;
    e.figure = {"", plan.step.commBytes, "B"};
    e.inputs = {{"parallel.dp", real(plan.config.parallel.dp), ""},
                {"parallel.tp", real(plan.config.parallel.tp), ""},
                {"parallel.pp", real(plan.config.parallel.pp), ""},
                {"num_micro_batches", real(plan.config.numMicroBatches()), ""},
                {"pipeline_message_bytes", pipelineMessageBytes(plan.config), "B"}};
    e.state(
        "sum over all collectives of a step of what one of n ranks sends: all-reduce 2 (n - 1) / n S, gather and "
        "scatter (n - 1) / n S, message S"_text);
    e.source = {
        "ring algorithms: Patarasuk 2009, J. Parallel Distrib. Comput. 69(2); the trainer counts the same way"_text};
    return e;
}

Explanation explainTrainingSeconds(const Plan& plan) {
    Explanation e;
    e.figure = {"", plan.cost.trainingSeconds, "s"};
    e.inputs = {{"train.num_steps", real(plan.config.train.numSteps), ""},
                {"step_seconds", plan.step.stepSeconds, "s"}};
    e.formula = "train.num_steps * step_seconds";
    if (plan.config.train.batchRamp.initial > 0) {
        e.inputs[0] = {"whole_steps", BatchSizes(plan.config.train).wholeSteps(plan.config.train.numSteps), ""};
        e.formula = "whole_steps * step_seconds";
    }
    e.source = {"definition"_text, "without failures and waiting"_text};
    return e;
}

Explanation explainDeviceHours(const Plan& plan) {
    Explanation e;
    e.figure = {"", plan.cost.deviceHours, "h"};
    e.inputs = {{"training_seconds", plan.cost.trainingSeconds, "s"},
                {"devices", plan.cost.deviceHours / plan.cost.trainingSeconds * 3600, ""}};
    e.formula = "training_seconds * devices / 3600";
    e.source = {"definition"_text, "the ranks of a node share its CPU, which counts once"_text};
    return e;
}

Explanation explainMoney(const Plan& plan) {
    Explanation e;
    e.figure = {"", plan.cost.money.value_or(kUnknown), plan.cost.currency};
    e.inputs = {{"device_hours", plan.cost.deviceHours, "h"},
                {"price_per_hour", plan.cluster.device.pricePerHour.value_or(kUnknown), plan.cost.currency + "/h"}};
    e.formula = "device_hours * price_per_hour";
    e.source = {plan.cluster.device.pricePerHour ? "price of the plan's hardware"_text
                                                 : "the hardware has no price"_text};
    return e;
}

Explanation explainComputeSeconds(const Plan& plan) {
    const TimeTable t = makeTimeTable(plan.config, plan.cluster);
    const CriticalRank c = criticalRank(plan, t);
    const double rankSeconds = c.computeSeconds(t);
    Explanation e;
    e.figure = {"", plan.step.computeSeconds, "s"};
    e.inputs = {{"micro_batches", passesPerChunk(plan), ""},
                {"rank_layers", c.dense, ""},
                {"layer_seconds", t.dense.compute.total(), "s"},
                {"rank_moe_layers", c.moe, ""},
                {"moe_layer_seconds", t.moe.compute.total(), "s"},
                {"embedding_seconds", c.embedding * t.embedding.compute.total(), "s"},
                {"head_seconds", c.head * t.head.compute.total(), "s"},
                {"rank_peak_flops", t.speed.peakFlops, "FLOP/s"},
                {"gemm_efficiency", t.speed.constants.gemmEfficiency, ""},
                {"attention_efficiency", t.speed.constants.attentionEfficiency, ""},
                {"rank_memory_bytes_per_second", t.speed.memoryBytesPerSecond, "B/s"},
                {"memory_efficiency", t.speed.constants.memoryEfficiency, ""}};
    if (std::isfinite(t.speed.elementwiseBytesPerSecond))
        e.inputs.push_back({"rank_elementwise_bytes_per_second", t.speed.elementwiseBytesPerSecond, "B/s"});
    e.formula =
        "micro_batches * (rank_layers * layer_seconds + rank_moe_layers * moe_layer_seconds + embedding_seconds + "
        "head_seconds)";
    const bool away = offloadsActivations(plan.config.parallel.offload),
               repeats = repeatedMicroBatches(plan.config) > 0;
    if (repeats) {
        e.inputs.push_back({"step.graph_saved_seconds", repeatedMicroBatches(plan.config) * t.graphSavedSeconds, "s"});
        e.formula += " - step.graph_saved_seconds";
    }
    if (away) {
        e.inputs.push_back({"host_wait_seconds", plan.step.computeSeconds - passesPerChunk(plan) * rankSeconds, "s"});
        e.inputs.push_back({"layer_activation_bytes", c.dense > 0 ? t.dense.keptBytes : t.moe.keptBytes, "B"});
        e.inputs.push_back({"host_link_bytes_per_second", kHostLinkBytesPerSecond, "B/s"});
        e.formula += " + host_wait_seconds";
    }
    e.source = {
        "a layer: FLOPs over the reachable peak, elementwise bytes over the reachable bandwidth (roofline, Williams "
        "2009, CACM 52(4))"_text,
        "%1 efficiencies"_text(basisText(t.label))};
    if (away)
        e.source.emplace_back(
            "what the passes do not hide of the copies of activations to the host and back: vDNN, Rhu 2016, arXiv "
            "1602.08124, sec. 3.2"_text);
    return e;
}

namespace {

/// What is sent, and what carries it.
using Carried = std::vector<std::pair<Traffic, GroupLink>>;

/// Which curves of the cluster the operations of these take, or what goes before them.
void tellCurves(const Plan& plan, const Carried& all, std::vector<Message>& source) {
    if (plan.cluster.commCurves.empty()) return;
    std::vector<std::string> told;
    for (const auto& [traffic, link] : all)
        for (const Operation& o : traffic.operations) {
            const auto sentence = curveSentence(link, o.kind, o.ranks);
            if (!sentence || std::find(told.begin(), told.end(), textOf(*sentence)) != told.end()) continue;
            told.push_back(textOf(*sentence));
            source.push_back(*sentence);
        }
}

/// The link of the first of these operations.
LinkSpec linkFor(const Traffic& traffic, const GroupLink& link) {
    const Operation* first = traffic.operations.begin();
    return traffic.operations.size() == 0 ? LinkSpec(link) : link.of(first->kind, first->ranks);
}

}  // namespace

Explanation explainTpSeconds(const Plan& plan) {
    const TimeTable t = makeTimeTable(plan.config, plan.cluster);
    const CriticalRank c = criticalRank(plan, t);
    const auto seconds = [](const PassCosts& p) { return p.tpExposedSeconds(); };
    Carried layer;  // forward, backward
    const bool moe = plan.config.model.moe && c.dense <= 0;
    eachPassTraffic(plan.config, [&](PassPlace place, TrafficGroup group, const PassTraffic& traffic) {
        if (place != (moe ? PassPlace::MoeLayer : PassPlace::DenseLayer) || group != TrafficGroup::Tp) return;
        layer = {{traffic.forward, t.link(group)}, {traffic.backward, t.link(group)}};
    });
    const LinkSpec link = linkFor(layer.front().first, layer.front().second);
    Explanation e;
    e.figure = {"", plan.step.tpExposedSeconds, "s"};
    e.inputs = {{"micro_batches", passesPerChunk(plan), ""},
                {"rank_layers", c.dense + c.moe, ""},
                {"layer_tp_seconds", (c.dense > 0 ? seconds(t.dense) : seconds(t.moe)), "s"},
                {"ends_tp_seconds", (c.embedding * seconds(t.embedding) + c.head * seconds(t.head)), "s"},
                {"tp_latency_seconds", link.latencySeconds, "s"},
                {"tp_bytes_per_second", link.bytesPerSecond, "B/s"}};
    e.formula = "micro_batches * (rank_layers * layer_tp_seconds + ends_tp_seconds)";
    const double hidden =
        passesPerChunk(plan) * ((c.dense + c.moe) * e.inputs[2].value + e.inputs[3].value) - e.figure.value;
    if (std::fabs(hidden) > 1e-9 * e.figure.value) {
        e.inputs.push_back({"hidden_seconds", hidden, "s"});
        e.formula += " - hidden_seconds";
    }
    e.source = {
        "per collective hops * latency + sent bytes / bandwidth"_text,
        "operations of a layer: Shoeybi 2019, arXiv 1909.08053, sec. 3; with sequence parallelism Korthikanti 2022, "
        "arXiv 2205.05198, sec. 4.2.2"_text};
    tellCurves(plan, layer, e.source);
    if (plan.config.parallel.asyncTp) {
        e.inputs.push_back({"layer_tp_hidden_seconds",
                            c.dense > 0
                                ? t.dense.tpForwardSeconds + t.dense.tpBackwardSeconds - t.dense.tpExposedSeconds()
                                : t.moe.tpForwardSeconds + t.moe.tpBackwardSeconds - t.moe.tpExposedSeconds(),
                            "s"});
        e.source.emplace_back(
            "hidden beside (tp - 1) / tp of the products, already subtracted: Wang 2022, doi 10.1145/3567955.3567959, "
            "sec. 3"_text);
    }
    return e;
}

Explanation explainBubbleSeconds(const Plan& plan) {
    Explanation e;
    e.figure = {"", plan.step.bubbleSeconds, "s"};
    const StepEstimate& s = plan.step;
    const double passes = s.computeSeconds + s.tpExposedSeconds + s.cpExposedSeconds + s.epExposedSeconds;
    e.inputs = {{"schedule_seconds", passes + s.bubbleSeconds, "s"}, {"rank_pass_seconds", passes, "s"}};
    e.formula = "schedule_seconds - rank_pass_seconds";
    e.source = {
        "length of the schedule, played pass by pass with free transfers, less the passes of the busiest rank"_text};
    return e;
}

Explanation explainDpSeconds(const Plan& plan) {
    const RunConfig& c = plan.config;
    const TimeTable t = makeTimeTable(c, plan.cluster);
    const StepTraffic traffic = dpTraffic(c, rankShare(c, plan.memory[plan.worstStage].stage));
    Carried sent;
    double gradientBytes = 0;
    eachStepTraffic(traffic, [&](StepPart part, TrafficGroup group, const Traffic& one) {
        if (part != StepPart::Other) sent.emplace_back(one, t.link(group));
        if (part == StepPart::Gradients) gradientBytes += one.sentBytes();
    });
    const LinkSpec link = linkFor(sent.front().first, sent.front().second);
    Explanation e;
    e.figure = {"", plan.step.dpExposedSeconds, "s"};
    e.inputs = {{"gradient_seconds", stepSeconds(StepPart::Gradients, traffic, t), "s"},
                {"weight_seconds", stepSeconds(StepPart::Weights, traffic, t), "s"},
                {"gradient_bytes_sent", gradientBytes, "B"},
                {"dp_latency_seconds", link.latencySeconds, "s"},
                {"dp_bytes_per_second", link.bytesPerSecond, "B/s"}};
    e.state(
        c.parallel.zeroStage < 2
            ? "what the backward pass of the last micro-batch does not hide of gradient_seconds, at least the last bucket, and weight_seconds after the optimizer"_text
        : c.parallel.zeroStage == 2
            ? "what the backward passes do not hide of gradient_seconds, each micro-batch its own, at least the last bucket, and weight_seconds after the optimizer"_text
            : "what the backward passes do not hide of gradient_seconds, each micro-batch its own, at least the last bucket, and what the passes do not hide of weight_seconds"_text);
    e.source = {"bucketed overlap: Li 2020 (PyTorch DDP), arXiv 2006.15704, sec. 3.2.3"_text,
                "ZeRO traffic: arXiv 1910.02054, sec. 7"_text};
    tellCurves(plan, sent, e.source);
    return e;
}

}  // namespace slipway
