#include "core/run/session_impl.h"

#include "core/base/error_of.h"
#include "core/base/file.h"
#include "core/base/own_file.h"
#include "core/base/sha256.h"
#include "core/base/version.h"
#include "core/launch/launch_plan.h"
#include "core/launch/lost_attempts.h"
#include "core/launch/slurm_script.h"
#include "core/planner/plan.h"
#include "core/planner/time/compute.h"
#include "core/process/file_lock.h"
#include "core/run/audit_log.h"
#include "core/run/readiness.h"
#include "core/run/run_files.h"
#include "core/store/ingest.h"
#include "core/store/reindex.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace slipway {
namespace {

constexpr std::int64_t kMeasureMilliseconds = 10000;  // refresh interval of the figures of a running run
constexpr std::int64_t kMeasureMaxSteps = 20000;      // longer runs: only at the end

DeriveBasis basisOf(const RunConfig& config, const ClusterSpec& cluster) {
    // A plan for GPUs does not apply to the memory of a training CPU.
    const bool isOfDevice = cluster.device.kind == config.train.device;
    return {modelFlopsPerToken(config.model, config.train.seqLen), runPeakFlops(config, cluster),
            std::string(wordOf(kDefaultFlopsRule)), config.parallel.worldSize(),
            isOfDevice ? cluster.device.memoryBytes : 0};
}

}  // namespace

std::string elsewhereText(const std::string& host, std::optional<std::int64_t> lastSign, std::int64_t now) {
    if (!lastSign) return "running on " + host;
    return "running on " + host + ", last sign " + std::to_string(std::max<std::int64_t>(0, now - *lastSign) / 1000) +
           " s ago";
}

Issues errorsOf(Issues issues) {
    std::erase_if(issues, [](const Issue& issue) { return issue.severity != Severity::Error; });
    return issues;
}

// Reported once until the problem changes or ends: a full disk shows up at every poll.
void RunSession::Impl::problem(const Error& error) {
    if (error.code == "run_missing") rowMissing = true;  // handled by poll()
    if (lastProblem == error.code + error.message) return;
    lastProblem = error.code + error.message;
    out.push_back({RunEvent::Kind::Problem, status, lastStep, error.code, error.text()});
}

void RunSession::Impl::setStatus(RunStatus next, const std::string& why) {
    status = next;
    reason = why;
    out.push_back({RunEvent::Kind::Status, status, lastStep, "", reason});
}

Issues RunSession::Impl::readiness() const {
    if (program) return programReadiness();
    const double peakBytes = memoryPeakBytes ? *memoryPeakBytes : makePlan(config, cluster).memoryPeakBytes;
    return checkReadiness(config, gatherReadiness(config, home, programs), peakBytes,
                          !nodes.empty() || slurm.has_value());
}

std::optional<RunFigures> RunSession::Impl::measured() const {
    DeriveBasis unknown;
    unknown.numDevices = 0;
    return store->measure(id, isShapeKnown ? basisOf(configForRanks(config, numRanksOn(nodes)), cluster) : unknown)
        .value_or(std::nullopt);
}

Result<LaunchPlan> RunSession::Impl::trainerPlan(std::int64_t attemptNumber, bool resume, std::int64_t now) const {
    LaunchRequest request;
    request.run = id;
    request.attempt = attemptNumber;
    request.folder = folder;
    request.trainer = programs.trainer;
    request.home = home.path;
    request.resume = resume;
    request.createdUnixMilliseconds = now;
    request.version = versionText();
    if (!nodes.empty()) {
        request.launcher = launcherKind();
        request.nodes = nodes;
        request.trainer = "slipway-trainer";  // each node has its own copy
    }
    if (slurm) {
        request.launcher = launcherKind();
        request.nodes = slurmNodes(config, *slurm);
        if (!slurm->login.empty()) request.trainer = "slipway-trainer";  // the cluster has its own copy
    }
    auto plan = makeLaunchPlan(configForRanks(config, numRanksOn(nodes)), request);
    if (plan && slurm) plan->job = queue && queue->isOpen() ? queue->nextJob() : slurmJobName(id.value, attemptNumber);
    return plan;
}

Result<void> RunSession::Impl::begin(std::int64_t attemptNumber, bool resume, std::int64_t now) {
    const Issues issues = readiness();
    if (hasErrors(issues)) return fail("not_ready", errorsOf(issues), id.value);
    const auto plan = program ? programPlan(attemptNumber, now) : trainerPlan(attemptNumber, resume, now);
    if (!plan) return fail(plan.error());
    // The store first: if this program dies after any of these lines, the run is found as queued, and either its agent
    // appears or the attempt is given up as lost. No line can start an attempt twice.
    RunChange change;
    change.status = RunStatus::Queued;
    change.attempts = attemptNumber;
    change.startedUnixMilliseconds = now;
    change.clearEnd = true;
    if (auto written = writeNodes(folder, nodes); !written) return written;
    if (auto stored = store->updateRun(id, change); !stored) return stored;
    if (auto written = writeLaunchFile(folder, *plan); !written) return written;
    Json entry = auditOf("start", *plan);
    entry["config_sha256"] = sha256Of(readOwnFile(folder.config()).value_or(""));
    audit(std::move(entry), now);
    followAttempt(*plan, now);
    follower.expectStart(launcher->start(*plan, folder));
    setStatus(RunStatus::Queued, "");
    return {};
}

void RunSession::Impl::followAttempt(const LaunchPlan& plan, std::int64_t now) {
    attempt = plan.attempt;
    follower = AttemptFollower(handleOf(plan, folder), now);
    evidence = {};
    evidenceAsked = false;
    evidenceRequests.clear();
    sawRecords = false;
    drainAsked = false;
    if (program) log.emplace(folder, attempt, program->log);
    for (const LostAttempt& lost : lostAttempts(folder))
        if (lost.attempt == attempt) follower.giveUp(lost.node);
    phase = Phase::Following;
}

void RunSession::Impl::readLog(std::int64_t now) {
    if (const auto read = log->advance(now, phase == Phase::Draining); !read) problem(read.error());
}

// A job that the scheduler requeued begins its next attempt without this program.
void RunSession::Impl::takeNewAttempt(std::int64_t now) {
    if (!slurm || follower.isStarting()) return;
    const auto plan = launcher->newAttempt(follower.handle());
    if (!plan) return;
    RunChange change;
    change.status = RunStatus::Queued;
    change.attempts = plan->attempt;
    change.clearEnd = true;
    if (const auto stored = store->updateRun(id, change); !stored) return problem(stored.error());
    followAttempt(*plan, now);
    setStatus(RunStatus::Queued, "");
}

// Waiting in the queue of a scheduler, for the first time or again.
Result<void> RunSession::Impl::showWaiting() {
    const Message waiting = launcher->waiting();
    if (waiting.empty()) {
        if (status == RunStatus::Queued) reason = follower.unreachable();
        return {};
    }
    const std::string text = textOf(waiting);
    if (status == RunStatus::Queued && reason == text) return {};
    RunChange change;
    change.status = RunStatus::Queued;
    change.reason = text;
    if (auto stored = store->updateRun(id, change); !stored) return stored;
    setStatus(RunStatus::Queued, text);
    return {};
}

// The answer to a request, if immediately available (local launchers); other answers wait in the inbox.
std::optional<LaunchEvent> RunSession::Impl::answerTo(RequestId request, std::int64_t now) {
    std::optional<LaunchEvent> answer;
    for (LaunchEvent& event : launcher->poll(static_cast<double>(now) / 1000)) {
        if (event.request == request)
            answer = std::move(event);
        else
            inbox.push_back(std::move(event));
    }
    return answer;
}

// A start counts even if it cannot be recorded: a full disk on this computer must not end a run on another one.
void RunSession::Impl::audit(Json entry, std::int64_t now) {
    if (const auto written = appendAudit(home, std::move(entry), now); !written) problem(written.error());
}

void RunSession::Impl::auditStart(const LaunchEvent& event, std::int64_t now) {
    Json entry{{"action", event.kind == LaunchEvent::Kind::Failed ? "start_failed" : "started"},
               {"run", id.value},
               {"attempt", attempt}};
    if (event.kind == LaunchEvent::Kind::Failed) entry["code"] = event.error.code;
    audit(std::move(entry), now);
}

Result<void> RunSession::Impl::ask(StopKind kind, std::int64_t now) {
    audit(Json{{"action", kind == StopKind::Kill ? "kill" : "stop"},
               {"run", id.value},
               {"attempt", attempt},
               {"launcher", launcherKind()}},
          now);
    const auto answer = answerTo(launcher->stop(follower.handle(), kind), now);
    if (answer && answer->kind == LaunchEvent::Kind::Failed) return fail(answer->error);
    return {};
}

// `step` is the newest step in force; another program may have stored it.
void RunSession::Impl::advance(std::int64_t step, bool newRecords) {
    if (step == lastStep && !newRecords) return;
    lastStep = step;
    out.push_back({RunEvent::Kind::Progress, status, lastStep, "", ""});
}

void RunSession::Impl::readStream() {
    if (metricsRequest || follower.handle().nodes.empty()) return;
    const auto stored = store->position(id);
    if (!stored) return problem(stored.error());
    offset = stored->offset;
    advance(stored->lastStep, false);
    metricsRequest = launcher->readFrom(follower.handle(), follower.handle().nodes.front(), RunStore::kMetrics,
                                        static_cast<std::int64_t>(offset));
    drainAsked = phase == Phase::Draining && (!log || log->isAtEnd());
}

void RunSession::Impl::takeMetrics(const LaunchEvent& event) {
    metricsRequest.reset();
    if (event.kind == LaunchEvent::Kind::Failed) return problem(event.error);
    if (!event.missing && event.fileBytes < event.offset) {
        problem(errorOf("stream_replaced",
                        "metrics.jsonl is shorter than the part already read; reading has stopped."_text,
                        folder.metrics().string()));
        if (phase == Phase::Draining) phase = Phase::ReadingEvidence;
        return;
    }
    const auto result = ingestBytes(*store, reader, id, event.bytes, event.offset);
    if (!result) return problem(result.error());  // nothing is lost: the same bytes are read again
    lastProblem.clear();
    if (result->malformedLines > 0)
        problem(errorOf("malformed_lines", "%1 lines of the stream cannot be read."_text(result->malformedLines),
                        folder.metrics().string()));
    advance(result->lastStep, result->records > 0);
    for (const MetricEvent& e : result->events) {
        if (program && e.name == "config") takeConfig();
        out.push_back({RunEvent::Kind::Event, status, e.step, e.name, e.detail});
    }
    sawRecords = sawRecords || result->records > 0;
    const bool wholeFile = event.offset + event.bytes.size() >= event.fileBytes;
    // An unfinished last line is never read once its writer is gone; it never was a point.
    if (phase == Phase::Draining && drainAsked && wholeFile && !result->more) phase = Phase::ReadingEvidence;
}

/// One round of requests and answers. @return whether to poll again at once
bool RunSession::Impl::pollOnce(std::int64_t now) {
    if (phase == Phase::Waiting) pollRestart(now);
    if (phase == Phase::Done || phase == Phase::Idle || phase == Phase::Waiting) return false;
    if (phase == Phase::Following) takeNewAttempt(now);
    if (phase == Phase::Following) follower.ask(*launcher, now);
    if (log && phase != Phase::ReadingEvidence) readLog(now);
    if (phase != Phase::ReadingEvidence) readStream();
    for (LaunchEvent& event : launcher->poll(static_cast<double>(now) / 1000)) inbox.push_back(std::move(event));
    const bool wasStarting = follower.isStarting();
    for (const LaunchEvent& event : std::exchange(inbox, {})) {
        const bool wasAsked = follower.isStarting();
        if (follower.take(event, now)) {
            if (wasAsked && !follower.isStarting()) auditStart(event, now);
            continue;
        }
        if (metricsRequest == event.request) {
            takeMetrics(event);
            continue;
        }
        if (takeEvidence(event)) continue;
        if (event.kind == LaunchEvent::Kind::Failed) problem(event.error);
    }
    for (const Error& error : follower.takeProblems(now)) problem(error);
    decide(now);
    if (rowMissing) restoreRow(now);
    return phase == Phase::Draining || phase == Phase::ReadingEvidence || (wasStarting && !follower.isStarting());
}

/// Recreates the row from the folder; a run without a folder counts as ended.
void RunSession::Impl::restoreRow(std::int64_t now) {
    rowMissing = false;
    const auto adopted = adoptRun(*store, id, now);
    if (adopted) {
        lastProblem.clear();
        return;
    }
    if (adopted.error().code != "run_missing") return problem(adopted.error());
    phase = Phase::Done;
    setStatus(RunStatus::Lost, adopted.error().message);
}

/// Another computer owns this run: observations go into the row only, never into its folder.
void RunSession::Impl::observeElsewhere(std::int64_t now) {
    if (now < nextSign) return;
    nextSign = now + 1000;
    const auto noted = store->observeRun(id, RunStatus::Running, follower.host(), follower.lastSignUnixMilliseconds());
    if (!noted) problem(noted.error());
    if (status != RunStatus::Running) setStatus(RunStatus::Running, "");
    reason = elsewhereText(follower.host(), follower.lastSignUnixMilliseconds(), now);
}

/// An attempt elsewhere may be followed by one here only after it has gone silent. Its age is measured by the clock of
/// the file system of the run folder, independent of the computers' clocks.
Result<void> RunSession::Impl::checkSilentElsewhere() const {
    constexpr double kSilentSeconds = 30;
    const auto probe = folder.path / "control" / "clock";
    auto written = makeFolders(probe.parent_path());
    if (written) written = writeFileAtomically(probe, "");
    if (!written) return written;
    const std::int64_t here = modifiedUnixMilliseconds(probe);
    for (const std::string& node : follower.handle().nodes) {
        // A lock that works across computers (a container here, most network file systems) is safer than any clock.
        const auto lock = FileLock::tryLock(folder.agentFolder(node) / "lock");
        if (!lock && lock.error().code == "locked")
            return fail(
                "still_running",
                "The agent of the run is silent but still exists on %1: continue or end its processes there first."_text(
                    follower.host()),
                id.value);
        const std::int64_t beat = modifiedUnixMilliseconds(folder.agentFolder(node) / "heartbeat.json");
        const double age = static_cast<double>(here - beat) * 1e-3;
        if (beat == 0 || age > kSilentSeconds) continue;
        return fail(
            "still_running",
            "The run is alive on %1: its heartbeat is %2 s old. Stop it there; once it has been silent for 30 s it can be resumed here."_text(
                follower.host(), static_cast<std::int64_t>(std::max(0.0, age))),
            id.value);
    }
    return {};
}

/// Whoever looks at a run whose start waits for a node learns the reason from the index.
void RunSession::Impl::takeReachability() {
    const std::string text = follower.unreachable();
    if (text == reason) return;
    if (status == RunStatus::Queued && follower.isStarting()) {
        RunChange change;
        change.reason = text;
        if (const auto stored = store->updateRun(id, change); !stored) return problem(stored.error());
    }
    reason = text;
}

void RunSession::Impl::decide(std::int64_t now) {
    const AttemptOutcome outcome = follower.outcome(now);
    if (phase == Phase::Following) {
        // Its points may arrive before the answer that confirms its agent.
        const bool alive = outcome == AttemptOutcome::Alive ||
                           (outcome == AttemptOutcome::Waiting && sawRecords && launcher->waiting().empty());
        if (follower.isElsewhere()) {
            if (outcome == AttemptOutcome::Alive) observeElsewhere(now);
        } else if (alive && status != RunStatus::Running) {
            RunChange change;
            change.status = RunStatus::Running;
            change.reason = "";  // it was that of its wait
            change.clearEnd = status == RunStatus::Lost;
            if (const auto stored = store->updateRun(id, change); !stored) return problem(stored.error());
            setStatus(RunStatus::Running, "");
        }
        if ((status == RunStatus::Running || (status == RunStatus::Queued && !slurm)) && !follower.isElsewhere())
            takeReachability();
        if (slurm && outcome == AttemptOutcome::Waiting)
            if (const auto shown = showWaiting(); !shown) return problem(shown.error());
        if (outcome != AttemptOutcome::Alive && outcome != AttemptOutcome::Waiting) {
            phase = follower.handle().nodes.empty() ? Phase::ReadingEvidence : Phase::Draining;
            metricsRequest.reset();  // an answer on its way may predate the end
            evidence.exits = follower.exits();
            readStream();
        }
        if (status == RunStatus::Running && !follower.isElsewhere() && now >= nextMeasure && lastStep > 0 &&
            lastStep <= kMeasureMaxSteps) {
            nextMeasure = now + kMeasureMilliseconds;
            RunChange change;
            change.measured = measured();
            if (const auto stored = store->updateRun(id, change); !stored) problem(stored.error());
        }
    }
    if (phase == Phase::ReadingEvidence) conclude(outcome, now);
}

}  // namespace slipway
