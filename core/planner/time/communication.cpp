#include "core/planner/time/communication.h"

#include "core/base/real.h"
#include "core/planner/count/parameters.h"
#include "core/planner/memory/activations.h"
#include "core/planner/stack/known_software.h"
#include "core/planner/stack/stack_links.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace slipway {

namespace {

double elementBytes(const RunConfig& c) {
    return real(storageBytes(c.train.precision));
}

double tokensPerRank(const RunConfig& c) {
    return real(c.train.microBatchSize * c.train.seqLen) / real(c.parallel.cp);
}

/// Number of times an operation of the forward pass runs, including recomputation.
double forwardTimes(const RunConfig& c) {
    return c.train.recompute.policy == RecomputePolicy::Full ? recomputedShare(c) : 0;
}

}  // namespace

double ringBytes(Collective kind, double n, double bytes) {
    switch (kind) {
        case Collective::AllReduce: return 2 * (n - 1) / n * bytes;
        case Collective::AllGather:
        case Collective::ReduceScatter:
        case Collective::AllToAll: return (n - 1) / n * bytes;
        case Collective::Broadcast:
        case Collective::Send: return bytes;
    }
    return 0;
}

double ringHops(Collective kind, double n) {
    switch (kind) {
        case Collective::AllReduce: return 2 * (n - 1);
        case Collective::AllGather:
        case Collective::ReduceScatter:
        case Collective::AllToAll: return n - 1;
        case Collective::Broadcast: return std::ceil(std::log2(std::max(n, 2.0)));
        case Collective::Send: return 1;
    }
    return 0;
}

double collectiveSeconds(Collective kind, double n, double bytes, const LinkSpec& link) {
    if (n <= 1) return 0;
    return ringHops(kind, n) * link.latencySeconds + ringBytes(kind, n, bytes) / link.bytesPerSecond;
}

double Traffic::sentBytes() const {
    double sum = 0;
    for (const Operation& o : operations) sum += o.count * ringBytes(o.kind, o.ranks, o.bytes);
    return sum;
}

double Traffic::seconds(const GroupLink& link) const {
    double sum = 0;
    for (const Operation& o : operations)
        sum += o.count * collectiveSeconds(o.kind, o.ranks, o.bytes, link.of(o.kind, o.ranks));
    return sum;
}

namespace {

GroupLink linkOver(const RunConfig& config, const ClusterSpec& cluster, const LinkSpec& link, double nodes,
                   double ranks) {
    GroupLink group = isOtherSoftware(cluster) ? stackLink(*cluster.stack, link, nodes, ranks) : link;
    if (cluster.stack && !isOtherSoftware(cluster)) {
        const double crowd = ranksPerCore(config, cluster);
        group = cpuLink(*cluster.stack, link, nodes, crowd);
        group.wakeSeconds = cpuWakeSeconds(*cluster.stack, crowd);
    }
    group.curves = cluster.commCurves;
    group.nodes = nodes;
    return group;
}

}  // namespace

GroupLink worldLink(const RunConfig& config, const ClusterSpec& cluster) {
    const std::int64_t world = config.parallel.worldSize(), perNode = std::max<std::int64_t>(cluster.devicesPerNode, 1);
    if (cluster.numNodes == 1 || world <= cluster.devicesPerNode)
        return linkOver(config, cluster, cluster.intraNode, 1, real(world));
    return linkOver(config, cluster, cluster.interNode, std::ceil(real(world) / real(perNode)), real(world));
}

namespace {

/// The ranks of an axis in a group: `take` of them, `every` places apart.
struct GroupPart {
    Axis axis;
    std::int64_t take = 1, every = 1;
};

/// @param layout the config's, or its ranks in other groups
GroupLink linkOf(const RunConfig& config, const ParallelLayout& layout, const ClusterSpec& cluster,
                 std::span<const GroupPart> parts) {
    const std::int64_t perNode = std::max<std::int64_t>(cluster.devicesPerNode, 1);
    if (cluster.numNodes == 1 || layout.worldSize() <= perNode)
        return linkOver(config, cluster, cluster.intraNode, 1, 1);
    // Ranks of rank 0's group by stride, innermost axis first: total number, and number in the first node.
    std::int64_t stride = 1, size = 1, inNode = 1;
    for (const std::string& word : layout.rankOrder) {
        std::int64_t degree = 1;
        for (const Axis axis : {Axis::Tp, Axis::Cp, Axis::Dp, Axis::Pp}) {
            if (wordOf(axis) != word) continue;
            degree = layout.degree(axis);
            for (const GroupPart& part : parts) {
                if (part.axis != axis) continue;
                size *= part.take;
                inNode *= std::clamp<std::int64_t>(perNode / (stride * part.every), 1, part.take);
            }
        }
        stride *= degree;
    }
    if (inNode >= size) return linkOver(config, cluster, cluster.intraNode, 1, real(size));
    // Neighbours in a node forward over their own cards, so k ranks of a node carry k rings at once.
    LinkSpec link = cluster.interNode;
    link.bytesPerSecond = std::min(cluster.intraNode.bytesPerSecond, link.bytesPerSecond * real(inNode));
    return linkOver(config, cluster, link, real(size) / real(inNode), real(size));
}

}  // namespace

GroupLink groupLink(const RunConfig& config, const ClusterSpec& cluster, std::initializer_list<Axis> axes) {
    std::array<GroupPart, 4> parts{};
    std::size_t count = 0;
    for (const Axis axis : axes) parts.at(count++) = {axis, config.parallel.degree(axis)};
    return linkOf(config, config.parallel, cluster, {parts.data(), count});
}

GroupLink expertLink(const RunConfig& config, const ClusterSpec& cluster) {
    ParallelLayout folded = config.parallel;
    folded.tp *= folded.ep;
    return linkOf(config, folded, cluster, std::array{GroupPart{Axis::Tp, folded.tp}});
}

GroupLink shardLink(const RunConfig& config, const ClusterSpec& cluster) {
    const ParallelLayout& p = config.parallel;
    return linkOf(config, p, cluster,
                  std::array{GroupPart{Axis::Cp, p.cp}, GroupPart{Axis::Dp, p.dpShard.value_or(p.dp)}});
}

GroupLink replicaLink(const RunConfig& config, const ClusterSpec& cluster) {
    const ParallelLayout& p = config.parallel;
    const std::int64_t inner = p.dpShard.value_or(p.dp);
    return linkOf(config, p, cluster, std::array{GroupPart{Axis::Dp, p.dp / inner, inner}});
}

PassTraffic tpLayerTraffic(const RunConfig& c, bool moeLayer) {
    const double t = real(c.parallel.tp);
    const double bytes = tokensPerRank(c) * real(c.model.hiddenSize) * elementBytes(c);
    // A layer has two regions (attention, feed-forward); a mixture's shared experts are such a network.
    const double regions = moeLayer && c.model.moe->numSharedExperts == 0 ? 1 : 2;
    const double again = forwardTimes(c);
    PassTraffic traffic;
    if (c.parallel.sequenceParallel) {
        traffic.forward.add(Collective::AllGather, t, bytes, regions);
        traffic.forward.add(Collective::ReduceScatter, t, bytes, regions);
        // Backward of each, plus gathering the input again for the weight gradients.
        traffic.backward.add(Collective::AllGather, t, bytes, regions * (2 + again));
        traffic.backward.add(Collective::ReduceScatter, t, bytes, regions * (1 + again));
    } else {
        traffic.forward.add(Collective::AllReduce, t, bytes, regions);
        traffic.backward.add(Collective::AllReduce, t, bytes, regions * (1 + again));
        if (moeLayer) {  // each rank routes its part of the tokens; then all have the whole output (trainer/model/moe_feed_forward.h)
            traffic.forward.add(Collective::AllGather, t, bytes, 1);
            traffic.backward.add(Collective::AllGather, t, bytes, 1 + again);
        }
    }
    return traffic;
}

PassTraffic tpEmbeddingTraffic(const RunConfig& c) {
    const double t = real(c.parallel.tp);
    const double bytes = tokensPerRank(c) * real(c.model.hiddenSize) * elementBytes(c);
    PassTraffic traffic;
    traffic.forward.add(c.parallel.sequenceParallel ? Collective::ReduceScatter : Collective::AllReduce, t, bytes, 1);
    if (c.parallel.sequenceParallel) traffic.backward.add(Collective::AllGather, t, bytes, 1);
    return traffic;
}

PassTraffic tpHeadTraffic(const RunConfig& c) {
    const double t = real(c.parallel.tp);
    const double bytes = tokensPerRank(c) * real(c.model.hiddenSize) * elementBytes(c);
    const double perToken = tokensPerRank(c) * std::max(4.0, elementBytes(c));
    PassTraffic traffic;
    if (c.parallel.sequenceParallel) {
        traffic.forward.add(Collective::AllGather, t, bytes, 1);
        traffic.backward.add(Collective::AllGather, t, bytes, 1);
        traffic.backward.add(Collective::ReduceScatter, t, bytes, 1);
    } else {
        traffic.backward.add(Collective::AllReduce, t, bytes, 1);
    }
    // Vocabulary-parallel cross-entropy: largest logit; sum of exponentials and the target's logit together.
    traffic.forward.add(Collective::AllReduce, t, perToken, 1);
    traffic.forward.add(Collective::AllReduce, t, 2 * perToken, 1);
    return traffic;
}

PassTraffic cpLayerTraffic(const RunConfig& c) {
    const double n = real(c.parallel.cp);
    PassTraffic traffic;
    if (n <= 1) return traffic;
    // Latent attention's values are padded to the size of its keys, which are per head at this point.
    const double q = c.model.mla ? real(c.model.numHeads * (c.model.mla->qkNopeHeadDim + c.model.mla->qkRopeHeadDim))
                                 : attentionWidth(c.model);
    const double kv =
        c.model.mla ? q : kvHeadsPerRank(c.model, c.parallel.tp) * real(c.model.headSize() * c.parallel.tp);
    const double local = tokensPerRank(c) * elementBytes(c) / real(c.parallel.tp);
    const double localSums = local / elementBytes(c) * std::max(4.0, elementBytes(c));  // gradients are summed in fp32
    const RecomputeSpec& recompute = c.train.recompute;
    const bool coreAgain = recompute.policy == RecomputePolicy::Selective && recompute.attention;
    const double again = coreAgain ? recomputedShare(c) : forwardTimes(c);
    switch (c.parallel.cpKind) {
        case CpKind::Ring:  // keys and values pass every rank; backward also their gradients, which then return
            traffic.forward.add(Collective::Send, n, 2 * kv * local, n - 1);
            traffic.backward.add(Collective::Send, n, 2 * kv * local, (n - 1) * (1 + again));
            traffic.backward.add(Collective::Send, n, 2 * kv * localSums, n);
            break;
        case CpKind::AllGather:
            traffic.forward.add(Collective::AllGather, n, 2 * kv * local * n, 1);
            traffic.backward.add(Collective::AllGather, n, 2 * kv * local * n, 1 + again);
            traffic.backward.add(Collective::ReduceScatter, n, 2 * kv * localSums * n, 1);
            break;
        case CpKind::Ulysses: {  // queries, keys, values in, output back
            const double width = 2 * q + 2 * kv;
            // A core recomputed alone still has its inputs; the output is sent back again.
            const double madeAgain = coreAgain ? q : width;
            traffic.forward.add(Collective::AllToAll, n, width * local, 1);
            traffic.backward.add(Collective::AllToAll, n, (width + again * madeAgain) * local, 1);
            break;
        }
    }
    return traffic;
}

PassTraffic epLayerTraffic(const RunConfig& c) {
    PassTraffic traffic;
    if (!c.model.moe) return traffic;
    // Each tensor-parallel rank dispatches its own part, with or without sequence parallelism, to all etp ranks of an expert.
    const ParallelLayout& p = c.parallel;
    const double ranks = real(p.ep * p.etp);
    const double bytes =
        tokensPerRank(c) / real(p.tp) * real(c.model.moe->topK * p.etp * c.model.hiddenSize) * elementBytes(c);
    traffic.forward.add(Collective::AllToAll, ranks, bytes, 2);
    traffic.backward.add(Collective::AllToAll, ranks, bytes, 2 + 2 * forwardTimes(c));
    return traffic;
}

namespace {

/// Number of mixture layers of a rank.
double mixturesOf(const RunConfig& c, const RankShare& share, const LayerParameters& last) {
    return share.experts > 0 ? share.experts / (last.routedExperts / real(c.parallel.ep * c.parallel.etp)) : 0;
}

/// Elements with gradients in parts on tensor-parallel ranks, each from its own tokens or heads.
double partialElements(const RunConfig& c, const RankShare& share) {
    const ParallelLayout& p = c.parallel;
    const EndParameters ends = countEnds(c.model);
    double parts = 0;
    if (p.sequenceParallel) {
        parts += real(share.numLayers) * countLayer(c.model, 0).norm;
        if (share.first) parts += ends.positions;
        if (share.last) parts += ends.finalNorm;
    }
    // Compressions of latent attention are on every rank, each with only its own heads.
    if (c.model.mla)
        parts += real(share.numLayers) * countLayer(c.model, 0).replicated;
    else if (c.model.qkNorm)
        parts += real(share.numLayers * 2 * c.model.headSize());
    // Each rank routed its own part of the tokens.
    const LayerParameters last = countLayer(c.model, c.model.numLayers - 1);
    return parts + mixturesOf(c, share, last) * last.router;
}

/// Passes of a step through one layer: DualPipe's two directions share the micro-batches.
double passesOf(const RunConfig& c) {
    return real(c.numMicroBatches()) / (c.parallel.pp > 1 && c.parallel.schedule == ScheduleKind::DualPipe ? 2 : 1);
}

/// Whether units of weights count as messages of their own: on a CPU each waits until the cores of all ranks are free. On accelerators
/// the latency of links was fitted to one message in a pass, whose hops a ring of many ranks would pay for each unit again.
bool sendsUnits(const RunConfig& c) {
    return c.train.device == DeviceKind::Cpu;
}

/// Collectives of a rank's weights or gradients in one pass under ZeRO-2 and ZeRO-3: one for each unit, which is a block, the final norm
/// or a table (trainer/model/stage_model.cpp).
/// @param uses passes of a block that need it
double unitCollectives(const RunConfig& c, const RankShare& share, double uses) {
    if (!sendsUnits(c)) return 1;
    double count = uses * real(share.numLayers);
    if (share.first) count += countEnds(c.model).positions > 0 ? 2 : 1;
    if (share.last) count += uses * 2;
    return count;
}

/// Elements of a rank's matrices, except experts, sharded over tensor-parallel ranks.
double cutMatrices(const RunConfig& c, const RankShare& share) {
    const double tp = real(c.parallel.tp);
    const LayerParameters layer = countLayer(c.model, c.model.numLayers - 1);
    const double whole = c.model.mla ? layer.replicated - layer.vectors / tp : layer.replicated * (1 - 1 / tp);
    return share.matrices - share.experts - real(share.numLayers) * whole - mixturesOf(c, share, layer) * layer.router;
}

}  // namespace

StepTraffic dpTraffic(const RunConfig& c, const RankShare& share) {
    const ParallelLayout& p = c.parallel;
    const double n = real(p.dp * p.cp);
    // Bytes of one element on the wire.
    const double reduced = p.reduceDtype == ReduceDtype::Bf16 ? 2 : c.train.precision == Precision::Fp64 ? 8 : 4;
    const double parameters = share.parameters - share.experts;  // experts follow below
    const double gradBytes = parameters * reduced;
    const double gradElement = std::max(4.0, elementBytes(c));
    // Sums over tp ranks and tied stages use the stored format.
    const double keptElement = c.train.precision == Precision::Fp64 ? 8 : real(storageBytes(c.train.gradDtype));
    const EndParameters ends = countEnds(c.model);
    const double table = ends.table / real(p.tp);
    const double inner = real(p.dpShard.value_or(p.dp));
    const double shards = p.zeroStage > 0 ? inner * real(p.cp) : 1;
    StepTraffic traffic;
    if (shards <= 1) {
        traffic.gradients.add(Collective::AllReduce, n, gradBytes, 1);
    } else {
        const double passes = passesOf(c);
        // A table that head and embedding of one rank share is used twice (trainer/model/stage_model.cpp).
        const double again = c.model.tieEmbeddings && share.first && share.last ? table : 0;
        if (p.zeroStage == 1)
            traffic.gradients.add(Collective::ReduceScatter, shards, gradBytes, 1);
        else {
            const double units = unitCollectives(c, share, 1);
            traffic.gradients.add(Collective::ReduceScatter, shards, (gradBytes + again * reduced) / units,
                                  passes * units);
            traffic.gradientPasses = passes;
        }
        if (p.zeroStage < 3) {
            traffic.weights.add(Collective::AllGather, shards, parameters * elementBytes(c), 1);
        } else {
            // Forward and backward of blocks, final norm and head; the embedding and the positions do not need their
            // weights in the backward pass.
            const double uses = p.reshardAfterForward ? 2 : 1;
            double gathered = uses * parameters + again;
            if (share.first) gathered -= (uses - 1) * (ends.positions + (again > 0 ? 0 : table));
            const double gathers = unitCollectives(c, share, uses);
            traffic.weights.add(Collective::AllGather, shards, gathered / gathers * elementBytes(c), passes * gathers);
        }
        traffic.replicas.add(Collective::AllReduce, real(p.dp) / inner, parameters / shards * gradElement, 1);
        if (c.optimizer.kind == OptimizerKind::Muon) {
            // Momenta of full units, or of buckets: matrices prevail there unless one bucket has everything except
            // tensors summed over other ranks first (trainer/optim/muon.cpp, bucket_layout.cpp).
            double elements = share.matrices - share.experts;
            if (parameters * keptElement <= real(p.bucketBytes)) {
                const bool tied = c.model.tieEmbeddings && p.pp > 1 && share.first != share.last;
                const bool vectors = p.tp > 1 && !c.model.mla && !c.model.moe;
                elements = parameters - (tied ? table : 0) - (vectors ? partialElements(c, share) : 0);
            }
            if (p.zeroStage >= 2) {
                elements = parameters - (share.last ? ends.finalNorm : 0) - (share.first ? ends.positions : 0);
                elements -=
                    table * ((share.first ? 1 : 0) + (share.last && !(share.first && c.model.tieEmbeddings) ? 1 : 0));
            }
            traffic.weights.add(Collective::AllGather, shards, elements * gradElement, 1);
        }
    }
    if (share.experts > 0) {
        const double copies = shardRanks(p).experts;
        const double layers = sendsUnits(c) ? mixturesOf(c, share, countLayer(c.model, c.model.numLayers - 1)) : 1;
        const auto passes = [&](bool perPass, double uses) -> double {
            return perPass ? passesOf(c) * uses * layers : 1;
        };
        const auto unit = [&](bool perPass) { return share.experts / (perPass ? layers : 1); };
        if (p.zeroStage == 0) {
            traffic.expertGradients.add(Collective::AllReduce, copies, share.experts * reduced, 1);
        } else {
            const bool reduces = p.zeroStage >= 2, gathers = p.zeroStage >= 3;
            traffic.expertGradients.add(Collective::ReduceScatter, copies, unit(reduces) * reduced, passes(reduces, 1));
            traffic.expertWeights.add(Collective::AllGather, copies, unit(gathers) * elementBytes(c),
                                      passes(gathers, p.reshardAfterForward ? 2 : 1));
            if (c.optimizer.kind == OptimizerKind::Muon)
                traffic.expertWeights.add(Collective::AllGather, copies, share.experts * gradElement, 1);
        }
    }
    // Under ZeRO 2 and 3 these sums are over the owned blocks.
    const double ofShard = p.zeroStage >= 2 ? shards : 1;
    // DualPipe has every stage on two ranks, which add up their gradients. A V has both ends on the first rank.
    if (p.pp > 1 && p.schedule == ScheduleKind::DualPipe)
        traffic.tied.add(
            Collective::AllReduce, 2,
            (parameters / ofShard + share.experts / (p.zeroStage >= 2 ? shardRanks(p).experts : 1)) * keptElement, 1);
    else if (c.model.tieEmbeddings && p.pp > 1 && share.first != share.last)
        traffic.tied.add(Collective::AllReduce, 2, table / ofShard * keptElement, 1);
    const double parts = partialElements(c, share);
    traffic.tpGradients.add(Collective::AllReduce, real(p.tp), parts / ofShard * keptElement, 1);
    // Ranks with the same key-value head add up their parts, each in its head's place (trainer/optim/main_gradients.h).
    if (repeatedKvParameters(c.model, p.tp) > 0) {
        const double ofHeads = real(c.model.kvHeads() * c.model.headSize()) * 2 *
                               (real(c.model.hiddenSize) + (c.model.hasQkvBias() ? 1 : 0));
        traffic.tpGradients.add(Collective::AllReduce, real(p.tp),
                                real(share.numLayers) * ofHeads / ofShard * keptElement, 1);
    }
    if (c.optimizer.kind == OptimizerKind::Muon) {  // matrices are gathered
        traffic.tpGradients.add(Collective::AllGather, real(p.tp), cutMatrices(c, share) * real(p.tp) * gradElement, 1);
        traffic.tpGradients.add(Collective::AllGather, real(p.etp), share.experts * real(p.etp) * gradElement, 1);
    }
    const double world = real(p.worldSize());
    traffic.scalars.add(Collective::AllGather, world, 8 * world, 1);  // squares of the gradients' norm
    traffic.scalars.add(Collective::AllReduce, world, 16, 1);         // loss and valid tokens
    return traffic;
}

}  // namespace slipway
