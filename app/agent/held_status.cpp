#include "app/agent/held_status.h"

#include "core/base/own_file.h"
#include "core/process/proc_facts.h"
#include "core/spec/agent_files.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace slipway {

bool HeldStatus::hold(const Json& request, const RunDir& folder, const std::string& node, double fromSeconds,
                      double untilSeconds) {
    constexpr std::size_t kMost = 1024;
    if (m_held.size() >= kMost) return false;
    const auto text = readOwnFile(folder.agentFolder(node) / "id.json");
    const auto id = text ? parseAgentId(*text, "id.json") : Result<AgentId>(fail(text.error()));
    if (!id) return false;
    auto agent = std::make_unique<FileDescriptor>(openProcess({id->pid, id->startTicks, id->bootId}));
    if (agent->number < 0) return false;
    Json kept = request;
    kept.erase("patience_ms");
    m_held.push_back({std::make_shared<const Json>(std::move(kept)), std::move(agent), fromSeconds, untilSeconds});
    return true;
}

std::vector<std::shared_ptr<const Json>> HeldStatus::due(double now, const std::function<bool(const Json&)>& hasNews) {
    constexpr double kLookSeconds = 0.25;
    std::vector<std::shared_ptr<const Json>> requests;
    std::erase_if(m_held, [&](Held& held) {
        pollfd agent{held.agent->number, POLLIN, 0};
        bool isDue = now >= held.untilSeconds || ::poll(&agent, 1, 0) != 0;
        if (!isDue && now >= held.lookSeconds) {
            held.lookSeconds = now + kLookSeconds;
            isDue = hasNews(*held.request);
        }
        if (isDue) requests.push_back(std::move(held.request));
        return isDue;
    });
    return requests;
}

void HeldStatus::addSockets(std::vector<pollfd>& sockets) const {
    for (const Held& held : m_held) sockets.push_back({held.agent->number, POLLIN, 0});
}

int HeldStatus::milliseconds(double now, int most) const {
    double least = most;
    for (const Held& held : m_held)
        least = std::min(least, std::ceil(1000 * (std::min(held.lookSeconds, held.untilSeconds) - now)));
    return static_cast<int>(std::max(0.0, least));
}

}  // namespace slipway
