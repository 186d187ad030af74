#include "app/agent/agent.h"

#include "app/agent/agent_log.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/version.h"
#include "core/process/free_port.h"
#include "core/process/proc_facts.h"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <system_error>

extern char** environ;

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr int kPortTries = 3;
constexpr double kHeartbeatSeconds = 1.0;
constexpr double kLookSeconds = 0.2;         // how often the control folder is looked at
constexpr off_t kReservedBytes = 64 * 1024;  // for exit.json on a full disk

double bootSecondsNow() {
    timespec time{};
    ::clock_gettime(CLOCK_BOOTTIME, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::uint64_t sizeOf(const fs::path& path) {
    std::error_code code;
    const auto size = fs::file_size(path, code);
    return code ? 0 : size;
}

// The agent's environment with the rank's entries in place of its own of the same names.
std::vector<std::string> merged(const std::vector<std::string>& added) {
    std::vector<std::string> out;
    const auto keyOf = [](const std::string& entry) { return entry.substr(0, entry.find('=')); };
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        if (std::none_of(added.begin(), added.end(), [&](const std::string& a) { return keyOf(a) == keyOf(text); })) out.push_back(text);
    }
    out.insert(out.end(), added.begin(), added.end());
    return out;
}

std::string attemptFolder(std::int64_t attempt) {
    std::string number = std::to_string(attempt);
    return "attempt_" + std::string(number.size() < 4 ? 4 - number.size() : 0, '0') + number;
}

}  // namespace

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
    if (own == nodes.end() || own->ranks.empty()) return fail("bad_node", "launch.json has no ranks for node " + node + ".", folder.launch().string());
    agent.m_nodePlan = *own;

    const fs::path home = folder.agentFolder(node);
    for (const fs::path& path : {home, folder.path / "logs", folder.path / "ranks", folder.stopFile().parent_path()}) {
        const auto made = makeFolders(path);
        if (!made) return fail(made.error());
    }
    auto lock = FileLock::tryLock(home / "lock");
    // mkdir either makes the claim or finds it, on network file systems too: an attempt can never run twice.
    std::error_code code;
    const fs::path claim = home / ("claim_" + attemptFolder(agent.m_plan.attempt));
    if (!lock && lock.error().code == "locked") {
        if (fs::exists(claim, code)) return fail("already_started", "Attempt " + std::to_string(agent.m_plan.attempt) + " has been started before.", home.string());
        return fail("locked", "The agent of an earlier attempt still runs on node " + node + ".", home.string());
    }
    if (!lock) return fail(lock.error());
    if (!fs::create_directory(claim, code)) {
        if (code) return fail(code == std::errc::no_space_on_device ? "disk_full" : "folder_unwritable", "The attempt cannot be claimed: " + code.message() + ".", claim.string());
        return fail("already_started", "Attempt " + std::to_string(agent.m_plan.attempt) + " has been started before.", home.string());
    }
    agent.m_lock = std::move(*lock);
    return agent;
}

// What earlier attempts left moves aside, so that their errors are not taken for this attempt's.
void Agent::makeRoom() {
    const fs::path home = m_folder.agentFolder(m_node);
    std::error_code code;
    std::vector<fs::path> old;
    for (const auto& entry : fs::directory_iterator(home, code)) {
        const std::string name = entry.path().filename().string();
        if (name == "id.json" || name == "exit.json" || name == "heartbeat.json" || name.rfind("error_", 0) == 0) old.push_back(entry.path());
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

Result<void> Agent::start() {
    m_startedUnixMilliseconds = unixMillisecondsNow();
    makeRoom();
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigset_t watched;
    ::sigemptyset(&watched);
    for (const int number : {SIGTERM, SIGINT}) ::sigaddset(&watched, number);
    ::sigprocmask(SIG_BLOCK, &watched, nullptr);
    m_signals = ::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);

    const fs::path reserve = m_folder.agentFolder(m_node) / "reserve";
    const int fd = ::open(reserve.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    const bool reserved = fd >= 0 && ::posix_fallocate(fd, 0, kReservedBytes) == 0;
    if (fd >= 0) ::close(fd);

    m_metricBytesAtStart = sizeOf(m_folder.metrics());
    auto started = reserved ? startRanks() : Result<void>(fail("disk_full", "The disk is full; free some space and start the run again.", m_folder.path.string()));
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
    id.host = hostName();
    const ProcessIdentity self = identityOf(::getpid());
    id.bootId = self.bootId;
    id.pid = self.pid;
    id.startTicks = self.startTicks;
    id.version = versionText();
    if (!m_plan.version.empty() && m_plan.version != id.version) id.versionNote = "The run was launched by slipway " + m_plan.version + ", its agent is " + id.version + ".";
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
        if (m_plan.attempt > 1) {
            if (auto file = AppendFile::open(log)) (void)file->append("--- attempt " + std::to_string(m_plan.attempt) + " ---\n");
        }
        std::vector<std::string> environment = command.environment;
        environment.push_back("MASTER_PORT=" + std::to_string(m_port));
        ProcessSpec spec;
        spec.arguments = command.arguments;
        spec.environment = merged(environment);
        spec.workingFolder = m_folder.path;
        spec.output = log;
        spec.newSession = true;
        spec.parentDeathSignal = SIGKILL;
        auto process = Process::start(spec);
        if (!process) return fail(process.error());
        Rank rank{command, {}, std::move(*process)};
        rank.state.rank = command.rank;
        rank.state.pid = rank.process.pid();
        rank.state.startTicks = processStartTicks(rank.process.pid()).value_or(0);
        m_ranks.push_back(std::move(rank));
    }
    return {};
}

bool Agent::anyRunning() const {
    return std::any_of(m_ranks.begin(), m_ranks.end(), [](const Rank& r) { return r.process.running(); });
}

std::uint64_t Agent::bytesWritten() const {
    std::uint64_t total = 0;
    for (const Rank& rank : m_ranks) {
        if (rank.command.rank == 0) total += sizeOf(m_folder.metrics());
        total += sizeOf(m_folder.rankStream(rank.command.rank)) + sizeOf(m_folder.rankLog(rank.command.rank));
    }
    return total;
}

void Agent::waitForNews(double seconds) {
    std::vector<pollfd> fds{{m_signals, POLLIN, 0}};
    for (const Rank& rank : m_ranks)
        if (rank.process.running()) fds.push_back({rank.process.pidFd(), POLLIN, 0});
    ::poll(fds.data(), fds.size(), static_cast<int>(std::ceil(std::max(0.0, seconds) * 1000)));
}

void Agent::reap() {
    for (Rank& rank : m_ranks) {
        if (rank.state.state == "exited") continue;
        const auto& end = rank.process.poll();
        if (!end) continue;
        rank.state.state = "exited";
        rank.state.endedUnixMilliseconds = unixMillisecondsNow();
        if (end->signal != 0) {
            rank.state.signal = end->signal;
        } else {
            rank.state.exitCode = end->code;
        }
    }
}

void Agent::readControl() {
    signalfd_siginfo info{};
    while (m_signals >= 0 && ::read(m_signals, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) ++m_numTermSignals;
}

void Agent::endRanks(EndCause cause, double now, double graceSeconds, const std::string& note) {
    if (m_cause == EndCause::None || m_cause == EndCause::Terminated) m_cause = cause;
    m_note = note;
    agentLog(note);
    for (Rank& rank : m_ranks) {
        if (!rank.process.running()) continue;
        rank.state.endedByAgent = true;
        rank.state.state = "stopping";
        rank.process.askToEnd(now, graceSeconds);
    }
}

void Agent::decide(double now) {
    constexpr double kPatience = 1e9;  // a polite request has no deadline of its own: a checkpoint may take long
    for (Rank& rank : m_ranks) rank.process.escalate(now);
    if (!anyRunning()) return;
    std::error_code code;
    const bool killNow = m_numTermSignals > 1 || fs::exists(m_folder.killFile(), code);
    if (killNow && m_cause != EndCause::Killed) {
        m_cause = EndCause::Killed;
        m_note = "ending: on request";
        agentLog(m_note);
        for (Rank& rank : m_ranks) {
            if (rank.process.running()) rank.state.endedByAgent = true;
            rank.process.signalGroup(SIGKILL);
        }
        return;
    }
    if (m_numTermSignals == 1 && m_cause == EndCause::None) endRanks(EndCause::Terminated, now, kPatience, "ending: the agent was asked to stop");
    if (m_cause != EndCause::None && m_cause != EndCause::Terminated) return;
    for (const Rank& rank : m_ranks) {
        if (rank.state.state == "exited" && hasFailed(rank.state)) {
            return endRanks(EndCause::RankFailed, now, m_plan.graceSeconds, "ending: rank " + std::to_string(rank.state.rank) + " failed");
        }
    }
    m_watch.look(now, bytesWritten());
    if (m_watch.hangs(now)) {
        m_hangDetail = "no progress for " + std::to_string(static_cast<std::int64_t>(m_watch.silentSeconds(now))) + " s";
        for (const Rank& rank : m_ranks) {
            const char state = processState(rank.state.pid);
            if (state == 'T' || state == 'D') m_hangDetail += "; rank " + std::to_string(rank.state.rank) + (state == 'T' ? " is stopped" : " waits for a device");
        }
        endRanks(EndCause::Hang, now, m_plan.graceSeconds, "ending: " + m_hangDetail);
    }
}

void Agent::heartbeat(double now) {
    AgentHeartbeat beat;
    beat.attempt = m_plan.attempt;
    beat.node = m_node;
    beat.counter = ++m_counter;
    beat.bootSeconds = bootSecondsNow();
    beat.timeUnixMilliseconds = unixMillisecondsNow();
    beat.note = m_note;
    for (const Rank& rank : m_ranks) beat.ranks.push_back(rank.state);
    const auto written = writeJsonFile(m_folder.agentFolder(m_node) / "heartbeat.json", toJson(beat));
    if (!written && m_note.empty()) agentLog(written.error().text());
    m_nextHeartbeat = now + kHeartbeatSeconds;
}

VerdictInput Agent::evidence() const {
    VerdictInput input;
    input.cause = m_cause;
    input.hangDetail = m_hangDetail;
    for (const Rank& rank : m_ranks) {
        input.ranks.push_back(rank.state);
        const fs::path path = m_folder.rankError(m_node, rank.command.rank);
        const auto text = readFile(path);
        if (!text) continue;
        if (const auto error = parseRankError(*text, path.string())) input.errors.emplace(rank.command.rank, *error);
    }
    return input;
}

// The port was free when it was chosen and is not now: nothing of the run has happened yet.
bool Agent::portWasTaken() const {
    if (m_plan.masterPort != 0 || sizeOf(m_folder.metrics()) != m_metricBytesAtStart) return false;
    const VerdictInput input = evidence();
    return std::any_of(input.errors.begin(), input.errors.end(), [](const auto& e) {
        return e.second.code == "port_in_use" || e.second.message.find("EADDRINUSE") != std::string::npos;
    });
}

void Agent::sweepLeftovers() const {
    const std::vector<std::string> marks = {"SLIPWAY_RUN_ID=" + m_plan.runId, "SLIPWAY_ATTEMPT=" + std::to_string(m_plan.attempt), "SLIPWAY_NODE=" + m_node};
    for (const std::int64_t pid : processesWithEnvironment(marks)) {
        agentLog("killing process " + std::to_string(pid) + ", which a rank left behind");
        ::kill(static_cast<pid_t>(pid), SIGKILL);
    }
}

int Agent::watch() {
    for (int tries = 1;; ++tries) {
        while (anyRunning()) {
            const double now = monotonicSecondsNow();
            waitForNews(std::min(kLookSeconds, m_nextHeartbeat - now));
            reap();
            readControl();
            const double later = monotonicSecondsNow();
            decide(later);
            if (later >= m_nextHeartbeat) heartbeat(later);
        }
        reap();
        if (m_cause != EndCause::RankFailed && m_cause != EndCause::None) break;
        if (tries >= kPortTries || !portWasTaken()) break;
        agentLog("port " + std::to_string(m_port) + " was taken by another program; trying another one");
        for (const Rank& rank : m_ranks) {
            std::error_code code;
            fs::remove(m_folder.rankError(m_node, rank.command.rank), code);
        }
        m_cause = EndCause::None;
        m_note.clear();
        if (const auto started = startRanks(); !started) {
            AgentExit exit;
            exit.code = 127;
            exit.reason = "start_failed";
            exit.detail = started.error().text();
            return writeExit(exit);
        }
    }
    sweepLeftovers();
    return writeExit(judge(evidence()));
}

int Agent::writeExit(AgentExit exit) {
    constexpr int kFullDiskSeconds = 24 * 3600;
    constexpr int kOtherSeconds = 30;
    exit.runId = m_plan.runId;
    exit.attempt = m_plan.attempt;
    exit.node = m_node;
    exit.startedUnixMilliseconds = m_startedUnixMilliseconds;
    exit.endedUnixMilliseconds = unixMillisecondsNow();
    for (const Rank& rank : m_ranks) exit.ranks.push_back(rank.state);
    std::error_code code;
    fs::remove(m_folder.agentFolder(m_node) / "reserve", code);
    const fs::path path = m_folder.agentFolder(m_node) / "exit.json";
    for (int second = 0;; ++second) {
        const auto written = writeJsonFile(path, toJson(exit));
        if (written) break;
        agentLog(written.error().text());
        if (second >= (written.error().code == "disk_full" ? kFullDiskSeconds : kOtherSeconds)) break;
        waitForNews(1.0);
        readControl();
    }
    m_note = "ended";
    heartbeat(monotonicSecondsNow());
    return static_cast<int>(exit.code);
}

}  // namespace slipway
