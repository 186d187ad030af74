#include "core/planner/memory/host_memory.h"

#include "core/base/real.h"
#include "core/planner/memory/listed_hosts.h"
#include "core/planner/memory/memory_account.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

/// fp32 master weights for 16-bit ones.
bool hasMaster(const TrainSpec& train) {
    const bool rounded = train.precision == Precision::Bf16 && train.stochasticRounding;
    return storageBytes(train.precision) == 2 && !rounded;
}

/// Saved activations per pipeline rank; empty when the schedule is impossible.
std::vector<RankContents> contentsOf(const RunConfig& config) {
    const ParallelLayout& p = config.parallel;
    std::vector<RankContents> contents;
    const auto sample = sampleSchedule(p.schedule, p.pp, config.numMicroBatches(), p.virtualStages);
    if (sample) rankContents(config, makePipeline(config, *sample), makeMemoryTable(config), contents);
    return contents;
}

}  // namespace

CheckpointWriters checkpointWriters(const RunConfig& config) {
    const ParallelLayout& p = config.parallel;
    const StatePolicy policy = trainerStatePolicy(config.train, config.optimizer);
    // DualPipe has every stage on two ranks.
    const double copies = p.pp > 1 && p.schedule == ScheduleKind::DualPipe ? 2 : 1;
    CheckpointWriters writers{real(p.dp * p.cp) * copies, real(p.degree(Axis::Edp)) * copies, policy.optimizerBytes, 0};
    // 16-bit weights with an fp32 master copy are not written (cost/checkpoint.h).
    if (!hasMaster(config.train)) writers.bytesPerParameter += policy.weightBytes;
    if (config.optimizer.kind == OptimizerKind::Muon) writers.momentBytes = momentBytes(config.train, config.optimizer);
    return writers;
}

namespace {

template <class Number>
HostBytesOf<Number> hostAccount(const RunConfig& config, const RankShare& share, const Number& saved) {
    const bool host = config.train.device != DeviceKind::Cpu;
    const auto bytes = [](std::string_view name, double value) { return quantity<Number>(name, value, "B"); };
    const StateAccount<Number> state(config.parallel, share);
    HostBytesOf<Number> memory;
    const auto states = [&](const auto& own, const Number& perParameter, double sparedMoment) {
        Number all = own(state.parameters) * perParameter;
        if (sparedMoment > 0)
            all -= own(quantity<Number>("rank_matrices", share.matrices)) * bytes("spared_moment_bytes", sparedMoment);
        return all;
    };
    if (config.checkpoint.everySteps > 0) {
        const CheckpointWriters writers = checkpointWriters(config);
        const auto written = [&](const Number& all) {
            return amongRanks(all, state.experts, quantity<Number>("writers", writers.dense),
                              quantity<Number>("expert_writers", writers.experts));
        };
        memory.stagingBytes =
            states(written, bytes("checkpoint_bytes_per_parameter", writers.bytesPerParameter), writers.momentBytes);
    }
    if (host && offloadsOptimizer(config.parallel.offload)) {
        const HostStateBytes held = hostStateBytes(config);
        memory.optimizerBytes = states([&](const Number& all) { return state.own(all, 1); },
                                       bytes("host_bytes_per_parameter", held.perParameter), held.sparedMoment);
    }
    if (host && offloadsActivations(config.parallel.offload)) memory.activationBytes = saved;
    memory.stagingBytes = as(memory.stagingBytes, "host_memory.staging_bytes", "B");
    memory.optimizerBytes = as(memory.optimizerBytes, "host_memory.optimizer_bytes", "B");
    memory.activationBytes = as(memory.activationBytes, "host_memory.activation_bytes", "B");
    return memory;
}

}  // namespace

HostMemory hostMemory(const RunConfig& config, const RankShare& share, double savedBytes) {
    const auto host = hostAccount<double>(config, share, savedBytes);
    return {0, host.stagingBytes, host.optimizerBytes, host.activationBytes};
}

HostBytesOf<Term> hostTerms(const RunConfig& config, std::int64_t rank) {
    HostBytesOf<Term> memory =
        hostAccount<Term>(config, rankShare(config, rank),
                          offloadsActivations(config.parallel.offload) ? savedLayersTerm(config, rank) : Term{});
    memory.stage = rank;
    return memory;
}

HostMemory hostMemory(const RunConfig& config) {
    HostMemory most;
    if (hasErrors(validate(config))) return most;
    const std::vector<RankContents> saved =
        offloadsActivations(config.parallel.offload) ? contentsOf(config) : std::vector<RankContents>{};
    for (std::int64_t rank = 0; rank < config.parallel.pp; ++rank) {
        const double savedBytes = saved.empty() ? 0 : saved[static_cast<std::size_t>(rank)].saved.layers;
        HostMemory memory = hostMemory(config, rankShare(config, rank), savedBytes);
        memory.stage = rank;
        if (rank == 0 || memory.totalBytes() > most.totalBytes()) most = memory;
    }
    return most;
}

double nodeHostCapacity(const ClusterSpec& cluster) {
    if (cluster.device.kind == DeviceKind::Cpu)
        return cluster.device.memoryBytes > 0 ? cluster.device.memoryBytes : kUnknown;
    const ListedHost* host = listedHost(cluster.device.name);
    return host != nullptr ? host->bytes : kUnknown;
}

NodeHostMemory nodeHostMemory(const RunConfig& config, const ClusterSpec& cluster, double rankPeakBytes,
                              const HostMemory& fullest, double capacityBytes) {
    const bool cpu = cluster.device.kind == DeviceKind::Cpu;
    const double world = real(config.parallel.worldSize());
    NodeHostMemory node;
    node.ranks = cpu ? std::ceil(world / real(cluster.numNodes)) : std::min(world, real(cluster.devicesPerNode));
    node.ofRank = fullest;
    if (cpu) node.tensorBytes = node.ranks * rankPeakBytes;
    node.capacityBytes = capacityBytes;
    return node;
}

NodeHostMemory nodeHostMemory(const RunConfig& config, const ClusterSpec& cluster, double rankPeakBytes) {
    return nodeHostMemory(config, cluster, rankPeakBytes, hostMemory(config), nodeHostCapacity(cluster));
}

HostStateBytes hostStateBytes(const RunConfig& config) {
    HostStateBytes bytes{trainerStatePolicy(config.train, config.optimizer).optimizerBytes};
    // Without a wider master copy the weights themselves are updated on the host (trainer/optim/host_update.cpp).
    if (!hasMaster(config.train)) bytes.perParameter += real(storageBytes(config.train.precision));
    if (config.optimizer.kind == OptimizerKind::Muon) bytes.sparedMoment = momentBytes(config.train, config.optimizer);
    return bytes;
}

}  // namespace slipway
