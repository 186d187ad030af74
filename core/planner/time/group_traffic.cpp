#include "core/planner/time/group_traffic.h"

#include <algorithm>

namespace slipway {

GroupLink groupLink(const RunConfig& config, const ClusterSpec& cluster, TrafficGroup group) {
    const ParallelLayout& p = config.parallel;
    const bool split = p.zeroStage > 0 && p.dpShard.value_or(p.dp) != p.dp;
    switch (group) {
        case TrafficGroup::Tp: return groupLink(config, cluster, {Axis::Tp});
        case TrafficGroup::Cp: {
            GroupLink link = groupLink(config, cluster, {Axis::Cp});
            link.receiverIsIdle = false;
            return link;
        }
        case TrafficGroup::Experts: return expertLink(config, cluster);
        case TrafficGroup::Pp: return groupLink(config, cluster, {Axis::Pp});
        case TrafficGroup::Shards:
            if (split) return shardLink(config, cluster);
            break;
        case TrafficGroup::Replicas:
            if (split) return replicaLink(config, cluster);
            break;
        case TrafficGroup::World: return worldLink(config, cluster);
        case TrafficGroup::Dp: break;
    }
    return groupLink(config, cluster, {Axis::Dp, Axis::Cp});
}

std::vector<GroupOperation> groupOperations(const RunConfig& config, const ClusterSpec& cluster,
                                            const RankShare& share) {
    std::vector<GroupOperation> all;
    const auto add = [&](const Traffic& traffic, TrafficGroup group) {
        if (traffic.operations.size() == 0) return;
        const GroupLink link = groupLink(config, cluster, group);
        for (const Operation& o : traffic.operations)
            if (std::none_of(all.begin(), all.end(), [&](const GroupOperation& one) {
                    return one.kind == o.kind && one.ranks == o.ranks && one.link.nodes == link.nodes;
                }))
                all.push_back({o.kind, o.ranks, link});
    };
    eachPassTraffic(config, [&](PassPlace, TrafficGroup group, const PassTraffic& traffic) {
        if (group == TrafficGroup::Pp && config.parallel.pp == 1) return;
        add(traffic.forward, group);
        add(traffic.backward, group);
    });
    eachStepTraffic(dpTraffic(config, share),
                    [&](StepPart, TrafficGroup group, const Traffic& traffic) { add(traffic, group); });
    return all;
}

}  // namespace slipway
