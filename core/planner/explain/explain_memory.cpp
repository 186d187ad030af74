#include "core/base/real.h"
#include "core/planner/explain/explain_parts.h"
#include "core/planner/memory/activations.h"
#include "core/planner/memory/memory.h"
#include "core/planner/memory/memory_interval.h"
#include "core/planner/memory/stack_memory.h"
#include "core/planner/stack/known_software.h"

#include <utility>

namespace slipway {

namespace {

const StageMemory& worst(const Plan& plan) {
    return plan.memory[plan.worstStage];
}

/// The bytes behind the plan: the bundled trainer's, or those of a calibrated stack.
MemoryTable tableOf(const Plan& plan) {
    const Pipeline pipeline = makePipeline(plan.config);
    return makeMemoryTable(plan.config, plan.cluster,
                           isOtherSoftware(plan.cluster) && keepsGathers(plan.config, plan.cluster, pipeline));
}

/// A part of the fullest moment.
Explanation partOf(const Term& part, std::vector<Message> source, SourceText whyNothing) {
    Explanation e = explanationOf(part, std::move(source));
    if (!part.isComputed()) e.state(whyNothing);
    e.figure.unit = "B";
    return e;
}

/// parameters * bytes, divided among the ranks that share them.
Explanation stateExplanation(Ledger& ledger, const Term& part) {
    const Plan& plan = ledger.plan();
    return partOf(part,
                  {(isOtherSoftware(plan.cluster)
                        ? "bytes per parameter as the calibrated software stack stores them (policy %1)"_text
                        : "bytes per parameter as the bundled trainer stores them (policy %1)"_text)(
                       std::string(tableOf(plan).policy.name)),
                   "ZeRO: Rajbhandari 2020, arXiv 1910.02054, fig. 1"_text},
                  "0: nothing of it is kept at the fullest moment"_text);
}

}  // namespace

Explanation explainMemory(Ledger& ledger) {
    const Plan& plan = ledger.plan();
    Explanation e =
        explanationOf(ledger.memory().totalBytes(), {"the tensors a rank holds at its fullest moment"_text});
    e.figure.unit = "B";
    if (ledger.rank()) return e;
    e.interval = memoryInterval(plan);
    e.source.emplace_back("largest over the pipeline ranks, here rank %1"_text(worst(plan).stage));
    return e;
}

Explanation explainWeightBytes(Ledger& ledger) {
    return stateExplanation(ledger, ledger.memory().weightBytes);
}

Explanation explainGradientBytes(Ledger& ledger) {
    return stateExplanation(ledger, ledger.memory().gradientBytes);
}

Explanation explainOptimizerBytes(Ledger& ledger) {
    const RunConfig& c = ledger.plan().config;
    const Term& optimizer = ledger.memory().optimizerBytes;
    if (offloadsOptimizer(c.parallel.offload))
        return partOf(optimizer, {Message::name("ZeRO-Offload: Ren 2021, arXiv 2101.06840")},
                      "0: parallel.offload keeps the optimizer's state in the memory of the host"_text);
    Explanation e = stateExplanation(ledger, optimizer);
    if (c.optimizer.kind == OptimizerKind::Muon)
        e.source.emplace_back("Muon keeps one moment of a hidden matrix (Jordan et al. 2024)"_text);
    return e;
}

Explanation explainActivationBytes(Ledger& ledger) {
    const Plan& plan = ledger.plan();
    const RunConfig& c = plan.config;
    Explanation e = partOf(
        ledger.memory().activationBytes,
        {isOtherSoftware(plan.cluster)
             ? "layer (the mean, where only some recompute): bytes per token that runs of the calibrated software stack showed"_text
             : "layer (the mean, where only some recompute): tensor by tensor as the bundled trainer saves them (compare "
               "Korthikanti 2022, arXiv 2205.05198, table 2)"_text,
         "micro-batches kept: counted in the schedule's list of passes"_text},
        "0: the fullest moment is the optimizer's, when activations are gone"_text);
    if (const double share = recomputedShare(c); share > 0 && share < 1)
        e.inputs.push_back({"recomputed_layers", share * real(c.model.numLayers), ""});
    if (offloadsActivations(c.parallel.offload))
        e.source.emplace_back(
            "parallel.offload: one layer computes while its neighbour's activations are copied to the host or back, for all "
            "micro-batches in flight; vDNN, Rhu 2016, arXiv 1602.08124, sec. 3.1"_text);
    return e;
}

Explanation explainLogitsBytes(Ledger& ledger) {
    return partOf(
        ledger.memory().logitsBytes,
        {"final norm, logits and their softmax on the last stage, as the trainer or the calibrated stack holds them"_text},
        "0: the fullest moment has no logits"_text);
}

Explanation explainBufferBytes(Ledger& ledger) {
    return partOf(
        ledger.memory().bufferBytes,
        {"workspace: the largest temporaries in addition to activations and logits at the fullest moment, be it a layer's backward pass "
         "(with gathered weights and gradients of ZeRO-2 and 3), the loss, a table's gradient, or the optimizer; float8 copies of weights"_text},
        "0: nothing of it is kept at the fullest moment"_text);
}

Explanation explainReserveBytes(Ledger& ledger) {
    return partOf(
        ledger.memory().reserveBytes,
        {isOtherSoftware(ledger.plan().cluster)
             ? "calibrated: memory of runs of the software stack beyond their tensors"_text
             : "textbook: context, libraries and communicators of a GPU, and memory that its allocator cannot return"_text},
        "0: nothing is reserved in addition to the tensors of this device"_text);
}

Explanation explainGraphBytes(Ledger& ledger) {
    const Plan& plan = ledger.plan();
    return partOf(
        ledger.moments().graphBytes,
        {"a captured graph keeps the memory of its passes for itself: activations, logits and workspace of one micro-batch exist twice, there and "
         "for the first and last micro-batch (CUDA graphs of libtorch: a private pool); counted in memory.buffer_bytes"_text},
        plan.config.train.cudaGraphs ? "0: the bundled trainer captures no graph of this layout"_text
                                     : "0: train.cuda_graphs is off"_text);
}

Explanation explainCapacity(const Plan& plan) {
    const DeviceSpec& device = plan.cluster.device;
    Explanation e;
    e.figure = {"", plan.memoryCapacityBytes, "B"};
    e.inputs = {{"device.memory_bytes", device.memoryBytes > 0 ? device.memoryBytes : kUnknown, "B"}};
    e.formula = "device.memory_bytes";
    e.source = {deviceSource(plan)};
    if (isOtherSoftware(plan.cluster)) {
        e.inputs.push_back({"usable_share", plan.cluster.stack->usableShare.value, ""});
        e.formula += " * usable_share";
        e.source.emplace_back("calibrated: up to which forecast runs of the software stack ran"_text);
    } else if (device.kind == DeviceKind::Cpu) {
        e.inputs.push_back({"world_size", real(plan.config.parallel.worldSize()), ""});
        e.inputs.push_back({"cluster.num_nodes", real(plan.cluster.numNodes), ""});
        e.formula += " / ceil(world_size / cluster.num_nodes)";
        e.source.emplace_back("the ranks of a node share its memory"_text);
    }
    return e;
}

}  // namespace slipway
