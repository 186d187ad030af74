// A rank's use of its node's memory, by part.
#include "core/base/real.h"
#include "core/planner/explain/explain_parts.h"
#include "core/planner/memory/host_memory.h"
#include "core/planner/memory/listed_hosts.h"

#include <utility>

namespace slipway {

namespace {

/// A part, or the reason for its absence.
Explanation partOf(const Term& part, std::vector<Message> source, SourceText whyNothing) {
    if (part.isComputed()) return explanationOf(part, std::move(source));
    Explanation e;
    e.figure = {"", 0, "B"};
    e.state(whyNothing);
    e.source = {"the bundled trainer"_text};
    return e;
}

/// Why parallel.offload moves nothing.
SourceText notOffloaded(const Plan& plan, SourceText left) {
    return plan.config.train.device == DeviceKind::Cpu ? "0: on a CPU nothing leaves the device for the host"_text
                                                       : left;
}

}  // namespace

Explanation explainHostMemory(Ledger& ledger) {
    const HostBytesOf<Term>& host = ledger.host();
    Explanation e = explanationOf(
        host.totalBytes(),
        {"host memory of one rank: the copy that a checkpoint is written from, and what "
         "parallel.offload moves there (ZeRO-Offload: Ren 2021, arXiv 2101.06840; vDNN: Rhu 2016, arXiv 1602.08124)"_text});
    e.figure.unit = "B";
    if (!ledger.rank()) e.source.emplace_back("largest over the pipeline ranks, here rank %1"_text(host.stage));
    return e;
}

Explanation explainStagingBytes(Ledger& ledger) {
    return partOf(
        ledger.host().stagingBytes,
        {"the bundled trainer copies the part of the states that a rank writes to host memory and writes it from there"_text,
         "each element is written once, by one of the ranks that have it (compare CheckFreq: Mohan 2021, USENIX FAST)"_text},
        "0: checkpoint.every_steps writes no checkpoints"_text);
}

Explanation explainHostOptimizerBytes(Ledger& ledger) {
    return partOf(
        ledger.host().optimizerBytes,
        {"parallel.offload: the bundled trainer updates on the host, where master weights and moments are, or the weights themselves "
         "where they have no wider copy (ZeRO-Offload: Ren 2021, arXiv 2101.06840, sec. 3)"_text,
         "sharded from ZeRO stage 1 on (Rajbhandari 2020, arXiv 1910.02054, fig. 1)"_text},
        notOffloaded(ledger.plan(), "0: parallel.offload leaves the optimizer's states on the device"_text));
}

Explanation explainHostActivationBytes(Ledger& ledger) {
    return partOf(
        ledger.host().activationBytes,
        {"parallel.offload: what blocks keep for their backward passes is copied to the host while the next block computes, and remains "
         "there for all micro-batches in flight (vDNN: Rhu 2016, arXiv 1602.08124, sec. 3.1)"_text,
         "micro-batches kept: counted in the schedule's list of passes"_text},
        notOffloaded(ledger.plan(), "0: parallel.offload leaves activations on the device"_text));
}

namespace {

NodeHostMemory nodeOf(const Plan& plan) {
    return nodeHostMemory(plan.config, plan.cluster, plan.memoryPeakBytes);
}

/// Counting of a node's ranks.
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
    e.source = {"host memory of all ranks of one node, each as much as the rank that needs most"_text, ranksText(plan)};
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
