// What a rank keeps in its node's memory, part by part.
#include "core/base/real.h"
#include "core/planner/explain/explain_parts.h"
#include "core/planner/memory/host_memory.h"
#include "core/planner/memory/listed_hosts.h"
#include "core/planner/memory/memory.h"

namespace slipway {

namespace {

/// A part that is not offloaded, and why.
Explanation notOffloaded(const Plan& plan, SourceText left) {
    Explanation e;
    e.figure = {"", 0, "B"};
    e.state(plan.config.train.device == DeviceKind::Cpu ? "0: on a CPU nothing leaves the device for the host"_text
                                                        : left);
    e.source = {"the bundled trainer"_text};
    return e;
}

}  // namespace

Explanation explainHostMemory(const Plan& plan) {
    const HostMemory host = hostMemory(plan.config);
    Explanation e;
    e.figure = {"", host.totalBytes(), "B"};
    e.inputs = {{"host_memory.staging_bytes", host.stagingBytes, "B"},
                {"host_memory.optimizer_bytes", host.optimizerBytes, "B"},
                {"host_memory.activation_bytes", host.activationBytes, "B"}};
    e.formula = sumOf(e.inputs);
    e.source = {
        "what one rank keeps in its node's memory beside the device's: the copy that a checkpoint is written from, and what "
        "parallel.offload moves there (ZeRO-Offload: Ren 2021, arXiv 2101.06840; vDNN: Rhu 2016, arXiv 1602.08124)"_text,
        "largest over the pipeline ranks, here rank %1"_text(host.stage)};
    return e;
}

Explanation explainStagingBytes(const Plan& plan) {
    const RunConfig& c = plan.config;
    const HostMemory host = hostMemory(c);
    Explanation e;
    e.figure = {"", host.stagingBytes, "B"};
    e.source = {
        "the bundled trainer copies the part of the states that a rank writes to host memory and writes it from there"_text,
        "each element is written once, by one of the ranks that have it (compare CheckFreq: Mohan 2021, USENIX FAST)"_text};
    if (c.checkpoint.everySteps <= 0) {
        e.state("0: checkpoint.every_steps writes no checkpoints"_text);
        return e;
    }
    const CheckpointWriters writers = checkpointWriters(c);
    const RankShare share = rankShare(c, host.stage);
    e.inputs = {{"rank_parameters", share.parameters, ""},
                {"rank_expert_parameters", share.experts, ""},
                {"writers", writers.dense, ""},
                {"expert_writers", writers.experts, ""},
                {"checkpoint_bytes_per_parameter", writers.bytesPerParameter, "B"},
                {"rank_matrices", share.matrices, ""},
                {"spared_moment_bytes", writers.momentBytes, "B"}};
    e.formula =
        "((rank_parameters - rank_expert_parameters) / writers + rank_expert_parameters / expert_writers) * "
        "checkpoint_bytes_per_parameter - ((rank_matrices - rank_expert_parameters) / writers + rank_expert_parameters / "
        "expert_writers) * spared_moment_bytes";
    return e;
}

Explanation explainHostOptimizerBytes(const Plan& plan) {
    const RunConfig& c = plan.config;
    const HostMemory host = hostMemory(c);
    if (c.train.device == DeviceKind::Cpu || !offloadsOptimizer(c.parallel.offload))
        return notOffloaded(plan, "0: parallel.offload leaves the optimizer's states on the device"_text);
    const RankShare share = rankShare(c, host.stage);
    const HostStateBytes states = hostStateBytes(c);
    const bool sharded = c.parallel.zeroStage >= 1;
    Explanation e;
    e.figure = {"", host.optimizerBytes, "B"};
    e.inputs = {{"rank_parameters", share.parameters, ""}, {"host_bytes_per_parameter", states.perParameter, "B"}};
    std::string own = "rank_parameters", matrices = "rank_matrices";
    if (sharded) {
        const ShardRanks ranks = shardRanks(c.parallel);
        e.inputs.push_back({"shard_ranks", ranks.dense, ""});
        own = "rank_parameters / shard_ranks";
        matrices = "rank_matrices / shard_ranks";
        if (share.experts > 0) {
            e.inputs.push_back({"rank_expert_parameters", share.experts, ""});
            e.inputs.push_back({"expert_shard_ranks", ranks.experts, ""});
            const auto split = [](const std::string& all) {
                return "((" + all +
                       " - rank_expert_parameters) / shard_ranks + rank_expert_parameters / expert_shard_ranks)";
            };
            own = split("rank_parameters");
            matrices = split("rank_matrices");
        }
    }
    e.formula = own + " * host_bytes_per_parameter";
    if (states.sparedMoment > 0) {
        e.inputs.push_back({"rank_matrices", share.matrices, ""});
        e.inputs.push_back({"spared_moment_bytes", states.sparedMoment, "B"});
        e.formula += " - " + matrices + " * spared_moment_bytes";
    }
    e.source = {
        "parallel.offload: the bundled trainer updates on the host, where master weights and moments are, or the weights themselves "
        "where they have no wider copy (ZeRO-Offload: Ren 2021, arXiv 2101.06840, sec. 3)"_text,
        "sharded from ZeRO stage 1 on (Rajbhandari 2020, arXiv 1910.02054, fig. 1)"_text};
    return e;
}

Explanation explainHostActivationBytes(const Plan& plan) {
    const RunConfig& c = plan.config;
    if (c.train.device == DeviceKind::Cpu || !offloadsActivations(c.parallel.offload))
        return notOffloaded(plan, "0: parallel.offload leaves activations on the device"_text);
    const HostMemory host = hostMemory(c);
    const Pipeline pipeline{{c.parallel.schedule, c.parallel.pp, 1, c.parallel.pp > 1 ? c.parallel.virtualStages : 1},
                            stageRanges(c)};
    double dense = 0, moe = 0;
    for (std::int64_t chunk = 0; chunk < pipeline.shape.numChunks(); ++chunk) {
        const StageRange& range = pipeline.ranges[static_cast<std::size_t>(pipeline.shape.stageOf(host.stage, chunk))];
        dense += real(denseLayers(c.model, range));
        moe += real(range.count - denseLayers(c.model, range));
    }
    const MemoryTable table = makeMemoryTable(c);
    const double once = dense * table.denseActivationBytes + moe * table.moeActivationBytes;
    Explanation e;
    e.figure = {"", host.activationBytes, "B"};
    if (dense > 0) {
        e.inputs = {{"rank_layers", dense, ""}, {"layer_activation_bytes", table.denseActivationBytes, "B"}};
        e.formula = "rank_layers * layer_activation_bytes";
    }
    if (moe > 0) {
        e.inputs.push_back({"rank_moe_layers", moe, ""});
        e.inputs.push_back({"moe_layer_activation_bytes", table.moeActivationBytes, "B"});
        e.formula += std::string(e.formula.empty() ? "" : " + ") + "rank_moe_layers * moe_layer_activation_bytes";
    }
    e.formula = "(" + e.formula + ") * micro_batches_kept";
    e.inputs.push_back({"micro_batches_kept", once > 0 ? host.activationBytes / once : 0, ""});
    e.source = {
        "parallel.offload: what blocks keep for their backward passes is copied to the host while the next block computes, and remains "
        "there for all micro-batches in flight (vDNN: Rhu 2016, arXiv 1602.08124, sec. 3.1)"_text,
        "micro-batches kept: counted in the schedule's list of passes"_text};
    return e;
}

namespace {

NodeHostMemory nodeOf(const Plan& plan) {
    return nodeHostMemory(plan.config, plan.cluster, plan.memoryPeakBytes);
}

/// How the ranks of a node are counted.
SourceText ranksText(const Plan& plan) {
    return plan.cluster.device.kind == DeviceKind::Cpu
               ? "node_ranks: the run's ranks, partitioned over cluster.num_nodes nodes, the fullest of them"_text
               : "node_ranks: one a device, at most cluster.devices_per_node and the run's ranks"_text;
}

}  // namespace

Explanation explainNodeHostBytes(const Plan& plan) {
    const NodeHostMemory node = nodeOf(plan);
    Explanation e;
    e.figure = {"", node.hostBytes(), "B"};
    e.inputs = {{"node_ranks", node.ranks, ""}, {"host_memory.total_bytes", node.ofRank.totalBytes(), "B"}};
    e.formula = "node_ranks * host_memory.total_bytes";
    e.source = {
        "what all ranks of one node keep in its memory beside their devices', each as much as the rank that needs most"_text,
        ranksText(plan)};
    return e;
}

Explanation explainNodeTensorBytes(const Plan& plan) {
    const NodeHostMemory node = nodeOf(plan);
    Explanation e;
    e.figure = {"", node.tensorBytes, "B"};
    if (plan.cluster.device.kind != DeviceKind::Cpu) {
        e.state("0: the tensors of the ranks are in the memory of their devices"_text);
        e.source = {"the bundled trainer"_text};
        return e;
    }
    e.inputs = {{"node_ranks", node.ranks, ""}, {"memory_peak_bytes", plan.memoryPeakBytes, "B"}};
    e.formula = "node_ranks * memory_peak_bytes";
    e.source = {"on a CPU the tensors are in the node's memory, too, each rank's as large as the fullest one's"_text,
                ranksText(plan)};
    return e;
}

Explanation explainNodeCapacity(const Plan& plan) {
    const double bytes = nodeHostCapacity(plan.cluster);
    Explanation e;
    e.figure = {"", bytes, "B"};
    if (plan.cluster.device.kind == DeviceKind::Cpu) {
        e.inputs = {{"device.memory_bytes", bytes, "B"}};
        e.source = {deviceSource(plan)};
    } else {
        e.inputs = {{"listed_node_bytes", bytes, "B"}};
        const ListedHost* host = listedHost(plan.cluster.device.name);
        if (host != nullptr)
            e.source = {"%1 as listed in %2: %3"_text(host->system, host->date, host->source)};
        else
            e.source = {"unknown: the library lists no system with this device"_text};
    }
    e.formula = e.inputs.front().name;
    return e;
}

}  // namespace slipway
