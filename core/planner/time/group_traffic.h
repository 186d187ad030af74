// Traffic of a rank by group: the single list of it, for times, bounds, advice and explanations.
//   eachPassTraffic(config, [&](PassPlace place, TrafficGroup group, const PassTraffic& traffic) { ... });
//   traffic.forward.seconds(groupLink(config, cluster, group))
#pragma once

#include "core/planner/memory/activations.h"
#include "core/planner/time/communication.h"

#include <vector>

namespace slipway {

/// Ranks that send to each other.
enum class TrafficGroup {
    Tp,
    Cp,
    Experts,   ///< ep x etp, folded over the data-parallel neighbours
    Pp,        ///< neighbouring stages
    Dp,        ///< all ranks with the same weights: dp x cp
    Shards,    ///< of them, those that share one copy of the model state (parallel.dp_shard)
    Replicas,  ///< of them, those that hold the same part of it
    World,
};
/// Link of the group's operations.
GroupLink groupLink(const RunConfig& config, const ClusterSpec& cluster, TrafficGroup group);

/// Places where a micro-batch sends.
enum class PassPlace { DenseLayer, MoeLayer, Embedding, Head, StageEnd };

/// Calls visit(PassPlace, TrafficGroup, const PassTraffic&) for all traffic of one micro-batch, once per place and group.
template <class Visit>
void eachPassTraffic(const RunConfig& config, Visit visit) {
    const bool moe = config.model.moe.has_value();
    visit(PassPlace::DenseLayer, TrafficGroup::Tp, tpLayerTraffic(config, false));
    if (moe) {
        visit(PassPlace::MoeLayer, TrafficGroup::Tp, tpLayerTraffic(config, true));
        visit(PassPlace::MoeLayer, TrafficGroup::Experts, epLayerTraffic(config));
    }
    visit(PassPlace::Embedding, TrafficGroup::Tp, tpEmbeddingTraffic(config));
    visit(PassPlace::Head, TrafficGroup::Tp, tpHeadTraffic(config));
    if (config.parallel.cp > 1) {
        const PassTraffic layer = cpLayerTraffic(config);
        visit(PassPlace::DenseLayer, TrafficGroup::Cp, layer);
        if (moe) visit(PassPlace::MoeLayer, TrafficGroup::Cp, layer);
    }
    PassTraffic message;
    message.forward.add(Collective::Send, 2, residualBytes(config), 1);
    visit(PassPlace::StageEnd, TrafficGroup::Pp, message);
}

/// Traffic sent once per step: sums of gradients, weights after the update or before the passes, the rest.
enum class StepPart { Gradients, Weights, Other };

/// Calls visit(StepPart, TrafficGroup, const Traffic&) for all traffic of a rank in a step outside its passes.
template <class Visit>
void eachStepTraffic(const StepTraffic& traffic, Visit visit) {
    visit(StepPart::Gradients, TrafficGroup::Shards, traffic.gradients);
    visit(StepPart::Gradients, TrafficGroup::Replicas, traffic.replicas);
    visit(StepPart::Gradients, TrafficGroup::Dp, traffic.expertGradients);
    visit(StepPart::Weights, TrafficGroup::Shards, traffic.weights);
    visit(StepPart::Weights, TrafficGroup::Dp, traffic.expertWeights);
    visit(StepPart::Other, TrafficGroup::Pp, traffic.tied);
    visit(StepPart::Other, TrafficGroup::Tp, traffic.tpGradients);
    visit(StepPart::Other, TrafficGroup::World, traffic.scalars);
}

/// An operation of a step and its link.
struct GroupOperation {
    Collective kind = Collective::AllReduce;
    double ranks = 0;
    GroupLink link;
};
/// The operations in a step of a rank with this share of the model, each kind and group once.
std::vector<GroupOperation> groupOperations(const RunConfig& config, const ClusterSpec& cluster,
                                            const RankShare& share);

}  // namespace slipway
