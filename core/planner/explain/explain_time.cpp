#include "core/base/real.h"
#include "core/planner/cost/cost.h"
#include "core/planner/explain/explain_parts.h"
#include "core/planner/schedule/bubble.h"
#include "core/spec/batch_sizes.h"

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
                {"devices", billedDevices(plan.config, plan.cluster), ""}};
    e.formula = "training_seconds / 3600 * devices";
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

}  // namespace slipway
