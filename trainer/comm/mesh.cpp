#include "trainer/comm/mesh.h"

#include "trainer/comm/self_group.h"

namespace slipway::trainer {

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
    mesh.pp = group("pp", layout.groupOf(Axis::Pp, worldRank));
    const std::vector<std::int64_t> stages = layout.groupOf(Axis::Pp, worldRank);
    const bool atAnEnd = worldRank == stages.front() || worldRank == stages.back();
    mesh.tied = stages.size() > 1 && atAnEnd ? group("tied", {stages.front(), stages.back()}) : makeSelfGroup("tied");
    return mesh;
}

}  // namespace slipway::trainer
