#include "core/launch/launcher.h"

#include "core/launch/local_launcher.h"

namespace slipway {

LaunchHandle handleOf(const LaunchPlan& plan, const RunDir& folder) {
    LaunchHandle handle{plan.launcher, plan.runId, plan.attempt, folder.path, {}, plan.job};
    for (const NodePlan& node : plan.nodes) handle.nodes.push_back(node.node);
    return handle;
}

Result<std::unique_ptr<Launcher>> makeLauncher(const std::string& kind, const Programs& programs) {
    if (kind == "local") return std::make_unique<LocalLauncher>(programs);
    return fail("unknown_launcher", "There is no launcher \"%1\"; this version knows: local."_text(kind), "launcher");
}

}  // namespace slipway
