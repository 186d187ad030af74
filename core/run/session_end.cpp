// The end of a session: its evidence, diagnosis and storage.
#include "core/base/clock.h"
#include "core/base/error_of.h"
#include "core/base/own_file.h"
#include "core/metrics/refused_figures.h"
#include "core/process/host_identity.h"
#include "core/run/end_file.h"
#include "core/run/machine.h"
#include "core/run/restart.h"
#include "core/run/run_files.h"
#include "core/run/session_impl.h"
#include "core/run/slow_nodes.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

namespace slipway {
namespace {

constexpr std::int64_t kLogTailBytes = 64 * 1024;
constexpr std::size_t kMostRanks = 8;  // ranks whose logs and errors are read
constexpr std::size_t kMostEvents = 32;

/// The agents' computer has restarted since they began, as far as known here.
bool wasRebooted(const RunDir& folder, const std::vector<std::string>& nodes) {
    return std::any_of(nodes.begin(), nodes.end(), [&](const std::string& node) {
        const auto text = readOwnFile(folder.agentFolder(node) / "id.json");
        const auto id = text ? parseAgentId(*text, "id.json") : Result<AgentId>(fail(text.error()));
        return id && reachOf({id->host, id->bootId, id->pidNamespace}) == Reach::Rebooted;
    });
}

/// The recorder of a Python program (packaging/python) is the program itself: there is no agent, and nobody can resume it.
bool isOwnRecorder(const RunDir& folder, const std::vector<std::string>& nodes) {
    return std::any_of(nodes.begin(), nodes.end(), [&](const std::string& node) {
        const auto text = readOwnFile(folder.agentFolder(node) / "id.json");
        const auto id = text ? parseAgentId(*text, "id.json") : Result<AgentId>(fail(text.error()));
        return id && id->version.starts_with("python ");
    });
}

/// The first error that ranks of such a program left before rank 0 was killed, as torchrun does when one of them fails.
EndEvidence errorsOfRanks(const RunDir& folder, const std::vector<std::string>& nodes, std::int64_t lastStep) {
    EndEvidence found;
    for (const std::string& node : nodes) {
        std::error_code code;
        for (const auto& entry : std::filesystem::directory_iterator(folder.agentFolder(node), code)) {
            if (!entry.path().filename().string().starts_with("error_")) continue;
            const auto text = readOwnFile(entry.path());
            auto error = text ? parseRankError(*text, "error.json") : Result<RankError>(fail(text.error()));
            if (!error) continue;
            if (!found.errors.empty() && found.errors.front().timeUnixMilliseconds <= error->timeUnixMilliseconds)
                continue;
            AgentExit exit;
            exit.node = node;
            exit.reason = "rank_failed";
            exit.code = 1;
            exit.firstFailedRank = error->rank;
            exit.endedUnixMilliseconds = error->timeUnixMilliseconds;
            found.exits = {std::move(exit)};
            const auto path = folder.rankLog(error->rank);
            const auto size = std::filesystem::file_size(path, code);
            constexpr auto tail = static_cast<std::uintmax_t>(kLogTailBytes);
            const std::string log =
                readOwnFile(path, code || size < tail ? 0 : size - tail, tail).value_or(std::string());
            found.logs = {{error->rank, node, log + "\n" + error->message + "\n"}};
            found.errors = {std::move(*error)};
        }
    }
    found.lastStep = found.attemptSteps = lastStep;
    found.isProgram = true;
    return found;
}

/// True for faults of endOf() other than the person's own, or those better described by the agents' records.
bool faultIsOfSlurm(const std::string& code) {
    return code != "job_cancelled" && code != "job_failed" && code != "job_forgotten";
}

/// In [0, 1).
double drawn() {
    return static_cast<double>(randomEntropy()) / 4294967296.0;
}

}  // namespace

void RunSession::Impl::askEvidence() {
    evidenceAsked = true;
    const auto ask = [&](EvidenceFile::Kind kind, const RankPlace& place, const std::filesystem::path& path,
                         std::int64_t from) {
        const auto relative = std::filesystem::relative(path, folder.path);
        evidenceRequests[launcher->readFrom(follower.handle(), place.node, relative, from)] = {kind, place};
    };
    std::set<std::string> asked;
    for (const RankPlace& place : ranksWorthReading(evidence.exits, kMostRanks)) {
        ask(EvidenceFile::Kind::Log, place, folder.rankLog(place.rank), -kLogTailBytes);
        ask(EvidenceFile::Kind::Error, place, folder.rankError(place.node, place.rank), 0);
        asked.insert(place.node);
    }
    for (const AgentExit& exit : evidence.exits)
        if (asked.size() < kMostRanks && exit.reason != "completed") asked.insert(exit.node);
    for (const std::string& node : asked)
        ask(EvidenceFile::Kind::System, {0, node}, folder.agentFolder(node) / "system.json", 0);
}

bool RunSession::Impl::takeEvidence(const LaunchEvent& event) {
    const auto asked = evidenceRequests.find(event.request);
    if (asked == evidenceRequests.end()) return false;
    const EvidenceFile file = asked->second;
    evidenceRequests.erase(asked);
    // Unreadable files are not evidence; the record of the end exists.
    if (event.kind != LaunchEvent::Kind::Data || event.missing) return true;
    if (file.kind == EvidenceFile::Kind::Log) {
        evidence.logs.push_back({file.place.rank, file.place.node, event.bytes});
    } else if (file.kind == EvidenceFile::Kind::Error) {
        if (auto error = parseRankError(event.bytes, "error.json")) evidence.errors.push_back(std::move(*error));
    } else if (auto notes = parseSystemNotes(event.bytes, "system.json"); notes && notes->attempt == attempt) {
        evidence.systems.push_back(std::move(*notes));
    }
    return true;
}

void RunSession::Impl::addStoredEvidence() {
    evidence.isProgram = program.has_value();
    evidence.lastStep = lastStep;
    if (const auto attempts = store->attempts(id))
        for (const AttemptRecord& record : *attempts)
            if (record.attempt == attempt)
                evidence.attemptSteps = std::max<std::int64_t>(0, lastStep - record.resumeStep);
    if (const auto events = store->events(id)) {
        for (const EventRecord& event : *events)
            if (event.attempt == attempt)
                evidence.events.push_back({event.step, event.name, event.detail, event.timeUnixMilliseconds});
        const std::size_t number = evidence.events.size();
        if (number > kMostEvents)
            evidence.events.erase(evidence.events.begin(),
                                  evidence.events.end() - static_cast<std::ptrdiff_t>(kMostEvents));
    }
}

/// The end of a run whose agents left no record.
Diagnosis RunSession::Impl::diagnosisOf(const char* problem) const {
    EndEvidence shown;
    shown.lastStep = shown.attemptSteps = lastStep;
    const auto& names = follower.handle().nodes;
    const std::string lost = follower.givenUpNode();
    shown.problems = {{problem, "", names.size() == 1 && lost.empty() ? names.front() : lost}};
    return diagnose(shown);
}

void RunSession::Impl::conclude(AttemptOutcome outcome, std::int64_t now) {
    const auto said =
        slurm && outcome != AttemptOutcome::StartFailed ? launcher->endOf(follower.handle()) : std::nullopt;
    const bool isGone = outcome == AttemptOutcome::NeverStarted || outcome == AttemptOutcome::Gone;
    if (said && isGone) {
        // Its driver was killed before it was submitted, or Slurm has lost it from its queue.
        if (said->code == "job_forgotten" && isDriven && !hasAgent(folder, follower.handle()))
            return awaitNode(*said, now);
        if (said->code == "job_cancelled")
            return finish(RunStatus::Cancelled, static_cast<int>(TrainerExit::Stopped),
                          "The job was cancelled in Slurm.", now);
        addStoredEvidence();
        evidence.problems = {*said};
        return finish(diagnose(evidence), now, now);
    }
    // Another program has gone on meanwhile: what happened to this attempt is its business, and the newest attempt is followed.
    const auto record = isGone ? store->run(id) : Result<RunRecord>(RunRecord{});
    if (!record) return problem(record.error());
    if (record->attempts > attempt || (outcome == AttemptOutcome::NeverStarted && isAwaited())) {
        phase = Phase::Waiting;
        return;
    }
    if (outcome == AttemptOutcome::NeverStarted) return finishLost(now, "launcher_gone");
    if (outcome == AttemptOutcome::Gone && !follower.givenUpNode().empty()) {
        std::error_code code;
        if (killedForLoss) std::filesystem::remove(folder.killFile(), code);
        killedForLoss = false;
        return finishLost(now, "node_lost");
    }
    if (outcome == AttemptOutcome::Gone && isOwnRecorder(folder, follower.handle().nodes)) {
        const EndEvidence left = errorsOfRanks(folder, follower.handle().nodes, lastStep);
        if (left.errors.empty()) return finishLost(now, "program_gone");
        return finish(diagnose(left), left.exits.front().endedUnixMilliseconds, now);
    }
    if (outcome == AttemptOutcome::Gone)
        return finishLost(now, wasRebooted(folder, follower.handle().nodes) ? "node_rebooted" : "agent_gone");
    if (outcome == AttemptOutcome::StartFailed && follower.startError().code == "stopped")
        return finish(RunStatus::Cancelled, static_cast<int>(TrainerExit::Stopped),
                      textOf(follower.startError().sentence()), now);
    if (outcome == AttemptOutcome::StartFailed && isDriven && follower.nothingStarted())
        return awaitNode(follower.startError(), now);
    if (!evidenceAsked) {
        addStoredEvidence();
        askEvidence();
        if (!evidenceRequests.empty()) return;
    }
    if (!evidenceRequests.empty()) return;
    std::int64_t ended = outcome == AttemptOutcome::StartFailed ? now : 0;
    for (const AgentExit& exit : evidence.exits) ended = std::max(ended, exit.endedUnixMilliseconds);
    // The ranks were stopped by Slurm, by nobody else.
    const auto wasStopped = [](const AgentExit& exit) {
        return exit.reason == "stopped" || exit.reason == "completed";
    };
    if (said && faultIsOfSlurm(said->code)) {
        evidence.problems = {*said};
        if (std::all_of(evidence.exits.begin(), evidence.exits.end(), wasStopped)) evidence.exits.clear();
    }
    if (outcome == AttemptOutcome::StartFailed) evidence.problems = {follower.startError()};
    finish(diagnose(evidence), ended, now);
}

/// Stores the end and decides on the next attempt. @return false: the run waits for it
bool RunSession::Impl::endsAsFailed(const Diagnosis& diagnosis, std::int64_t endedAt, std::int64_t now) {
    const auto started = store->run(id);
    const std::int64_t begun = started ? started->startedUnixMilliseconds.value_or(endedAt) : endedAt;
    // The port was free in the preflight: no step of the attempt has run, regardless of the restart order.
    const bool portWasTaken = nodes.size() > 1 && diagnosis.fault == "port_in_use" && evidence.attemptSteps == 0;
    const bool isOfNodes = diagnosis.kind == wordOf(FaultKind::Transient) || diagnosis.kind == wordOf(FaultKind::Node);
    const bool isAutomatic = portWasTaken || restartOrder(folder).isAutomatic() || (isDriven && isOfNodes);
    const auto end =
        writeEnd(folder, attempt, diagnosis, static_cast<double>(std::max<std::int64_t>(0, endedAt - begun)) / 1000,
                 portWasTaken ? 0 : drawn(), isAutomatic ? now : 0,
                 // A lost node may have written checkpoints that nobody can read.
                 follower.givenUpNode().empty() ? checkpointInStream() : -1);
    if (!end) problem(end.error());  // the index gets the sentence nevertheless
    if (!end || end->restartUnixMilliseconds == 0) return true;
    awaitRestart(*end, endedAt);
    return false;
}

void RunSession::Impl::finish(const Diagnosis& diagnosis, std::int64_t endedAt, std::int64_t now) {
    const RunStatus end = runStatusFrom(diagnosis.status).value_or(RunStatus::Failed);
    if (end == RunStatus::Failed && !endsAsFailed(diagnosis, endedAt, now)) return;
    finish(end, diagnosis.code, textOf(sentence(diagnosis)), endedAt);
}

/// Slow nodes are recorded, for the next choice of nodes.
void RunSession::Impl::noteStragglers(std::int64_t now) {
    if (nodes.size() < 2 || !isShapeKnown) return;
    const auto files = readRunFiles(folder);
    const auto attempts = store->attempts(id);
    if (!files || !files->plan || !attempts || attempts->empty()) return;
    const auto slow = slowNodesOf(folder, config, *files->plan, attempts->back().resumeStep);
    for (const SlowNode& node : slow)
        out.push_back({RunEvent::Kind::Event, status, lastStep, "slow_node", textOf(slowText(node))});
    if (const auto noted = noteSlowNodes(home, id.value, attempt, slow, now); !noted) problem(noted.error());
}

void RunSession::Impl::finish(RunStatus end, std::int64_t code, const std::string& why, std::int64_t endedAt) {
    noteStragglers(endedAt);
    RunChange change;
    change.status = end;
    change.reason = why;
    change.exitCode = static_cast<int>(code);
    change.endedUnixMilliseconds = endedAt;
    change.measured = measured();
    if (const auto stored = store->updateRun(id, change); !stored)
        return problem(stored.error());  // retried at the next poll
    // Its forecasts here improve by it, from the next run on.
    const bool isHere = nodes.empty() && !slurm && !program && config.train.device == DeviceKind::Cpu;
    double load = 0;
    (void)getloadavg(&load, 1);
    if (isHere && end == RunStatus::Completed && change.measured && change.measured->stepSeconds)
        if (const auto learned = learnFromRun(home, config, *change.measured->stepSeconds, load); !learned)
            problem(learned.error());
    if (change.measured)
        for (const Message& refusal : refusedMeasurements(*change.measured))
            problem(errorOf("bad_measurement", refusal, id.value));
    phase = Phase::Done;
    setStatus(end, why);
}

void RunSession::Impl::finishLost(std::int64_t now, const char* problemCode) {
    // The trainer's own end line takes precedence over the missing record of the agent.
    const auto attempts = store->attempts(id);
    if (!attempts) return problem(attempts.error());
    for (const AttemptRecord& record : *attempts) {
        if (record.attempt != attempt || record.endStatus.empty()) continue;
        const auto said = runStatusFrom(record.endStatus);
        if (!said || !isFinal(*said)) continue;
        const std::string word = textOf(exitWord(record.exitCode.value_or(0)));
        const std::string text =
            *said == RunStatus::Completed ? "" : "The trainer ended: " + (word.empty() ? record.endStatus : word) + ".";
        return finish(*said, record.exitCode.value_or(0), text, record.endedUnixMilliseconds.value_or(now));
    }
    if (status == RunStatus::Lost) {
        phase = Phase::Done;  // unchanged; time and reason stay as first found
        return;
    }
    const Diagnosis diagnosis = diagnosisOf(problemCode);
    const bool isRestarted = restartOrder(folder).isAutomatic() || (isDriven && !follower.givenUpNode().empty());
    if (isRestarted && !endsAsFailed(diagnosis, now, now)) return;
    const std::string why = textOf(sentence(diagnosis));
    RunChange change;
    change.status = RunStatus::Lost;
    change.reason = why;
    change.endedUnixMilliseconds = now;
    change.measured = measured();
    if (const auto stored = store->updateRun(id, change); !stored) return problem(stored.error());
    phase = Phase::Done;
    setStatus(RunStatus::Lost, why);
}

}  // namespace slipway
