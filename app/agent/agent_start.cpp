// Agent, first half: taking the attempt and starting the ranks.
#include "app/agent/agent.h"
#include "app/agent/agent_log.h"
#include "app/agent/reserved_file.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/version.h"
#include "core/process/free_port.h"
#include "core/process/host_identity.h"
#include "core/process/kernel_log.h"
#include "core/process/proc_facts.h"

#include <nlohmann/json.hpp>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

extern char** environ;

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr double kHandoverSeconds = 10;
constexpr std::int64_t kReservedBytes = 64 * 1024;  // for exit.json on a full disk

// The agent's environment, with the rank's entries replacing its own of the same names.
std::vector<std::string> merged(const std::vector<std::string>& added) {
    std::vector<std::string> out;
    const auto keyOf = [](const std::string& entry) { return entry.substr(0, entry.find('=')); };
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        if (std::none_of(added.begin(), added.end(), [&](const std::string& a) { return keyOf(a) == keyOf(text); }))
            out.push_back(text);
    }
    out.insert(out.end(), added.begin(), added.end());
    return out;
}

}  // namespace

std::string attemptFolder(std::int64_t attempt) {
    std::string number = std::to_string(attempt);
    return "attempt_" + std::string(number.size() < 4 ? 4 - number.size() : 0, '0') + number;
}

Result<Agent> Agent::prepare(const RunDir& folder, const std::string& node) {
    Agent agent;
    agent.m_folder = folder;
    agent.m_node = node;
    const auto text = readFile(folder.launch());
    if (!text) return fail(text.error());
    auto plan = parseLaunchPlan(*text, folder.launch().string());
    if (!plan) return fail(plan.error());
    agent.m_plan = std::move(*plan);
    const auto& nodes = agent.m_plan.nodes;
    const auto own = std::find_if(nodes.begin(), nodes.end(), [&](const NodePlan& n) { return n.node == node; });
    if (own == nodes.end() || own->ranks.empty())
        return fail("bad_node", "launch.json has no ranks for node " + node + ".", folder.launch().string());
    agent.m_nodePlan = *own;

    const fs::path home = folder.agentFolder(node);
    for (const fs::path& path : {home, folder.path / "logs", folder.path / "ranks", folder.stopFile().parent_path()}) {
        const auto made = makeFolders(path);
        if (!made) return fail(made.error());
    }
    // mkdir either makes the claim or finds it, also on network file systems: an attempt can never run twice.
    std::error_code code;
    const fs::path claim = home / ("claim_" + attemptFolder(agent.m_plan.attempt));
    auto lock = FileLock::tryLock(home / "lock");
    // An agent that has written its exit.json is about to exit.
    const double patience = monotonicSecondsNow() + kHandoverSeconds;
    while (!lock && lock.error().code == "locked" && fs::exists(home / "exit.json", code) && !fs::exists(claim, code) &&
           monotonicSecondsNow() < patience) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        lock = FileLock::tryLock(home / "lock");
    }
    if (!lock && lock.error().code == "locked") {
        if (fs::exists(claim, code))
            return fail("already_started",
                        "Attempt " + std::to_string(agent.m_plan.attempt) + " has been started before.", home.string());
        return fail("locked", "The agent of an earlier attempt still runs on node " + node + ".", home.string());
    }
    if (!lock) return fail(lock.error());
    if (!fs::create_directory(claim, code)) {
        if (code)
            return fail(code == std::errc::no_space_on_device ? "disk_full" : "folder_unwritable",
                        "The attempt cannot be claimed: " + code.message() + ".", claim.string());
        return fail("already_started", "Attempt " + std::to_string(agent.m_plan.attempt) + " has been started before.",
                    home.string());
    }
    agent.m_lock = std::move(*lock);
    return agent;
}

void Agent::meetAt(const std::string& address, std::int64_t port) {
    m_plan.masterAddress = address;
    m_plan.masterPort = port;
    for (RankCommand& command : m_nodePlan.ranks)
        for (std::string& entry : command.environment)
            if (entry.starts_with("MASTER_ADDR=")) entry = "MASTER_ADDR=" + address;
}

// Moves leftovers of earlier attempts aside, so that their errors are not taken for this attempt's.
void Agent::makeRoom() {
    const fs::path home = m_folder.agentFolder(m_node);
    std::error_code code;
    std::vector<fs::path> old;
    for (const auto& entry : fs::directory_iterator(home, code)) {
        const std::string name = entry.path().filename().string();
        if (name == "id.json" || name == "exit.json" || name == "heartbeat.json" || name == "system.json" ||
            name.rfind("error_", 0) == 0)
            old.push_back(entry.path());
    }
    if (old.empty()) return;
    std::int64_t number = std::max<std::int64_t>(0, m_plan.attempt - 1);
    if (const auto text = readFile(home / "id.json"))
        if (const auto id = parseAgentId(*text, "id.json")) number = id->attempt;
    const fs::path aside = home / attemptFolder(number);
    fs::create_directories(aside, code);
    for (const fs::path& path : old) {
        fs::rename(path, aside / path.filename(), code);
        if (code) fs::remove(path, code);
    }
}

// A killed agent could not end the processes of its ranks: they must not write beside this attempt. A process in
// another process namespace (a container, another host by its identity) has its own agent, which ends it as superseded.
void Agent::endFormerProcesses() const {
    if (m_plan.attempt <= 1) return;
    std::error_code unread;
    const fs::path here = fs::read_symlink("/proc/self/ns/pid", unread);
    for (const std::int64_t pid :
         processesWithEnvironment({"SLIPWAY_RUN_ID=" + m_plan.runId, "SLIPWAY_NODE=" + m_node})) {
        if (fs::read_symlink("/proc/" + std::to_string(pid) + "/ns/pid", unread) != here) continue;
        agentLog("killing process " + std::to_string(pid) + ", which an earlier attempt left behind");
        ::kill(static_cast<pid_t>(pid), SIGKILL);
    }
}

Result<void> Agent::start() {
    m_startedUnixMilliseconds = unixMillisecondsNow();
    m_startedMonotonicSeconds = monotonicSecondsNow();
    m_oomKillsAtStart = oomKills();
    endFormerProcesses();
    makeRoom();
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigset_t watched;
    ::sigemptyset(&watched);
    for (const int number : {SIGTERM, SIGINT}) ::sigaddset(&watched, number);
    ::sigprocmask(SIG_BLOCK, &watched, nullptr);
    m_signals = ::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);

    m_metricBytesAtStart = metricBytes();
    auto started = reserveFile(m_folder.agentFolder(m_node) / "reserve", kReservedBytes);
    if (started) started = startRanks();
    if (!started) {
        for (Rank& rank : m_ranks) rank.process.signalGroup(SIGKILL);
        for (Rank& rank : m_ranks) rank.process.wait(5);
        reap();
        AgentExit exit;
        exit.code = started.error().code == "disk_full" ? static_cast<std::int64_t>(TrainerExit::DiskFull) : 127;
        exit.reason = started.error().code == "disk_full" ? "disk_full" : "start_failed";
        exit.detail = started.error().text();
        writeExit(exit);
        return started;
    }
    AgentId id;
    id.runId = m_plan.runId;
    id.attempt = m_plan.attempt;
    id.node = m_node;
    id.host = thisHost().host;
    id.bootId = thisHost().bootId;
    id.pidNamespace = thisHost().pidNamespace;
    const ProcessIdentity self = identityOf(::getpid());
    id.pid = self.pid;
    id.startTicks = self.startTicks;
    id.version = versionText();
    if (!m_plan.version.empty() && m_plan.version != id.version)
        id.versionNote = "The run was launched by slipway " + m_plan.version + ", its agent is " + id.version + ".";
    id.masterPort = m_port;
    id.startedUnixMilliseconds = m_startedUnixMilliseconds;
    heartbeat(monotonicSecondsNow());
    return writeJsonFile(m_folder.agentFolder(m_node) / "id.json", toJson(id));
}

Result<void> Agent::startRanks() {
    m_ranks.clear();
    m_port = m_plan.masterPort;
    if (m_port == 0) {
        const auto port = freePort(m_plan.masterAddress);
        if (!port) return fail(port.error());
        m_port = *port;
    }
    m_watch = ProgressWatch(m_plan.hangSeconds);
    for (const RankCommand& command : m_nodePlan.ranks) {
        const fs::path log = m_folder.rankLog(command.rank);
        LogTimesWriter logTimes(log);
        logTimes.begin();
        if (m_plan.attempt > 1) {
            if (auto file = AppendFile::open(log))
                (void)file->append("--- attempt " + std::to_string(m_plan.attempt) + " ---\n");
        }
        std::vector<std::string> environment = command.environment;
        environment.push_back("MASTER_PORT=" + std::to_string(m_port));
        ProcessSpec spec;
        spec.arguments = command.arguments;
        spec.environment = merged(environment);
        spec.workingFolder = command.workingFolder.empty() ? m_folder.path : fs::path(command.workingFolder);
        spec.output = log;
        spec.newSession = true;
        spec.parentDeathSignal = SIGKILL;
        auto process = Process::start(spec);
        if (!process) return fail(process.error());
        Rank rank{command, {}, std::move(*process), std::move(logTimes)};
        rank.state.rank = command.rank;
        rank.state.pid = rank.process.pid();
        rank.state.startTicks = processStartTicks(rank.process.pid()).value_or(0);
        m_ranks.push_back(std::move(rank));
    }
    return {};
}

}  // namespace slipway
