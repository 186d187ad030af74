#include "core/launch/local_launcher.h"

#include "core/base/file.h"
#include "core/base/own_file.h"
#include "core/process/host_identity.h"
#include "core/process/proc_facts.h"

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
            "%1 was not found beside this program; build it, or name its folder in SLIPWAY_BIN_DIR."_text(text)));
    } else if (::access(path.c_str(), X_OK) != 0) {
        issues.push_back(
            issueOf(Severity::Error, "program_not_executable", text, "%1 cannot be executed."_text(path.string())));
    }
}

Result<AgentHeartbeat> heartbeatOf(const RunDir& folder, const std::string& node) {
    const auto text = readOwnFile(folder.agentFolder(node) / "heartbeat.json");
    return text ? parseAgentHeartbeat(*text, "heartbeat.json") : Result<AgentHeartbeat>(fail(text.error()));
}

// Ranks die with their agent, but not at the same instant.
bool anyRankAlive(const RunDir& folder, const std::string& node, const AgentId& id) {
    const auto beat = heartbeatOf(folder, node);
    if (!beat || beat->attempt != id.attempt) return false;
    return std::any_of(beat->ranks.begin(), beat->ranks.end(), [&](const RankState& rank) {
        return isAlive({rank.pid, rank.startTicks, id.bootId});
    });
}

/// After a restart of this computer its agents are gone. Another computer may bear the same name, though: a heartbeat that
/// was written in the last minute is one of its agents.
bool wasRestarted(const RunDir& folder, const std::string& node, double nowSeconds) {
    constexpr double kSilentSeconds = 60;
    const auto beat = heartbeatOf(folder, node);
    return !beat || nowSeconds - static_cast<double>(beat->timeUnixMilliseconds) / 1000 > kSilentSeconds;
}

bool hasEnded(const RunDir& folder, const std::string& node, const AgentId& id) {
    const auto text = readOwnFile(folder.agentFolder(node) / "exit.json");
    const auto exit = text ? parseAgentExit(*text, "exit.json") : Result<AgentExit>(fail(text.error()));
    return exit && exit->attempt == id.attempt;
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
        spec.newSession = true;  // a Ctrl-C in the terminal must not reach an agent that is about to detach itself
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
    const std::filesystem::path path = handle.folder / relativePath;
    std::error_code code;
    const auto measured = std::filesystem::file_size(path, code);
    const std::uint64_t size = code ? 0 : measured;
    const auto back = static_cast<std::uint64_t>(offset < 0 ? -offset : 0);
    const std::uint64_t from = offset >= 0 ? static_cast<std::uint64_t>(offset) : size - std::min(size, back);
    auto bytes = readOwnFile(path, from, kMaxReadBytes);
    const bool missing = !bytes && bytes.error().code == "file_missing";
    LaunchEvent& event = answer(bytes || missing ? LaunchEvent::Kind::Data : LaunchEvent::Kind::Failed, node);
    event.offset = from;
    event.fileBytes = size;
    event.missing = missing;
    if (bytes) {
        event.bytes = std::move(*bytes);
    } else if (!missing) {
        event.error = bytes.error();
    }
    return event.request;
}

RequestId LocalLauncher::presence(const LaunchHandle& handle, const std::string& node) {
    AgentPresence presence = AgentPresence::NotStarted;
    const RunDir folder{handle.folder};
    if (const auto text = readOwnFile(folder.agentFolder(node) / "id.json")) {
        const auto id = parseAgentId(*text, "id.json");
        const bool isOurs = id && id->attempt == handle.attempt;
        const Reach reach = isOurs ? reachOf({id->host, id->bootId, id->pidNamespace}) : Reach::Here;
        if (isOurs && reach == Reach::Here) {
            // With its exit.json written the agent has nothing left to do but end.
            const ProcessIdentity agent{id->pid, id->startTicks, id->bootId};
            const bool agentAlive = isAlive(agent) && !hasEnded(folder, node, *id);
            watch(folder.agentFolder(node), agent, agentAlive);
            const bool alive = agentAlive || anyRankAlive(folder, node, *id);
            presence = alive ? AgentPresence::Alive : AgentPresence::Gone;
        } else if (isOurs) {
            const bool isGone = reach == Reach::Rebooted && wasRestarted(folder, node, m_lastNowSeconds);
            presence = isGone ? AgentPresence::Gone : AgentPresence::Elsewhere;
        }
    }
    const bool starting =
        std::any_of(m_starting.begin(), m_starting.end(), [&](const Starting& s) { return s.node == node; });
    if (presence == AgentPresence::NotStarted && starting) presence = AgentPresence::Unknown;
    LaunchEvent& event = answer(LaunchEvent::Kind::Presence, node);
    event.presence = presence;
    return event.request;
}

void LocalLauncher::watch(const std::filesystem::path& agent, const ProcessIdentity& identity, bool isRunning) {
    if (!isRunning) {
        m_agents.erase(agent);
    } else if (!m_agents.contains(agent)) {
        auto opened = std::make_unique<FileDescriptor>(openProcess(identity));
        if (opened->number >= 0) m_agents[agent] = std::move(opened);
    }
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
            // Not killed: it may still come, and the claim in the run folder keeps a second start out.
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
