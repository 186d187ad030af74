// Cost of one layer and of each end of the model on a rank: the table behind step forecasts and the search.
#include "core/base/real.h"
#include "core/planner/memory/activations.h"
#include "core/planner/stack/stack_links.h"
#include "core/planner/time/repeated_passes.h"
#include "core/planner/time/stack_time.h"
#include "core/planner/time/step.h"
#include "core/planner/time/utilisation.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

/// Seconds of one of the last messages.
double lastHopSeconds(const Traffic& traffic, const GroupLink& link) {
    if (traffic.operations.size() == 0) return 0;
    const Operation& last = *(traffic.operations.end() - 1);
    Traffic hop;
    hop.add(last.kind, last.ranks, last.bytes, 1);
    return hop.seconds(link);
}

/// Adds seconds and bytes of one micro-batch's traffic, over the table's links.
void addTraffic(const RunConfig& config, TimeTable& t) {
    eachPassTraffic(config, [&t, &config](PassPlace place, TrafficGroup group, const PassTraffic& traffic) {
        const GroupLink& link = t.link(group);
        const double forward = traffic.forward.seconds(link), backward = traffic.backward.seconds(link);
        if (place == PassPlace::StageEnd) {
            t.transferSeconds = forward;
            return;
        }
        PassCosts& c = place == PassPlace::DenseLayer  ? t.dense
                       : place == PassPlace::MoeLayer  ? t.moe
                       : place == PassPlace::Embedding ? t.embedding
                                                       : t.head;
        if (group == TrafficGroup::Cp) {
            c.cpForwardSeconds = forward;
            c.cpBackwardSeconds = backward;
            if (config.parallel.cpKind == CpKind::Ring) c.cpHomeSeconds = lastHopSeconds(traffic.backward, link);
        } else if (group == TrafficGroup::Experts) {
            c.epForwardSeconds = forward;
            c.epBackwardSeconds = backward;
        } else {
            c.tpForwardSeconds = forward;
            c.tpBackwardSeconds = backward;
        }
        c.commBytes += traffic.forward.sentBytes() + traffic.backward.sentBytes();
    });
}

/// async_tp: a ring passes tp pieces on while the product with the current piece runs, so tp - 1 of the tp products hide a hop each: a
/// pair of an edge of T and products of C seconds takes C / tp + (tp - 1) max(C / tp, T / (tp - 1)) and exposes max(0, T - C (tp - 1) /
/// tp) (Wang et al. 2022, ASPLOS 2023, doi 10.1145/3567955.3567959, sec. 3: decomposed collectives). The embedding has no product.
void overlapEdges(const RunConfig& config, TimeTable& t) {
    for (PassCosts* c : {&t.dense, &t.moe, &t.embedding, &t.head}) {
        c->tpForwardExposed = c->tpForwardSeconds;
        c->tpBackwardExposed = c->tpBackwardSeconds;
    }
    const ParallelLayout& p = config.parallel;
    if (!p.asyncTp || !p.sequenceParallel || p.tp < 2) return;
    const double share = real(p.tp - 1) / real(p.tp);
    const auto hide = [&](PassCosts& c, const PassSeconds& beside) {
        c.tpForwardExposed = std::max(0.0, c.tpForwardSeconds - share * beside.forward);
        c.tpBackwardExposed =
            std::max(0.0, c.tpBackwardSeconds - share * (beside.backwardInput + beside.backwardWeight));
    };
    hide(t.dense, productsBesideEdges(config, t.speed, false));
    if (config.model.moe) hide(t.moe, productsBesideEdges(config, t.speed, true));
    hide(t.head, headSeconds(config, t.speed));
}

}  // namespace

void PassCosts::add(const PassCosts& other, double times) {
    compute.forward += times * other.compute.forward;
    compute.backwardInput += times * other.compute.backwardInput;
    compute.backwardWeight += times * other.compute.backwardWeight;
    tpForwardSeconds += times * other.tpForwardSeconds;
    tpBackwardSeconds += times * other.tpBackwardSeconds;
    tpForwardExposed += times * other.tpForwardExposed;
    tpBackwardExposed += times * other.tpBackwardExposed;
    savedBytes += times * other.savedBytes;
    cpForwardSeconds += times * other.cpForwardSeconds;
    cpBackwardSeconds += times * other.cpBackwardSeconds;
    cpHomeSeconds += times * other.cpHomeSeconds;
    epForwardSeconds += times * other.epForwardSeconds;
    epBackwardSeconds += times * other.epBackwardSeconds;
    commBytes += times * other.commBytes;
}

TimeTable makePassTable(const RunConfig& config, const ClusterSpec& cluster) {
    const ParallelLayout& p = config.parallel;
    TimeTable t;
    t.speed = rankSpeed(config, cluster);
    t.tpLink = groupLink(config, cluster, TrafficGroup::Tp);
    t.ppLink = groupLink(config, cluster, TrafficGroup::Pp);
    t.dpLink = groupLink(config, cluster, TrafficGroup::Dp);
    t.worldLink = groupLink(config, cluster, TrafficGroup::World);
    if (p.cp > 1) t.cpLink = groupLink(config, cluster, TrafficGroup::Cp);
    if (config.model.moe) t.expertLink = groupLink(config, cluster, TrafficGroup::Experts);
    setShardLinks(config, cluster, t);
    t.dense.compute = layerSeconds(config, t.speed, false);
    if (config.model.moe) t.moe.compute = layerSeconds(config, t.speed, true);
    t.embedding.compute = embeddingSeconds(config, t.speed);
    t.head.compute = headSeconds(config, t.speed);
    addTraffic(config, t);
    t.graphSavedSeconds = graphSavedSeconds<double>(config, t.speed);
    t.messageBytes = residualBytes(config);
    // On a CPU the copies of a reduction need cores; they overlap the passes only where a core is idle.
    const double ranksPerNode = std::ceil(real(p.worldSize()) / real(cluster.numNodes));
    t.overlapIsFree = cluster.device.kind != DeviceKind::Cpu ||
                      ranksPerNode * real(config.train.threadsPerRank) < real(cluster.devicesPerNode);
    t.ringExchange = p.cpKind == CpKind::Ring && t.overlapIsFree;
    t.modelFlopsPerToken = modelFlopsPerToken(config.model, config.train.seqLen);
    t.hardwareFlopsPerToken = t.modelFlopsPerToken +
                              recomputedFlopsPerToken(config, kDefaultFlopsRule, t.modelFlopsPerToken).value_or(0) +
                              replicatedFlopsPerToken(config);
    t.runPeakFlops = runPeakFlops(config, cluster);
    t.label = cluster.calibration;
    // Widths of 80 %: textbook constants miss measured runs by 36 to 71 % (docs/validation.md). On a CPU the efficiencies were measured
    // with the bundled trainer and its peak comes from bench --gemm.
    const double textbook = cluster.device.kind == DeviceKind::Cpu ? 1.4 : 1.7;
    t.stepSpread = std::log(t.label == "textbook" ? textbook : 1.2) / kInterval80;
    if (cluster.stack) applyStack(config, cluster, t);
    overlapEdges(config, t);
    t.dense.savedBytes = layerActivationBytes(config, false);
    if (config.model.moe) t.moe.savedBytes = layerActivationBytes(config, true);
    return t;
}

TimeTable makeTimeTable(const RunConfig& config, const ClusterSpec& cluster) {
    TimeTable table = makePassTable(config, cluster);
    if (!cluster.stack) return table;
    addWaits(config, cluster, waitChance(config, cluster), table);
    addSpread(config, cluster, table);
    return table;
}

const GroupLink& TimeTable::link(TrafficGroup group) const {
    switch (group) {
        case TrafficGroup::Tp: return tpLink;
        case TrafficGroup::Cp: return cpLink;
        case TrafficGroup::Experts: return expertLink;
        case TrafficGroup::Pp: return ppLink;
        case TrafficGroup::Shards: return shardLink;
        case TrafficGroup::Replicas: return replicaLink;
        case TrafficGroup::World: return worldLink;
        case TrafficGroup::Dp: break;
    }
    return dpLink;
}

void setShardLinks(const RunConfig& config, const ClusterSpec& cluster, TimeTable& table) {
    const ParallelLayout& p = config.parallel;
    table.shardLink = table.replicaLink = table.dpLink;
    if (p.zeroStage == 0 || p.dpShard.value_or(p.dp) == p.dp) return;
    table.shardLink = groupLink(config, cluster, TrafficGroup::Shards);
    table.replicaLink = groupLink(config, cluster, TrafficGroup::Replicas);
}

}  // namespace slipway
