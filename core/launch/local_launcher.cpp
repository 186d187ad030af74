#include "core/launch/local_launcher.h"

#include "core/base/file.h"
#include "core/base/own_file.h"
#include "core/process/proc_facts.h"
#include "core/spec/agent_files.h"

#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace slipway {
namespace {

constexpr double kStartSeconds = 60;
constexpr int kAlreadyStarted = 4;  // exit code of slipway-agent

void requireProgram(const std::filesystem::path& path, const char* name, Issues& issues) {
    const std::string text(name);
    if (path.empty()) {
        issues.push_back(issueOf(
            Severity::Error, "program_missing", text,
            "%1 was not found in the folder of this program; build it, or name its folder in SLIPWAY_BIN_DIR."_text(
                text)));
    } else if (::access(path.c_str(), X_OK) != 0) {
        issues.push_back(
            issueOf(Severity::Error, "program_not_executable", text, "%1 cannot be executed."_text(path.string())));
    }
}

}  // namespace

LaunchEvent& LocalLauncher::answer(LaunchEvent::Kind kind, const std::string& node) {
    LaunchEvent event;
    event.request = ++m_lastRequest;
    event.kind = kind;
    event.node = node;
    m_ready.push_back(std::move(event));
    return m_ready.back();
}

RequestId LocalLauncher::check(const std::string& node) {
    LaunchEvent& event = answer(LaunchEvent::Kind::Checked, node);
    requireProgram(m_programs.agent, "slipway-agent", event.issues);
    requireProgram(m_programs.trainer, "slipway-trainer", event.issues);
    return event.request;
}

RequestId LocalLauncher::start(const LaunchPlan& plan, const RunDir& folder) {
    const RequestId request = ++m_lastRequest;
    for (const NodePlan& node : plan.nodes) {
        ProcessSpec spec;
        spec.arguments = {m_programs.agent.string(), "--run-dir", folder.path.string(), "--node", node.node};
        spec.captureOutput = true;
        spec.newSession = true;  // a Ctrl-C in the terminal must not reach an agent about to detach itself
        auto process = Process::start(spec);
        if (process) {
            m_starting.push_back({request, node.node, std::move(*process), -1});
            continue;
        }
        LaunchEvent event;
        event.request = request;
        event.node = node.node;
        event.error = process.error();
        m_ready.push_back(std::move(event));
    }
    return request;
}

RequestId LocalLauncher::stop(const LaunchHandle& handle, StopKind kind) {
    const RunDir folder{handle.folder};
    const auto path = kind == StopKind::Stop ? folder.stopFile() : folder.killFile();
    auto done = makeFolders(path.parent_path());
    if (done) done = writeFileAtomically(path, "attempt " + std::to_string(handle.attempt) + "\n");
    LaunchEvent& event = answer(done ? LaunchEvent::Kind::Stopped : LaunchEvent::Kind::Failed, "");
    if (!done) event.error = done.error();
    return event.request;
}

RequestId LocalLauncher::readFrom(const LaunchHandle& handle, const std::string& node,
                                  const std::filesystem::path& relativePath, std::int64_t offset) {
    LaunchEvent event = readRunFile(RunDir{handle.folder}, relativePath, offset);
    event.request = ++m_lastRequest;
    event.node = node;
    m_ready.push_back(std::move(event));
    return m_lastRequest;
}

RequestId LocalLauncher::presence(const LaunchHandle& handle, const std::string& node) {
    const RunDir folder{handle.folder};
    AgentPresence presence = agentPresence(folder, node, handle.attempt, m_lastNowSeconds);
    watch(folder.agentFolder(node), presence == AgentPresence::Alive);
    const bool starting =
        std::any_of(m_starting.begin(), m_starting.end(), [&](const Starting& s) { return s.node == node; });
    if (presence == AgentPresence::NotStarted && starting) presence = AgentPresence::Unknown;
    LaunchEvent& event = answer(LaunchEvent::Kind::Presence, node);
    event.presence = presence;
    return event.request;
}

void LocalLauncher::watch(const std::filesystem::path& agent, bool isRunning) {
    if (!isRunning) {
        m_agents.erase(agent);
        return;
    }
    if (m_agents.contains(agent)) return;
    const auto text = readOwnFile(agent / "id.json");
    const auto id = text ? parseAgentId(*text, "id.json") : Result<AgentId>(fail(text.error()));
    if (!id) return;
    auto opened = std::make_unique<FileDescriptor>(openProcess({id->pid, id->startTicks, id->bootId}));
    if (opened->number >= 0) m_agents[agent] = std::move(opened);
}

std::vector<int> LocalLauncher::newsFds() const {
    std::vector<int> fds;
    for (const Starting& starting : m_starting)
        if (starting.process.pidFd() >= 0) fds.push_back(starting.process.pidFd());
    for (const auto& [folder, agent] : m_agents) fds.push_back(agent->number);
    return fds;
}

void LocalLauncher::finish(const Starting& starting, const ExitState& exit) {
    LaunchEvent event;
    event.request = starting.request;
    event.node = starting.node;
    event.kind = exit.ok() ? LaunchEvent::Kind::Started : LaunchEvent::Kind::Failed;
    if (!exit.ok()) {
        std::string words = starting.process.errorOutput();
        while (!words.empty() && words.back() == '\n') words.pop_back();
        if (words.empty()) words = "slipway-agent ended with " + exit.text() + ".";
        event.error = {exit.code == kAlreadyStarted ? "already_started" : "agent_failed", words, starting.node};
    }
    m_ready.push_back(std::move(event));
}

std::vector<LaunchEvent> LocalLauncher::poll(double nowSeconds) {
    m_lastNowSeconds = nowSeconds;
    for (auto it = m_starting.begin(); it != m_starting.end();) {
        if (it->deadlineSeconds < 0) it->deadlineSeconds = nowSeconds + kStartSeconds;
        if (const auto& exit = it->process.poll()) {
            finish(*it, *exit);
            it = m_starting.erase(it);
        } else if (nowSeconds > it->deadlineSeconds) {
            // Not killed: it may still start, and the claim in the run folder prevents a second start.
            LaunchEvent event;
            event.request = it->request;
            event.node = it->node;
            event.error = {"agent_silent", "slipway-agent has not answered within a minute.", it->node};
            m_ready.push_back(std::move(event));
            it = m_starting.erase(it);
        } else {
            ++it;
        }
    }
    return std::exchange(m_ready, {});
}

}  // namespace slipway
