#include "core/base/real.h"
#include "core/planner/explain/explain_parts.h"
#include "core/planner/memory/activations.h"
#include "core/planner/memory/memory.h"
#include "core/planner/memory/memory_interval.h"
#include "core/planner/stack/stack_costs.h"
#include "core/planner/time/repeated_passes.h"

namespace slipway {

namespace {

const StageMemory& worst(const Plan& plan) {
    return plan.memory[plan.worstStage];
}

/// The bytes the plan was made with: the bundled trainer's, or those of a calibrated stack.
MemoryTable tableOf(const Plan& plan) {
    const Pipeline pipeline = makePipeline(plan.config);
    return makeMemoryTable(plan.config, plan.cluster,
                           plan.cluster.stack && keepsGathers(plan.config, plan.cluster, pipeline));
}

/// parameters * bytes, divided among the ranks from this ZeRO stage on.
Explanation stateExplanation(const Plan& plan, double bytes, const char* name, double perParameter, int shardedFrom) {
    const RunConfig& c = plan.config;
    Explanation e;
    e.figure = {"", bytes, "B"};
    e.inputs = {{"rank_parameters", rankParameters(c, worst(plan).stage), ""}, {name, perParameter, "B"}};
    e.formula = std::string("rank_parameters * ") + name;
    const double experts = rankShare(c, worst(plan).stage).experts;
    if (c.parallel.zeroStage >= shardedFrom && experts > 0) {
        e.inputs.push_back({"rank_expert_parameters", experts, ""});
        e.inputs.push_back({"shard_ranks", shardRanks(c.parallel).dense, ""});
        e.inputs.push_back({"expert_shard_ranks", shardRanks(c.parallel).experts, ""});
        e.formula = std::string(
                        "((rank_parameters - rank_expert_parameters) / shard_ranks + rank_expert_parameters / "
                        "expert_shard_ranks) * ") +
                    name;
    } else if (c.parallel.zeroStage >= shardedFrom) {
        e.inputs.push_back({"shard_ranks", shardRanks(c.parallel).dense, ""});
        e.formula += " / shard_ranks";
    }
    e.source = {
        (plan.cluster.stack ? "bytes per parameter as the calibrated software stack stores them (policy %1)"_text
                            : "bytes per parameter as the bundled trainer stores them (policy %1)"_text)(
            std::string(tableOf(plan).policy.name)),
        "ZeRO: Rajbhandari 2020, arXiv 1910.02054, fig. 1"_text};
    return e;
}

}  // namespace

Explanation explainMemory(const Plan& plan) {
    const MemoryBreakdown& b = worst(plan).bytes;
    Explanation e;
    e.figure = {"", plan.memoryPeakBytes, "B"};
    e.inputs = {{"memory.weight_bytes", b.weightBytes, "B"},       {"memory.gradient_bytes", b.gradientBytes, "B"},
                {"memory.optimizer_bytes", b.optimizerBytes, "B"}, {"memory.activation_bytes", b.activationBytes, "B"},
                {"memory.logits_bytes", b.logitsBytes, "B"},       {"memory.buffer_bytes", b.bufferBytes, "B"},
                {"memory.reserve_bytes", b.reserveBytes, "B"}};
    e.formula = sumOf(e.inputs);
    e.interval = memoryInterval(plan);
    e.source = {"the tensors a rank holds at its fullest moment"_text,
                "largest over the pipeline ranks, here rank %1"_text(worst(plan).stage)};
    return e;
}

Explanation explainWeightBytes(const Plan& plan) {
    return stateExplanation(plan, worst(plan).bytes.weightBytes, "weight_bytes_per_parameter",
                            tableOf(plan).policy.weightBytes, 3);
}

Explanation explainGradientBytes(const Plan& plan) {
    return stateExplanation(plan, worst(plan).bytes.gradientBytes, "gradient_bytes_per_parameter",
                            tableOf(plan).policy.gradientBytes, 2);
}

Explanation explainOptimizerBytes(const Plan& plan) {
    if (offloadsOptimizer(plan.config.parallel.offload)) {
        Explanation e;
        e.figure = {"", worst(plan).bytes.optimizerBytes, "B"};
        e.state("0: parallel.offload keeps the optimizer's state in the memory of the host"_text);
        e.source = {Message::name("ZeRO-Offload: Ren 2021, arXiv 2101.06840")};
        return e;
    }
    Explanation e = stateExplanation(plan, worst(plan).bytes.optimizerBytes, "optimizer_bytes_per_parameter",
                                     tableOf(plan).policy.optimizerBytes, 1);
    if (plan.config.optimizer.kind == OptimizerKind::Muon) {
        e.inputs.push_back({"rank_matrices", rankShare(plan.config, worst(plan).stage).matrices, ""});
        e.inputs.push_back({"moment_bytes", momentBytes(plan.config.train, plan.config.optimizer), "B"});
        const bool sharded = plan.config.parallel.zeroStage >= 1;
        const bool experts = rankShare(plan.config, worst(plan).stage).experts > 0;
        e.formula =
            sharded && experts
                ? e.formula +
                      " - ((rank_matrices - rank_expert_parameters) / shard_ranks + "
                      "rank_expert_parameters / expert_shard_ranks) * moment_bytes"
                : std::string("(rank_parameters * optimizer_bytes_per_parameter - rank_matrices * moment_bytes)") +
                      (sharded ? " / shard_ranks" : "");
        e.source.emplace_back("Muon keeps one moment of a hidden matrix (Jordan et al. 2024)"_text);
    }
    return e;
}

Explanation explainActivationBytes(const Plan& plan) {
    const RunConfig& c = plan.config;
    const StageMemory& stage = worst(plan);
    const bool moe = c.model.moe && stage.firstLayer >= c.model.moe->numDenseLayers;
    const MemoryTable table = tableOf(plan);
    const double perLayer = moe ? table.moeActivationBytes : table.denseActivationBytes;
    const double layers = real(stage.numLayers);
    Explanation e;
    e.figure = {"", stage.bytes.activationBytes, "B"};
    if (offloadsActivations(c.parallel.offload)) {
        e.inputs = {{"layers_on_device", stage.bytes.activationBytes / perLayer, ""},
                    {"layer_activation_bytes", perLayer, "B"}};
        e.formula = "layers_on_device * layer_activation_bytes";
        e.source = {
            "parallel.offload: one layer computes while its neighbour's activations are copied to the host or back, for all "
            "micro-batches in flight; vDNN, Rhu 2016, arXiv 1602.08124, sec. 3.1"_text};
        return e;
    }
    e.inputs = {{"rank_layers", layers, ""},
                {"layer_activation_bytes", perLayer, "B"},
                {"micro_batches_kept", stage.bytes.activationBytes / (layers * perLayer), ""}};
    e.formula = "rank_layers * layer_activation_bytes * micro_batches_kept";
    if (const double share = recomputedShare(c); share > 0 && share < 1)
        e.inputs.push_back({"recomputed_layers", share * real(c.model.numLayers), ""});
    e.source = {
        plan.cluster.stack
            ? "layer (the mean, where only some recompute): bytes per token that runs of the calibrated software stack showed"_text
            : "layer (the mean, where only some recompute): tensor by tensor as the bundled trainer saves them (compare "
              "Korthikanti 2022, arXiv 2205.05198, table 2)"_text,
        "micro-batches kept: counted in the schedule's list of passes"_text};
    return e;
}

Explanation explainLogitsBytes(const Plan& plan) {
    const MemoryTable table = tableOf(plan);
    const double kept = table.headActivationBytes;
    const double bytes = worst(plan).bytes.logitsBytes, work = table.headWorkBytes;
    Explanation e;
    e.figure = {"", bytes, "B"};
    e.inputs = {{"logits_kept_bytes", kept, "B"},
                {"micro_batches_kept", bytes > 0 && kept > 0 ? (bytes - work) / kept : 0, ""},
                {"loss_workspace_bytes", bytes > 0 ? work : 0, "B"}};
    e.formula = "logits_kept_bytes * micro_batches_kept + loss_workspace_bytes";
    e.source = {
        "final norm, logits and their softmax on the last stage, as the trainer or the calibrated stack holds them"_text,
        "0 where a layer's backward needs more at another moment"_text};
    return e;
}

Explanation explainBufferBytes(const Plan& plan) {
    const RunConfig& c = plan.config;
    const ParallelLayout& p = c.parallel;
    const MemoryTable table = tableOf(plan);
    const double buffers = worst(plan).bytes.bufferBytes;
    const double graph = graphPoolBytes(c, plan.cluster), message = p.pp > 1 ? table.messageBytes : 0;
    const double tables = table.rotaryBytes * real(p.pp > 1 ? chunksPerRank(p.schedule, p.virtualStages) : 1);
    const double inputs = real(c.numMicroBatches()) * table.inputBytes;
    Explanation e;
    e.figure = {"", buffers, "B"};
    e.inputs = {{"workspace_bytes", buffers - graph - message - tables - inputs, "B"},
                {"num_micro_batches", real(c.numMicroBatches()), ""},
                {"micro_batch_input_bytes", table.inputBytes, "B"},
                {"rotary_table_bytes", tables, "B"},
                {"pipeline_message_bytes", message, "B"},
                {"memory.graph_bytes", graph, "B"}};
    e.formula =
        "workspace_bytes + num_micro_batches * micro_batch_input_bytes + rotary_table_bytes + pipeline_message_bytes + "
        "memory.graph_bytes";
    e.source = {
        "workspace: the largest temporaries beside activations and logits at the fullest moment, be it a layer's backward pass "
        "(with gathered weights and gradients of ZeRO-2 and 3), the loss, a table's gradient, or the optimizer; float8 copies of weights"_text};
    return e;
}

Explanation explainReserveBytes(const Plan& plan) {
    const MemoryBreakdown& b = worst(plan).bytes;
    Explanation e;
    e.figure = {"", b.reserveBytes, "B"};
    if (tableOf(plan).reserveBytes) {
        const MemoryTable table = tableOf(plan);
        e.inputs = {
            {"stack_reserve_bytes", *table.reserveBytes, "B"},
            {"allocator_factor", table.allocatorFactor, ""},
            {"memory.activation_bytes", b.activationBytes, "B"},
            {"memory.logits_bytes", b.logitsBytes, "B"},
            {"memory.buffer_bytes", b.bufferBytes, "B"},
            {"rank_parameters", rankParameters(plan.config, worst(plan).stage), ""},
            {"whole_bytes_per_parameter", table.wholeBytesPerParameter, "B"},
        };
        e.formula =
            "stack_reserve_bytes + (allocator_factor - 1) * (memory.activation_bytes + memory.logits_bytes + "
            "memory.buffer_bytes - rank_parameters * whole_bytes_per_parameter)";
        e.source = {"calibrated: what runs of the software stack held beside their tensors"_text};
        return e;
    }
    if (plan.cluster.device.kind != DeviceKind::Gpu) {
        e.state("0: nothing is reserved beside the tensors of this device"_text);
        e.source = {"definition"_text};
        return e;
    }
    e.inputs = {{"context_bytes", kContextBytes, "B"},
                {"fragmentation", kFragmentation, ""},
                {"memory.activation_bytes", b.activationBytes, "B"},
                {"memory.logits_bytes", b.logitsBytes, "B"},
                {"memory.buffer_bytes", b.bufferBytes, "B"}};
    e.formula = "context_bytes + fragmentation * (memory.activation_bytes + memory.logits_bytes + memory.buffer_bytes)";
    e.source = {
        "textbook: context, libraries and communicators of a GPU, and what its allocator cannot give back"_text};
    return e;
}

Explanation explainCapacity(const Plan& plan) {
    const DeviceSpec& device = plan.cluster.device;
    Explanation e;
    e.figure = {"", plan.memoryCapacityBytes, "B"};
    e.inputs = {{"device.memory_bytes", device.memoryBytes > 0 ? device.memoryBytes : kUnknown, "B"}};
    e.formula = "device.memory_bytes";
    e.source = {deviceSource(plan)};
    if (plan.cluster.stack) {
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
