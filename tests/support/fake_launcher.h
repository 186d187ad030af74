// A launcher without processes: files are texts in a map, presence is what the test says, answers come at the next poll
// or, while `cut` is set, as failures (a dead link).
#pragma once

#include "core/launch/launcher.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace slipway::test {

class FakeLauncher : public Launcher {
public:
    std::map<std::string, std::string> files;  ///< by path relative to the run folder
    std::map<std::string, AgentPresence> presences;
    bool cut = false;
    bool startFails = false;
    std::vector<StopKind> stops;

    RequestId check(const std::string& node) override { return answer(LaunchEvent::Kind::Checked, node).request; }
    RequestId start(const LaunchPlan&, const RunDir&) override {
        LaunchEvent& event = answer(startFails ? LaunchEvent::Kind::Failed : LaunchEvent::Kind::Started, "");
        if (startFails) event.error = {"agent_failed", "No agent here.", ""};
        return event.request;
    }
    RequestId stop(const LaunchHandle&, StopKind kind) override {
        stops.push_back(kind);
        return answer(LaunchEvent::Kind::Stopped, "").request;
    }
    RequestId readFrom(const LaunchHandle&, const std::string& node, const std::filesystem::path& path,
                       std::int64_t offset) override {
        LaunchEvent& event = answer(LaunchEvent::Kind::Data, node);
        const auto file = files.find(path.string());
        event.missing = file == files.end();
        if (event.missing) return event.request;
        event.fileBytes = file->second.size();
        event.offset =
            offset < 0 ? event.fileBytes - std::min<std::uint64_t>(event.fileBytes, static_cast<std::uint64_t>(-offset))
                       : static_cast<std::uint64_t>(offset);
        if (event.offset < event.fileBytes) event.bytes = file->second.substr(event.offset);
        return event.request;
    }
    RequestId presence(const LaunchHandle&, const std::string& node) override {
        LaunchEvent& event = answer(LaunchEvent::Kind::Presence, node);
        event.presence = presences.contains(node) ? presences[node] : AgentPresence::NotStarted;
        return event.request;
    }
    std::vector<LaunchEvent> poll(double) override { return std::exchange(m_ready, {}); }

private:
    LaunchEvent& answer(LaunchEvent::Kind kind, const std::string& node) {
        LaunchEvent event;
        event.request = ++m_last;
        event.kind = cut ? LaunchEvent::Kind::Failed : kind;
        event.node = node;
        if (cut) event.error = {"unreachable", "The node cannot be reached.", node};
        m_ready.push_back(std::move(event));
        return m_ready.back();
    }

    RequestId m_last = 0;
    std::vector<LaunchEvent> m_ready;
};

}  // namespace slipway::test
