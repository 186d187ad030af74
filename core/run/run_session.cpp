#include "core/run/run_session.h"

#include "core/base/clock.h"
#include "core/base/own_file.h"
#include "core/launch/checkpoint_files.h"
#include "core/planner/plan.h"
#include "core/run/restart.h"
#include "core/run/run_files.h"
#include "core/run/session_impl.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace slipway {
Result<RunSession> RunSession::create(RunStore& store, const Home& home, const RunRequest& request, std::int64_t now,
                                      const Programs& programs, std::shared_ptr<NodeLinks> links,
                                      std::shared_ptr<SlurmQueue> queue) {
    const Issues issues = validate(request.config);
    if (hasErrors(issues)) return fail("bad_config", errorsOf(issues), request.config.name);
    auto impl = std::make_unique<Impl>();
    impl->store = &store;
    impl->home = home;
    impl->programs = programs;
    impl->links = std::move(links);
    impl->queue = std::move(queue);
    impl->id = request.id.empty() ? RunId(makeId(now, randomEntropy())) : request.id;
    if (store.run(impl->id)) return fail("run_exists", "Run %1 already exists."_text(impl->id.value), impl->id.value);
    const auto folder = home.run(impl->id);
    if (!folder) return fail(folder.error());
    impl->folder = *folder;
    impl->config = request.config;
    impl->cluster = request.cluster;
    const auto plan =
        request.plan ? request.plan : std::make_shared<const Plan>(makePlan(request.config, request.cluster));
    impl->memoryPeakBytes = plan->memoryPeakBytes;
    NewRun run;
    run.id = impl->id;
    run.config = request.config;
    run.cluster = request.cluster;
    run.forecastJson = dumpJson(forecastJson(*plan), false);
    run.tags = request.tags;
    run.sweep = request.sweep;
    run.trial = request.trial;
    impl->nodes = request.nodes;
    impl->slurm = request.slurm;
    RestartOrder order{request.restart, request.pool};
    if (order.nodes.empty())
        for (const LaunchNode& node : request.nodes) order.nodes.push_back(node.name);
    // Written with the folder: if this program is killed, any other starts the run as and where requested.
    if (!request.nodes.empty()) run.documents.push_back(nodesDocument(request.nodes));
    if (request.slurm) run.documents.push_back(slurmDocument(*request.slurm));
    if (order.isAutomatic()) run.documents.push_back(restartDocument(order));
    if (const auto created = store.createRun(run, now); !created) return fail(created.error());
    auto launcher = makeLauncher(impl->launcherKind(), programs, home, impl->links, impl->queue);
    if (!launcher) return fail(launcher.error());
    impl->launcher = std::move(*launcher);
    return RunSession(std::move(impl));
}

void RunSession::Impl::followPlan(const LaunchPlan& plan, std::int64_t startedUnixMilliseconds) {
    followAttempt(plan, std::max(startedUnixMilliseconds, plan.createdUnixMilliseconds));
}

Result<RunSession> RunSession::attach(RunStore& store, const Home& home, const RunId& id, std::int64_t now,
                                      const Programs& programs, std::shared_ptr<NodeLinks> links,
                                      std::shared_ptr<SlurmQueue> queue) {
    const auto record = store.run(id);
    if (!record) return fail(record.error());
    auto impl = std::make_unique<Impl>();
    impl->store = &store;
    impl->home = home;
    impl->programs = programs;
    impl->links = std::move(links);
    impl->queue = std::move(queue);
    impl->id = id;
    impl->folder = RunDir{record->folder};
    auto files = readRunFiles(impl->folder);
    if (!files) return fail(files.error());
    impl->config = std::move(files->config);
    impl->isShapeKnown = files->isShapeKnown;
    impl->isLengthKnown = files->isLengthKnown;
    impl->cluster = std::move(files->cluster);
    impl->nodes = std::move(files->nodes);
    auto program = readProgram(impl->folder);
    if (!program) return fail(program.error());
    impl->program = std::move(*program);
    auto slurm = readSlurmOptions(impl->folder);
    if (!slurm) return fail(slurm.error());
    impl->slurm = std::move(*slurm);
    auto launcher = makeLauncher(impl->launcherKind(), programs, home, impl->links, impl->queue);
    if (!launcher) return fail(launcher.error());
    impl->launcher = std::move(*launcher);
    impl->status = record->status;
    impl->reason = record->reason;
    impl->attempt = record->attempts;
    impl->lastStep = record->lastStep;
    const std::int64_t started = record->startedUnixMilliseconds.value_or(now);
    if (files->plan && files->plan->attempt >= record->attempts) {
        impl->followPlan(*files->plan, started);
    } else {
        impl->follower = AttemptFollower({}, started);  // killed between store and launch.json
    }
    // A lost run is checked again: its agent may be reachable again, or have left its record after all.
    if (record->status == RunStatus::Planned)
        impl->phase = Impl::Phase::Idle;
    else if (isFinal(record->status) && record->status != RunStatus::Lost)
        impl->phase = Impl::Phase::Done;
    else
        impl->phase = Impl::Phase::Following;
    return RunSession(std::move(impl));
}

Result<void> RunSession::launch(std::int64_t now) {
    if (m_impl->status != RunStatus::Planned)
        return fail("wrong_status", "The run is %1; only a planned run can be launched."_text(wordOf(m_impl->status)),
                    id().value);
    return m_impl->begin(std::max<std::int64_t>(1, m_impl->attempt + 1), false, now);
}

Result<void> RunSession::resume(std::int64_t now) {
    Impl& impl = *m_impl;
    if (impl.status == RunStatus::Planned) return launch(now);
    // The index may be outdated: a lost run may be alive, a running one may have ended. Check before any start.
    std::vector<RunEvent> seen;
    for (int i = 0; i < 6 && !done(); ++i)
        for (RunEvent& event : poll(now)) seen.push_back(std::move(event));
    impl.out = std::move(seen);
    if (impl.status == RunStatus::Completed && impl.program)
        return fail("wrong_status", "The run is completed; launch its program again for a new run."_text, id().value);
    if (impl.status == RunStatus::Completed)
        return fail("wrong_status", "The run is completed; clone it to continue training."_text, id().value);
    const bool isElsewhere = impl.follower.isElsewhere();
    if (isElsewhere)
        if (auto silent = impl.checkSilentElsewhere(); !silent) return silent;
    if (!isFinal(impl.status) && !isElsewhere)
        return fail("still_running", "The run is %1; stop it first."_text(wordOf(impl.status)), id().value);
    return impl.beginAgain(now);
}

/// The agent of the newest attempt on this node has reported its end, to this program or an earlier one.
bool RunSession::Impl::hasExited(const std::string& node) const {
    const auto text = readOwnFile(folder.agentFolder(node) / "exit.json");
    const auto exit = text ? parseAgentExit(*text, "exit.json") : Result<AgentExit>(fail(text.error()));
    return exit && exit->runId == id.value && exit->attempt == attempt;
}

Result<void> RunSession::Impl::beginAgain(std::int64_t now) {
    // Two attempts must never write to one folder: no process of the former one may be alive.
    for (const std::string& node : follower.handle().nodes) {
        if (follower.nothingStarted()) break;
        if (follower.isGivenUp(node)) continue;
        const auto answer = answerTo(launcher->presence(follower.handle(), node), now);
        const AgentPresence presence =
            answer && answer->kind == LaunchEvent::Kind::Presence ? answer->presence : AgentPresence::Unknown;
        if (presence == AgentPresence::Alive)
            return fail("still_running",
                        "Ranks or the agent of the former attempt are still alive on node %1."_text(node), id.value);
        // Its agent has reported that no process remains; a Slurm job may still be requeued.
        const bool hasEnded = !slurm && hasExited(node);
        if (presence == AgentPresence::Unknown && hasEnded) continue;
        // A launcher that cannot reach the node answers with Failed.
        const bool isUnheard =
            answer && answer->kind == LaunchEvent::Kind::Presence && (!nodes.empty() || slurm.has_value());
        if (presence == AgentPresence::Unknown && isUnheard)
            return fail(
                "nodes_unheard",
                "Node %1 is being asked whether ranks of the former attempt are alive; try again in a moment."_text(
                    node),
                id.value);
        if (presence == AgentPresence::Unknown)
            return fail("still_running",
                        "Node %1 cannot be reached, so ranks of the former attempt may still run there."_text(node),
                        id.value);
    }
    const bool isAway = !nodes.empty() || (slurm && !slurm->login.empty());
    // Checkpoints of nodes stay there; without any, the trainer begins with the first step.
    return begin(attempt + 1, isAway || newestCheckpoint(folder).has_value(), now);
}

Result<void> RunSession::useNodes(const std::vector<LaunchNode>& nodes) {
    const bool isOther = nodes.empty() != m_impl->nodes.empty();
    m_impl->nodes = nodes;
    if (!isOther) return {};
    auto launcher = makeLauncher(m_impl->launcherKind(), m_impl->programs, m_impl->home, m_impl->links);
    if (!launcher) return fail(launcher.error());
    m_impl->launcher = std::move(*launcher);
    return {};
}

Result<void> RunSession::restart(const std::vector<LaunchNode>& nodes, std::int64_t now) {
    if (!isWaiting())
        return fail("wrong_status", "The run is %1; it does not wait for a restart."_text(wordOf(status())),
                    id().value);
    if (!nodes.empty()) m_impl->nodes = nodes;
    return m_impl->beginAgain(now);
}

std::vector<std::string> RunSession::excludedNodes() const {
    const auto end = readEnd(m_impl->folder, m_impl->attempt);
    return end && end->decidedUnixMilliseconds != 0 ? end->decision.excluded : std::vector<std::string>();
}

std::vector<RunEvent> RunSession::poll(std::int64_t now) {
    // An answered start and a detected end lead to further requests, which a local launcher answers
    // immediately.
    constexpr int kMostRounds = 6;
    Impl& impl = *m_impl;
    if (!impl.arrival) impl.arrival = {impl.attempt, impl.lastStep, impl.phase == Impl::Phase::Done ? impl.attempt : 0};
    for (int round = 0; round < kMostRounds && impl.pollOnce(now); ++round) continue;
    impl.pollAlerts(now);
    return std::exchange(m_impl->out, {});
}

std::vector<int> RunSession::newsFds() const {
    if (done()) return {};
    // A run between two attempts does not read what a node sends, which would then remain readable.
    std::vector<int> fds = isWaiting() ? std::vector<int>() : m_impl->launcher->newsFds();
    if (const int hook = m_impl->alerts.newsFd(); hook >= 0) fds.push_back(hook);
    return fds;
}

Result<void> RunSession::stop(std::int64_t now) {
    Impl& impl = *m_impl;
    if (impl.phase == Impl::Phase::Done) return {};
    if (impl.phase == Impl::Phase::Idle) {
        impl.finish(RunStatus::Cancelled, static_cast<int>(TrainerExit::Stopped),
                    textOf("Stopped before it was started."_text), now);
        return {};
    }
    return impl.ask(StopKind::Stop, now);
}

Result<void> RunSession::kill(std::int64_t now) {
    Impl& impl = *m_impl;
    if (impl.phase == Impl::Phase::Done || impl.phase == Impl::Phase::Idle) return stop(now);
    return impl.ask(StopKind::Kill, now);
}

RunSession::RunSession(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
RunSession::RunSession(RunSession&&) noexcept = default;
RunSession& RunSession::operator=(RunSession&&) noexcept = default;
RunSession::~RunSession() = default;

Issues RunSession::readiness() const {
    return m_impl->readiness();
}
const RunId& RunSession::id() const {
    return m_impl->id;
}
const RunConfig& RunSession::config() const {
    return m_impl->config;
}
std::optional<std::int64_t> RunSession::numSteps() const {
    return m_impl->isLengthKnown ? std::optional(m_impl->config.train.numSteps) : std::nullopt;
}
const RunDir& RunSession::folder() const {
    return m_impl->folder;
}
RunStatus RunSession::status() const {
    return m_impl->status;
}
const std::string& RunSession::reason() const {
    return m_impl->reason;
}
std::int64_t RunSession::attempt() const {
    return m_impl->attempt;
}
std::int64_t RunSession::lastStep() const {
    return m_impl->lastStep;
}
bool RunSession::done() const {
    return m_impl->phase == Impl::Phase::Done && !m_impl->alerts.isBusy();
}
std::vector<std::string> RunSession::nodes() const {
    std::vector<std::string> names;
    for (const LaunchNode& node : m_impl->nodes) names.push_back(node.name);
    return names;
}

bool RunSession::isRemote() const {
    return !m_impl->nodes.empty();
}
bool RunSession::isBusy() const {
    return !done() && m_impl->launcher->isBusy();
}
void RunSession::driveRestarts() {
    m_impl->isDriven = true;
}
bool RunSession::isWaiting() const {
    return m_impl->phase == Impl::Phase::Waiting;
}
std::int64_t RunSession::restartUnixMilliseconds() const {
    return m_impl->restartAt;
}
const Error& RunSession::startError() const {
    return m_impl->startError;
}
void RunSession::leaveRestarts() {
    m_impl->leavesRestarts = true;
}
void RunSession::wait(double seconds) const {
    m_impl->launcher->wait(seconds);
}
const std::vector<AgentHeartbeat>& RunSession::heartbeats() const {
    return m_impl->follower.heartbeats();
}

}  // namespace slipway
