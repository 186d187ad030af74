#include "core/planner/memory/host_memory.h"

#include "core/base/real.h"
#include "core/planner/memory/listed_hosts.h"
#include "core/planner/memory/memory.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

/// fp32 weights beside 16-bit ones.
bool hasMaster(const TrainSpec& train) {
    const bool rounded = train.precision == Precision::Bf16 && train.stochasticRounding;
    return storageBytes(train.precision) == 2 && !rounded;
}

/// What the ranks keep for their backward passes, per pipeline rank; empty when the schedule cannot be had.
std::vector<RankContents> contentsOf(const RunConfig& config) {
    const ParallelLayout& p = config.parallel;
    std::vector<RankContents> contents;
    const auto played = makePlayedSchedule(p.schedule, p.pp, config.numMicroBatches(), p.virtualStages);
    if (played) rankContents(config, makePipeline(config, *played), makeMemoryTable(config), contents);
    return contents;
}

}  // namespace

CheckpointWriters checkpointWriters(const RunConfig& config) {
    const ParallelLayout& p = config.parallel;
    const StatePolicy policy = trainerStatePolicy(config.train, config.optimizer);
    // DualPipe has every stage on two ranks.
    const double copies = p.pp > 1 && p.schedule == ScheduleKind::DualPipe ? 2 : 1;
    CheckpointWriters writers{real(p.dp * p.cp) * copies, real(p.degree(Axis::Edp)) * copies, policy.optimizerBytes, 0};
    // 16-bit weights are not written where they have an fp32 master copy (cost/checkpoint.h).
    if (!hasMaster(config.train)) writers.bytesPerParameter += policy.weightBytes;
    if (config.optimizer.kind == OptimizerKind::Muon) writers.momentBytes = momentBytes(config.train, config.optimizer);
    return writers;
}

HostMemory hostMemory(const RunConfig& config, const RankShare& share, double keptBytes) {
    const bool host = config.train.device != DeviceKind::Cpu;
    HostMemory memory;
    if (config.checkpoint.everySteps > 0) {
        const CheckpointWriters writers = checkpointWriters(config);
        const auto written = [&](double all) {
            return (all - share.experts) / writers.dense + share.experts / writers.experts;
        };
        memory.stagingBytes =
            written(share.parameters) * writers.bytesPerParameter - written(share.matrices) * writers.momentBytes;
    }
    if (host && offloadsOptimizer(config.parallel.offload)) {
        const HostStateBytes states = hostStateBytes(config);
        const ShardRanks ranks = config.parallel.zeroStage >= 1 ? shardRanks(config.parallel) : ShardRanks{};
        const auto held = [&](double all) {
            return (all - share.experts) / ranks.dense + share.experts / ranks.experts;
        };
        memory.optimizerBytes =
            held(share.parameters) * states.perParameter - held(share.matrices) * states.sparedMoment;
    }
    if (host && offloadsActivations(config.parallel.offload)) memory.activationBytes = keptBytes;
    return memory;
}

HostMemory hostMemory(const RunConfig& config) {
    HostMemory most;
    if (hasErrors(validate(config))) return most;
    const std::vector<RankContents> kept =
        offloadsActivations(config.parallel.offload) ? contentsOf(config) : std::vector<RankContents>{};
    for (std::int64_t rank = 0; rank < config.parallel.pp; ++rank) {
        const double keptBytes = kept.empty() ? 0 : kept[static_cast<std::size_t>(rank)].kept.layers;
        HostMemory memory = hostMemory(config, rankShare(config, rank), keptBytes);
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
    // Where there is no wider master copy the weights themselves are updated on the host (trainer/optim/host_update.cpp).
    if (!hasMaster(config.train)) bytes.perParameter += real(storageBytes(config.train.precision));
    if (config.optimizer.kind == OptimizerKind::Muon) bytes.sparedMoment = momentBytes(config.train, config.optimizer);
    return bytes;
}

}  // namespace slipway
