// Agent, second half: watching the ranks to their end.
#include "app/agent/agent.h"

#include "app/agent/agent_log.h"
#include "app/agent/reserved_file.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/process/kernel_log.h"
#include "core/process/proc_facts.h"
#include "core/spec/system_notes.h"

#include <nlohmann/json.hpp>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <sstream>
#include <system_error>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr int kPortTries = 3;
constexpr double kHeartbeatSeconds = 1.0;
constexpr double kLookSeconds = 0.2;  // interval between checks of the control folder

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

}  // namespace

std::uint64_t Agent::metricBytes() const {
    return sizeOf(m_folder.metrics());
}

bool Agent::anyRunning() const {
    return std::any_of(m_ranks.begin(), m_ranks.end(), [](const Rank& r) { return r.process.running(); });
}

std::uint64_t Agent::bytesWritten() const {
    std::uint64_t total = 0;
    for (const Rank& rank : m_ranks) {
        if (rank.command.rank == 0) total += metricBytes();
        total += sizeOf(m_folder.rankStream(rank.command.rank)) + rank.logTimes.logBytes();
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
        m_nextHeartbeat = 0;  // so that watchers learn of it at once
        rank.state.endedUnixMilliseconds = unixMillisecondsNow();
        if (end->signal != 0) {
            rank.state.signal = end->signal;
        } else {
            rank.state.exitCode = end->code;
        }
    }
}

void Agent::noteLogTimes(bool isLast) {
    if (m_cause == EndCause::Superseded) return;  // the files are the later attempt's
    for (Rank& rank : m_ranks) rank.logTimes.look(monotonicSecondsNow(), unixMillisecondsNow(), isLast);
}

void Agent::readControl() {
    constexpr double kOneRequestSeconds =
        2;  // of a job that is preempted, Slurm signals the step, and so does its srun
    signalfd_siginfo info{};
    while (m_signals >= 0 && ::read(m_signals, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
        const double now = monotonicSecondsNow();
        if (m_numTermSignals > 0 && now - m_termSeconds < kOneRequestSeconds) continue;
        m_termSeconds = now;
        ++m_numTermSignals;
    }
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

void Agent::killRanks(EndCause cause, const std::string& note) {
    m_cause = cause;
    m_note = note;
    agentLog(m_note);
    for (Rank& rank : m_ranks) {
        if (rank.process.running()) rank.state.endedByAgent = true;
        rank.process.signalGroup(SIGKILL);
    }
}

// Two attempts must not write to one folder. While this agent was silent (a frozen computer, a lost mount), another
// computer may have claimed the next attempt.
bool Agent::isSuperseded() const {
    std::error_code code;
    const std::string next = attemptFolder(m_plan.attempt + 1);
    return fs::exists(m_folder.agentFolder(m_node) / ("claim_" + next), code) ||
           fs::exists(m_folder.stopFile().parent_path() / next, code);  // of a job (begin_job.h)
}

void Agent::decide(double now) {
    constexpr double kPatience = 1e9;  // a polite request has no deadline: a checkpoint may take long
    for (Rank& rank : m_ranks) rank.process.escalate(now);
    if (!anyRunning()) return;
    std::error_code code;
    if (m_cause == EndCause::Superseded) return;
    if (isSuperseded()) return killRanks(EndCause::Superseded, "ending: a later attempt has begun elsewhere");
    const bool killNow = m_numTermSignals > 1 || fs::exists(m_folder.killFile(), code);
    if (killNow && m_cause != EndCause::Killed) return killRanks(EndCause::Killed, "ending: on request");
    // The trainer reads the file itself, and so does a program that has announced it (packaging/python).
    const bool isAsked = m_plan.isProgram && fs::exists(m_folder.stopFile(), code) &&
                         !fs::exists(m_folder.stopFile().parent_path() / "listens", code);
    if (isAsked && m_cause == EndCause::None)
        endRanks(EndCause::Terminated, now, kPatience, "ending: a stop was requested");
    if (m_numTermSignals == 1 && m_cause == EndCause::None)
        endRanks(EndCause::Terminated, now, kPatience, "ending: the agent was asked to stop");
    if (m_cause != EndCause::None && m_cause != EndCause::Terminated) return;
    for (const Rank& rank : m_ranks) {
        if (rank.state.state == "exited" && hasFailed(rank.state, m_plan.isProgram)) {
            return endRanks(EndCause::RankFailed, now, m_plan.graceSeconds,
                            "ending: rank " + std::to_string(rank.state.rank) + " failed");
        }
    }
    m_watch.look(now, bytesWritten());
    if (m_watch.hangs(now)) {
        m_hangDetail =
            "no progress for " + std::to_string(static_cast<std::int64_t>(m_watch.silentSeconds(now))) + " s";
        for (const Rank& rank : m_ranks) {
            const char state = processState(rank.state.pid);
            if (state == 'T' || state == 'D')
                m_hangDetail += "; rank " + std::to_string(rank.state.rank) +
                                (state == 'T' ? " is stopped" : " waits for a device");
        }
        endRanks(EndCause::Hang, now, m_plan.graceSeconds, "ending: " + m_hangDetail);
    }
}

void Agent::heartbeat(double now) {
    m_nextHeartbeat = now + kHeartbeatSeconds;
    if (m_cause == EndCause::Superseded) return;  // the file belongs to the later attempt
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
}

VerdictInput Agent::evidence() const {
    VerdictInput input;
    input.cause = m_cause;
    input.hangDetail = m_hangDetail;
    input.isProgram = m_plan.isProgram;
    std::error_code code;
    input.wasAsked = m_plan.isProgram && fs::exists(m_folder.stopFile(), code);
    for (const Rank& rank : m_ranks) {
        input.ranks.push_back(rank.state);
        const fs::path path = m_folder.rankError(m_node, rank.command.rank);
        const auto text = readFile(path);
        if (!text) continue;
        if (const auto error = parseRankError(*text, path.string())) input.errors.emplace(rank.command.rank, *error);
    }
    return input;
}

// The port was free when chosen but not now: nothing else of the run has happened yet.
bool Agent::portWasTaken() const {
    if (m_plan.masterPort != 0 || metricBytes() != m_metricBytesAtStart) return false;
    const VerdictInput input = evidence();
    return std::any_of(input.errors.begin(), input.errors.end(), [](const auto& e) {
        return e.second.code == "port_in_use" || e.second.message.find("EADDRINUSE") != std::string::npos;
    });
}

// A process that a rank left behind, whatever its environment, becomes a child of this agent once its parent is dead
// (PR_SET_CHILD_SUBREAPER), and so do its own children later. By then no rank remains to be mistaken for one.
void Agent::sweepLeftovers() const {
    constexpr double kSeconds = 1;  // limit for a tree that forks faster than it is killed
    const std::string list = "/proc/self/task/" + std::to_string(::getpid()) + "/children";
    const auto end = [](std::int64_t pid) {
        agentLog("killing process " + std::to_string(pid) + ", which a rank left behind");
        ::kill(static_cast<pid_t>(pid), SIGKILL);
    };
    const double until = monotonicSecondsNow() + kSeconds;
    auto children = readFile(list);
    for (; children && !children->empty() && monotonicSecondsNow() < until; children = readFile(list)) {
        std::istringstream numbers(*children);
        for (std::int64_t pid = 0; numbers >> pid;) {
            end(pid);
            ::waitpid(static_cast<pid_t>(pid), nullptr, 0);
        }
    }
    if (children && children->empty()) return;
    // If the kernel does not list children: by the environment, which most processes keep.
    for (const std::int64_t pid :
         processesWithEnvironment({"SLIPWAY_RUN_ID=" + m_plan.runId,
                                   "SLIPWAY_ATTEMPT=" + std::to_string(m_plan.attempt), "SLIPWAY_NODE=" + m_node}))
        end(pid);
}

int Agent::watch() {
    for (int tries = 1;; ++tries) {
        while (anyRunning()) {
            const double now = monotonicSecondsNow();
            waitForNews(std::min(kLookSeconds, m_nextHeartbeat - now));
            reap();
            noteLogTimes(false);
            readControl();
            const double later = monotonicSecondsNow();
            decide(later);
            if (later >= m_nextHeartbeat) heartbeat(later);
        }
        reap();
        noteLogTimes(true);
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
    return writeExit(evaluate(evidence()));
}

// Before exit.json, which readers take for the complete end.
void Agent::writeSystemNotes() const {
    constexpr double kSlackSeconds = 2;  // the kernel's clock differs slightly
    constexpr std::size_t kMostLines = 200;
    SystemNotes notes;
    notes.attempt = m_plan.attempt;
    notes.node = m_node;
    notes.oomKills = oomKills() - m_oomKillsAtStart;
    if (auto lines = kernelLines(m_startedMonotonicSeconds - kSlackSeconds, kMostLines))
        notes.kernel = std::move(*lines);
    else
        notes.unread = lines.error().message;
    const auto written = writeJsonFile(m_folder.agentFolder(m_node) / "system.json", toJson(notes));
    if (!written) agentLog(written.error().text());
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
    if (m_cause != EndCause::Superseded && exit.reason != "completed" && exit.reason != "stopped") writeSystemNotes();
    const fs::path own = m_folder.agentFolder(m_node);
    const fs::path aside = own / attemptFolder(m_plan.attempt);
    const fs::path path = (m_cause == EndCause::Superseded ? aside : own) / "exit.json";
    const fs::path reserve = own / "reserve";
    const std::string text = dumpJson(toJson(exit), true);
    // Without the folder this agent would try for half a minute, and nothing else may start on the node meanwhile.
    if (m_cause == EndCause::Superseded) (void)makeFolders(aside);
    for (int second = 0;; ++second) {
        auto written =
            m_cause == EndCause::Superseded ? writeFileAtomically(path, text) : writeReserved(reserve, path, text);
        if (!written &&
            m_cause !=
                EndCause::
                    Superseded) {  // more ranks than provided for, or a file system that does not overwrite in place
            std::error_code code;
            fs::remove(reserve, code);
            written = writeFileAtomically(path, text);
        }
        if (written) break;
        agentLog(written.error().text());
        std::error_code code;
        if (!fs::exists(m_folder.path, code)) break;  // the run was deleted: no reader is left
        if (second >= (written.error().code == "disk_full" ? kFullDiskSeconds : kOtherSeconds)) break;
        waitForNews(1.0);
        readControl();
    }
    m_note = "ended";
    heartbeat(monotonicSecondsNow());
    return static_cast<int>(exit.code);
}

}  // namespace slipway
