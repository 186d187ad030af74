#include "core/launch/launcher.h"

#include "core/base/own_file.h"
#include "core/launch/local_launcher.h"
#include "core/launch/slurm_launcher.h"
#include "core/launch/ssh_launcher.h"

#include <poll.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace slipway {

void Launcher::wait(double seconds) const {
    ::poll(nullptr, 0, static_cast<int>(seconds * 1000));
}

std::optional<Error> Launcher::endOf(const LaunchHandle&) const {
    return {};
}

std::optional<LaunchPlan> Launcher::newAttempt(const LaunchHandle&) {
    return {};
}

LaunchHandle handleOf(const LaunchPlan& plan, const RunDir& folder) {
    LaunchHandle handle{plan.launcher, plan.runId, plan.attempt, folder.path, {}, plan.job};
    for (const NodePlan& node : plan.nodes) handle.nodes.push_back(node.node);
    return handle;
}

bool hasAgent(const RunDir& folder, const LaunchHandle& handle) {
    return std::ranges::any_of(handle.nodes, [&](const std::string& node) {
        const auto text = readOwnFile(folder.agentFolder(node) / "id.json");
        const auto agent = text ? parseAgentId(*text, "id.json") : Result<AgentId>(fail(text.error()));
        return agent && agent->attempt == handle.attempt;
    });
}

LaunchEvent readRunFile(const RunDir& folder, const std::filesystem::path& relativePath, std::int64_t offset) {
    const std::filesystem::path path = folder.path / relativePath;
    std::error_code code;
    const auto measured = std::filesystem::file_size(path, code);
    const std::uint64_t size = code ? 0 : measured;
    const auto back = static_cast<std::uint64_t>(offset < 0 ? -offset : 0);
    LaunchEvent event;
    event.offset = offset >= 0 ? static_cast<std::uint64_t>(offset) : size - std::min(size, back);
    event.fileBytes = size;
    auto bytes = readOwnFile(path, event.offset, Launcher::kMaxReadBytes);
    event.missing = !bytes && bytes.error().code == "file_missing";
    if (bytes || event.missing) event.kind = LaunchEvent::Kind::Data;
    if (bytes)
        event.bytes = std::move(*bytes);
    else if (!event.missing)
        event.error = bytes.error();
    return event;
}

Result<std::unique_ptr<Launcher>> makeLauncher(const std::string& kind, const Programs& programs, const Home& home,
                                               std::shared_ptr<NodeLinks> links, std::shared_ptr<SlurmQueue> queue) {
    if (kind == "local") return std::make_unique<LocalLauncher>(programs);
    if (!links) links = std::make_shared<NodeLinks>(programs.agent);
    if (kind == "ssh") return std::make_unique<SshLauncher>(home, std::move(links));
    if (kind == "slurm") return std::make_unique<SlurmLauncher>(programs, home, std::move(links), std::move(queue));
    return fail("unknown_launcher", "Unknown launcher \"%1\"; this version has local, ssh and slurm."_text(kind),
                "launcher");
}

}  // namespace slipway
