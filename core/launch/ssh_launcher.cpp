#include "core/launch/ssh_launcher.h"

#include "core/base/error_of.h"
#include "core/base/file.h"
#include "core/base/own_file.h"
#include "core/launch/lost_attempts.h"
#include "core/remote/node_record.h"
#include "core/spec/stored_config.h"

#include <nlohmann/json.hpp>
#include <poll.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <set>
#include <system_error>
#include <utility>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr double kRecordSeconds = 5;

std::string timeOf(double unixSeconds) {
    const auto time = static_cast<std::time_t>(unixSeconds);
    std::tm parts{};
    ::localtime_r(&time, &parts);
    char text[16];
    std::strftime(text, sizeof text, "%H:%M:%S", &parts);
    return text;
}

/// The token file in the config; empty if none.
Result<fs::path> dataOf(const RunDir& folder, const Home& home) {
    const auto json = readOwnJson(folder.config());
    if (!json) return fail(json.error());
    const auto stored = readStoredConfig(*json, folder.config().string());
    if (!stored) return fail(stored.error());
    const std::string& tokens = stored->acting.data.tokens;
    return tokens.empty() ? fs::path() : home.tokenFile(tokens);
}

Result<std::set<std::int64_t>> ranksOn(const RunDir& folder, const std::string& node) {
    const auto text = readOwnFile(folder.launch());
    if (!text) return fail(text.error());
    const auto plan = parseLaunchPlan(*text, folder.launch().string());
    if (!plan) return fail(plan.error());
    std::set<std::int64_t> ranks;
    for (const NodePlan& each : plan->nodes)
        if (each.node == node)
            for (const RankCommand& rank : each.ranks) ranks.insert(rank.rank);
    return ranks;
}

fs::path startLock(const fs::path& folder) {
    return folder / "control" / "starting";
}

}  // namespace

LaunchEvent& SshLauncher::answer(LaunchEvent::Kind kind, const std::string& node) {
    LaunchEvent event;
    event.request = ++m_lastRequest;
    event.kind = kind;
    event.node = node;
    m_ready.push_back(std::move(event));
    return m_ready.back();
}

Result<SshLauncher::Node*> SshLauncher::nodeOf(const std::string& name) {
    Node& node = m_nodes[name];
    if (!node.link) {
        auto record = findNode(m_home, name);
        if (!record) return fail(record.error());
        node.link = m_links->link(*record);
    }
    return &node;
}

Result<void> SshLauncher::follow(const LaunchHandle& handle, const std::string& name) {
    const auto node = nodeOf(name);
    if (!node) return fail(node.error());
    if (m_handle.attempt != handle.attempt || m_handle.folder != handle.folder)
        for (auto& [other, each] : m_nodes)
            each.mirror.reset(), each.pull.reset(), each.stopDelivered = each.killDelivered = false;
    m_handle = handle;
    if ((*node)->mirror) return {};
    const auto ranks = ranksOn(RunDir{handle.folder}, name);
    if (!ranks) return fail(ranks.error());
    (*node)->mirror = std::make_unique<RunMirror>(RunDir{handle.folder}, handle.runId, name, handle.attempt, *ranks,
                                                  (*node)->link->node().home);
    (*node)->pull =
        std::make_unique<CheckpointPull>(RunDir{handle.folder}, handle.runId, name, (*node)->link->node().home, *ranks);
    return {};
}

/// The nodes of earlier attempts: those with an agent's folder here.
std::vector<RemoteStart::Node> SshLauncher::formerNodes(const RunDir& folder) {
    std::vector<RemoteStart::Node> former;
    std::error_code code;
    const std::vector<LostAttempt> lost = lostAttempts(folder);
    for (const auto& entry : fs::directory_iterator(folder.agentFolder("").parent_path(), code)) {
        const std::string name = entry.path().filename().string();
        // What a given-up attempt has saved since it was lost does not count.
        const auto isLost = [&](const LostAttempt& each) {
            return each.node == name && each.stoppedUnixMilliseconds == 0;
        };
        if (std::ranges::any_of(lost, isLost)) continue;
        if (const auto node = nodeOf(name)) former.push_back({name, (*node)->link.get()});
    }
    return former;
}

RequestId SshLauncher::check(const std::string& node) {
    LaunchEvent& event = answer(LaunchEvent::Kind::Checked, node);
    const auto record = findNode(m_home, node);
    if (!record)
        event.issues.push_back(issueOf(Severity::Error, record.error().code, "nodes", record.error().sentence()));
    return event.request;
}

RequestId SshLauncher::start(const LaunchPlan& plan, const RunDir& folder) {
    m_startRequest = ++m_lastRequest;
    m_startAttempt = plan.attempt;
    const auto refuse = [&](const Error& error) {
        LaunchEvent event;
        event.request = m_startRequest;
        event.error = error;
        m_ready.push_back(std::move(event));
        return m_startRequest;
    };
    for (const NodePlan& each : plan.nodes)
        if (const auto lost = lostRanksOn(m_home, each.node)) {
            refuse(*lost);
            m_ready.back().nothingStarted = true;
            return m_startRequest;
        }
    m_start.reset();  // of an attempt that was given up during its start
    m_starting.reset();
    if (const auto made = makeFolders(startLock(folder.path).parent_path()); !made) return refuse(made.error());
    auto lock = FileLock::tryLock(startLock(folder.path));
    if (!lock) return refuse(lock.error());
    const auto data = dataOf(folder, m_home);
    if (!data) return refuse(data.error());
    std::vector<RemoteStart::Node> nodes;
    for (const NodePlan& each : plan.nodes) {
        const auto node = nodeOf(each.node);
        if (!node) return refuse(node.error());
        nodes.push_back({each.node, (*node)->link.get()});
    }
    m_starting = std::move(*lock);
    for (auto& [name, node] : m_nodes) node.pull.reset();  // done by the start
    m_start = std::make_unique<RemoteStart>(plan, folder, *data, std::move(nodes),
                                            plan.attempt > 1 ? formerNodes(folder) : std::vector<RemoteStart::Node>(),
                                            plan.nodes.size() > 1 ? newStoreSecret() : "");
    return m_startRequest;
}

void SshLauncher::finishStart() {
    LaunchEvent event;
    event.request = m_startRequest;
    event.kind = m_start->error() ? LaunchEvent::Kind::Failed : LaunchEvent::Kind::Started;
    if (m_start->error()) {
        event.node = m_start->error()->where;
        event.error = *m_start->error();
        event.nothingStarted = !m_start->hasAsked();
        if (event.nothingStarted) m_failedAttempt = m_startAttempt;
        for (auto& [name, node] : m_nodes)
            if (node.link) node.link->forgetLook();
    }
    m_ready.push_back(std::move(event));
    m_start.reset();
    m_starting.reset();
    for (auto& [name, node] : m_nodes) node.mirror.reset();  // observations before the start are obsolete
}

void SshLauncher::tell(const std::string& node, std::vector<Error> problems) {
    for (Error& problem : problems) {
        LaunchEvent event;  // without a request: reported to the poller
        event.node = node;
        event.error = std::move(problem);
        m_ready.push_back(std::move(event));
    }
}

// The local file is the request; it is delivered to the nodes as soon as they are reachable.
RequestId SshLauncher::stop(const LaunchHandle& handle, StopKind kind) {
    const RunDir folder{handle.folder};
    const auto path = kind == StopKind::Stop ? folder.stopFile() : folder.killFile();
    auto done = makeFolders(path.parent_path());
    if (done) done = writeFileAtomically(path, "attempt " + std::to_string(handle.attempt) + "\n");
    for (const std::string& name : handle.nodes)
        if (done) done = follow(handle, name);
    LaunchEvent& event = answer(done ? LaunchEvent::Kind::Stopped : LaunchEvent::Kind::Failed, "");
    if (!done) event.error = done.error();
    return event.request;
}

SshLauncher::Stops SshLauncher::stops() const {
    if (m_handle.runId.empty()) return {};
    const RunDir folder{m_handle.folder};
    std::error_code code;
    return {fs::exists(folder.stopFile(), code), fs::exists(folder.killFile(), code)};
}

void SshLauncher::deliverStops(Node& node, const Stops& stops) {
    if (node.delivering || !node.mirror || node.link->state() != NodeLink::State::Up || m_start) return;
    const RunDir folder{m_handle.folder};
    const bool isKill = stops.kill && !node.killDelivered;
    if (!isKill && (!stops.stop || node.stopDelivered)) return;
    const fs::path path = isKill ? folder.killFile() : folder.stopFile();
    node.deliveringKind = isKill ? StopKind::Kill : StopKind::Stop;
    node.delivering = node.link->ask(Json{{"do", "write"},
                                          {"home", node.link->node().home},
                                          {"run", m_handle.runId},
                                          {"path", path.lexically_relative(folder.path).string()}},
                                     "attempt " + std::to_string(m_handle.attempt) + "\n");
}

RequestId SshLauncher::readFrom(const LaunchHandle& handle, const std::string& node, const fs::path& relativePath,
                                std::int64_t offset) {
    // What a living agent has not sent since the last poll is reported as missing, without reading the disk: readers keep what they have.
    const auto known = m_nodes.find(node);
    RunMirror* mirror = known == m_nodes.end() ? nullptr : known->second.mirror.get();
    const bool isExit = relativePath.filename() == "exit.json", isBeat = relativePath.filename() == "heartbeat.json";
    LaunchEvent event;
    if (mirror && mirror->isRunning() && (isExit || (isBeat && !mirror->takeHeartbeat()))) {
        event.kind = LaunchEvent::Kind::Data;
        event.missing = true;
    } else {
        event = readRunFile(RunDir{handle.folder}, relativePath, offset);
    }
    event.request = ++m_lastRequest;
    event.node = node;
    m_ready.push_back(std::move(event));
    return m_lastRequest;
}

/// Without a place: the sentence names the node.
Error SshLauncher::unreachable(const Node& node, const std::string& name) const {
    const Error& why = node.link->error();
    if (m_start || !FileLock::tryLock(startLock(m_handle.folder)))  // by this program or another one
        return errorOf("cannot_reach", "Cannot reach %1 since %2; the start is tried again. %3"_text(
                                           name, timeOf(node.link->downSinceSeconds()), why.sentence()));
    if (m_failedAttempt == m_handle.attempt)
        return errorOf("cannot_reach", "Cannot reach %1 since %2. %3"_text(name, timeOf(node.link->downSinceSeconds()),
                                                                           why.sentence()));
    return errorOf("cannot_reach", "Cannot reach %1 since %2; the run there continues. %3"_text(
                                       name, timeOf(node.link->downSinceSeconds()), why.sentence()));
}

RequestId SshLauncher::presence(const LaunchHandle& handle, const std::string& name) {
    const auto followed = follow(handle, name);
    Node& node = m_nodes[name];
    const bool isDown = followed && node.link->state() == NodeLink::State::Down;
    LaunchEvent& event = answer(followed && !isDown ? LaunchEvent::Kind::Presence : LaunchEvent::Kind::Failed, name);
    if (!followed) {
        event.error = followed.error();
    } else if (isDown) {
        event.error = unreachable(node, name);
    } else {
        event.presence = node.mirror->presence().value_or(AgentPresence::Unknown);
        // It may be about to start, by this program or another one; then only a later query is reliable.
        if (event.presence == AgentPresence::NotStarted) {
            const bool isByOther = !m_start && !FileLock::tryLock(startLock(handle.folder));
            if (isByOther) node.otherStartSeconds = m_now;
            const bool isStarting = m_start || isByOther;
            // The other program records the result of its start right after it.
            const bool isRecent = std::abs(m_now - node.otherStartSeconds) < kRecordSeconds;
            if (isStarting || node.wasStarting || isRecent) event.presence = AgentPresence::Unknown;
            if (!isStarting && node.wasStarting) node.mirror.reset();
            node.wasStarting = isStarting;
        }
    }
    return event.request;
}

bool SshLauncher::isBusy() const {
    if (m_start) return true;
    const Stops wanted = stops();
    return std::any_of(m_nodes.begin(), m_nodes.end(), [&](const auto& entry) {
        const Node& node = entry.second;
        if (!node.mirror || !node.link || node.link->state() == NodeLink::State::Down) return false;
        return !node.mirror->presence() || (wanted.stop && !node.stopDelivered) || (wanted.kill && !node.killDelivered);
    });
}

void SshLauncher::wait(double seconds) const {
    std::vector<const NodeLink*> links;
    for (const auto& [name, node] : m_nodes)
        if (node.link) links.push_back(node.link.get());
    waitForLinks(links, seconds);
}

std::vector<int> SshLauncher::newsFds() const {
    std::vector<pollfd> descriptors;
    for (const auto& [name, node] : m_nodes)
        if (node.link) node.link->addDescriptors(descriptors);
    std::vector<int> fds;
    for (const pollfd& each : descriptors)
        if (each.events == POLLIN) fds.push_back(each.fd);
    return fds;
}

std::vector<LaunchEvent> SshLauncher::poll(double nowSeconds) {
    m_now = nowSeconds;
    const Stops wanted = stops();
    for (auto& [name, node] : m_nodes) {
        if (!node.link) continue;
        for (const LinkAnswer& answer : node.link->poll(nowSeconds)) {
            if (m_start && m_start->take(name, answer)) continue;
            if (node.mirror && node.mirror->take(answer)) continue;
            if (node.pull && node.pull->take(answer)) continue;
            if (node.delivering == answer.request) {
                node.delivering.reset();
                if (answer.frame)
                    (node.deliveringKind == StopKind::Stop ? node.stopDelivered : node.killDelivered) = true;
            }
        }
        if (node.mirror) node.mirror->poll(*node.link, nowSeconds);
        if (node.mirror) tell(name, node.mirror->takeProblems());
        // The streams first: a checkpoint may be large.
        if (node.pull && !m_start && node.mirror && node.mirror->presence()) node.pull->poll(*node.link, nowSeconds);
        if (node.pull) tell(name, node.pull->takeProblems());
        deliverStops(node, wanted);
    }
    if (m_start) {
        if (wanted.stop || wanted.kill) m_start->cancel();
        m_start->poll(nowSeconds);
        tell("", m_start->takeWarnings());
        if (m_start->done()) finishStart();
    }
    return std::exchange(m_ready, {});
}

}  // namespace slipway
