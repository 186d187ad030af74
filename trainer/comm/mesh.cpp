#include "trainer/comm/mesh.h"

#include "trainer/comm/self_group.h"

#include <algorithm>

namespace slipway::trainer {

namespace {

// The ranks of one pipeline with copies of the same weights as `worldRank`: both ends of a pipeline (a tied
// embedding), no others in a V, whose ends are one rank, and with DualPipe the rank with the same stages for the other
// direction.
std::vector<std::int64_t> sharersOfWeights(const ParallelLayout& layout, const std::vector<std::int64_t>& stages,
                                           std::int64_t worldRank) {
    const auto place = static_cast<std::size_t>(std::find(stages.begin(), stages.end(), worldRank) - stages.begin());
    const std::size_t opposite = stages.size() - 1 - place;
    const bool isV = layout.schedule == ScheduleKind::ZbV || layout.schedule == ScheduleKind::DualPipeV;
    const bool atAnEnd = std::min(place, opposite) == 0;
    if (opposite == place || isV || (layout.schedule != ScheduleKind::DualPipe && !atAnEnd)) return {worldRank};
    return {stages[std::min(place, opposite)], stages[std::max(place, opposite)]};
}

}  // namespace

ProcessMesh makeMesh(const ParallelLayout& layout, std::int64_t worldRank, const GroupMaker& make) {
    const auto group = [&](const std::string& name, const std::vector<std::int64_t>& ranks) {
        return ranks.size() > 1 ? make(name, ranks) : makeSelfGroup(name);
    };
    ProcessMesh mesh;
    mesh.layout = layout;
    mesh.at = layout.coordinates(worldRank);
    mesh.worldRank = static_cast<int>(worldRank);

    std::vector<std::int64_t> all;
    for (std::int64_t rank = 0; rank < layout.worldSize(); ++rank) all.push_back(rank);
    mesh.world = group("world", all);
    mesh.tp = group("tp", layout.groupOf(Axis::Tp, worldRank));
    mesh.cp = group("cp", layout.groupOf(Axis::Cp, worldRank));
    mesh.dp = group("dp", layout.groupOf({Axis::Cp, Axis::Dp}, worldRank));
    if (layout.zeroStage > 0 && layout.dpShard.value_or(layout.dp) < layout.dp) {
        const std::int64_t inner = *layout.dpShard;
        std::vector<std::int64_t> sharing, same;
        for (const std::int64_t rank : layout.groupOf({Axis::Cp, Axis::Dp}, worldRank)) {
            const Coordinates c = layout.coordinates(rank);
            if (c.dp / inner == mesh.at.dp / inner) sharing.push_back(rank);
            if (c.dp % inner == mesh.at.dp % inner && c.cp == mesh.at.cp) same.push_back(rank);
        }
        mesh.dpShard = group("dp_shard", sharing);
        mesh.dpReplica = group("dp_replica", same);
    }
    mesh.pp = group("pp", layout.groupOf(Axis::Pp, worldRank));
    const std::vector<std::int64_t> stages = layout.groupOf(Axis::Pp, worldRank);
    mesh.tied = group("tied", sharersOfWeights(layout, stages, worldRank));
    const std::vector<std::int64_t> experts = layout.expertGroup(worldRank);
    mesh.experts = group("experts", experts);
    const auto first =
        (std::find(experts.begin(), experts.end(), worldRank) - experts.begin()) / layout.etp * layout.etp;
    mesh.etp = group("etp", {experts.begin() + first, experts.begin() + first + layout.etp});
    mesh.edp = group("edp", layout.expertReplicas(worldRank));
    return mesh;
}

}  // namespace slipway::trainer
