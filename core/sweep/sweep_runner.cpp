#include "core/sweep/sweep_runner.h"

#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/launch/checkpoint_files.h"
#include "core/planner/plan.h"
#include "core/run/run_files.h"
#include "core/sweep/sweep_result.h"
#include "core/sweep/trial_state.h"

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

constexpr std::int64_t kGraceMilliseconds = 60000;
constexpr int kRetries = 3;  // of a trial that was killed or lost

/// 32 bits of a text, for the random part of an id: core has no entropy of its own, and the text is unique.
std::uint32_t bitsOf(const std::string& text) {
    std::uint32_t hash = 2166136261U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return hash;
}

/// Settled, and to be run again for one of the reasons; likewise trials that a stop rule skipped after those failures.
bool isTriedAgain(const Trial& trial, const TrialState& state, const RunRecord* run,
                  const std::vector<std::string>& reasons) {
    const bool leftOut = !reasons.empty() && state.status == TrialStatus::Skipped && trial.skipReason.empty();
    return leftOut || std::ranges::any_of(reasons, [&](const std::string& r) { return isRetryReason(r, state, run); });
}

/// Forecast seconds of a trial; 1 if unknown, so that all trials count the same.
double weightOf(const Trial& trial) {
    const auto json = parseJson(trial.forecastJson, "forecast");
    const double stepSeconds = json ? figuresFromJson(*json).stepSeconds.value_or(0) : 0;
    const double weight = stepSeconds * static_cast<double>(trial.config.train.numSteps);
    return std::isfinite(weight) && weight > 0 ? weight : 1;
}

}  // namespace

Result<SweepRunner> SweepRunner::open(RunStore& store, const Home& home, const Programs& programs,
                                      const SweepFile& file, const ClusterSpec& cluster, const SweepOptions& options,
                                      std::int64_t now) {
    SweepRunner runner(store, home, programs);
    runner.m_file = file;
    runner.m_cluster = cluster;
    runner.m_jobs = std::max<std::int64_t>(1, options.jobs);
    runner.m_trials = expandSweep(file);
    runner.m_identity = sweepIdentity(file, runner.m_trials, options.trainerVersion);
    if (auto made = makeFolders(home.sweeps()); !made) return fail(made.error());
    auto lock = FileLock::tryLock(sweepLock(home, runner.m_identity));
    if (!lock) {
        if (lock.error().code != "locked") return fail(lock.error());
        return fail(
            "sweep_running",
            "Another slipway is already running this sweep; follow it with `slipway runs`, or wait until it is done."_text);
    }
    runner.m_lock = std::move(*lock);

    const auto known = store.sweepsByIdentity(runner.m_identity);
    if (!known) return fail(known.error());
    std::vector<TrialRecord> records;
    if (!known->empty() && !options.again) {
        const auto named = std::ranges::find(*known, options.id, &SweepRecord::id);
        const SweepRecord& record = named != known->end() ? *named : known->front();
        runner.m_id = record.id;
        runner.m_createdUnixMilliseconds = record.createdUnixMilliseconds;
        runner.m_storedStatus = record.status;
        // The hardware of the first start stays: forecasts of one sweep must not change midway.
        const auto json = parseJson(record.document, "sweep");
        Issues issues;
        if (json) runner.m_cluster = sweepFileFromJson(*json, issues).cluster.value_or(cluster);
        auto trials = store.trials(runner.m_id);
        if (!trials) return fail(trials.error());
        records = std::move(*trials);
    } else {
        runner.m_id = SweepId(makeId(now, bitsOf(runner.m_identity + std::to_string(now))));
        runner.m_createdUnixMilliseconds = now;
    }
    if (!options.nodes.empty()) {
        auto pool = NodePool::open(store, home, programs, runner.m_links, options.nodes, options.jobs);
        if (!pool) return fail(pool.error());
        runner.m_pool = std::move(*pool);
        runner.m_lostMilliseconds = 1000 * std::max<std::int64_t>(0, options.lostAfterSeconds);
        runner.m_pool->giveUpAfter(runner.m_lostMilliseconds);
    }
    if (auto prepared = runner.prepareSlurm(options); !prepared) return fail(prepared.error());
    planTrials(runner.m_trials, runner.m_cluster);
    runner.m_openedUnixMilliseconds = now;
    std::vector<std::string> retry = takeRetryRequest(home, runner.m_id);
    retry.insert(retry.end(), options.retry.begin(), options.retry.end());
    if (auto loaded = runner.load(records, retry); !loaded) return fail(loaded.error());
    runner.prepareOrder();
    runner.prepareSearch();
    // Starting a sweep withdraws earlier stop requests.
    if (auto withdrawn = withdrawRequests(home, runner.m_id); !withdrawn) return fail(withdrawn.error());
    runner.m_wasComplete = runner.complete();
    if (!runner.m_wasComplete) {
        if (auto stored = runner.storeSweep("running", now); !stored) return fail(stored.error());
        if (!runner.m_slurm)
            if (auto kept = keepSweepPlace(home, runner.m_id, {options.jobs, options.nodes, options.lostAfterSeconds});
                !kept)
                return fail(kept.error());
        for (std::size_t i = 0; i < runner.m_trials.size(); ++i) {
            if (runner.m_trials[i].skipReason.empty() || runner.m_states[i].status != TrialStatus::Planned) continue;
            runner.m_states[i] = {TrialStatus::Skipped, runner.m_trials[i].skipReason, {}, false};
            if (auto stored = runner.storeTrial(i); !stored) return fail(stored.error());
            runner.takeOutcome(i);
        }
    } else if (const std::string status = runner.endStatus(); status != runner.m_storedStatus) {
        // A run was resumed by hand in the meantime.
        if (auto stored = runner.storeSweep(status, now); !stored) return fail(stored.error());
    }
    return runner;
}

Result<void> SweepRunner::load(const std::vector<TrialRecord>& records, const std::vector<std::string>& retry) {
    m_states.assign(m_trials.size(), {});
    for (const Trial& trial : m_trials) m_weights.push_back(weightOf(trial));
    for (const TrialRecord& record : records) {
        if (record.index < 0 || record.index >= static_cast<std::int64_t>(m_trials.size())) continue;
        const auto i = static_cast<std::size_t>(record.index);
        const auto stored =
            record.run.empty() ? Result<RunRecord>(fail(Error{"run_missing", {}, {}})) : m_store->run(record.run);
        const RunRecord* run = stored ? &*stored : nullptr;
        TrialState state = trialStateOf(record, run);
        if (isTriedAgain(m_trials[i], state, run, retry)) state = {};
        m_states[i] = {state.status, state.reason, record.run, false};
        if (run != nullptr && !isFinal(run->status) && run->status != RunStatus::Planned) m_underWay.push_back(i);
        if (run != nullptr && run->startedUnixMilliseconds && run->endedUnixMilliseconds)
            m_usedSeconds += static_cast<double>(*run->endedUnixMilliseconds - *run->startedUnixMilliseconds) / 1000;
        if (wordOf(state.status) == record.status && state.reason == record.reason) continue;
        if (auto kept = storeTrial(i); !kept) return kept;
    }
    return {};
}

Result<void> SweepRunner::storeTrial(std::size_t trial) {
    const State& state = m_states[trial];
    Json point = Json::object();
    for (const Setting& setting : m_trials[trial].settings) point[setting.path] = Json::parse(setting.value);
    return m_store->upsertTrial({m_id, static_cast<std::int64_t>(trial), m_trials[trial].name, wordOf(state.status),
                                 state.reason, state.run, configHash(m_trials[trial].config), dumpJson(point, false)});
}

Result<void> SweepRunner::storeSweep(const std::string& status, std::int64_t now) {
    SweepRecord record{
        m_id, m_file.name, m_identity, status, m_createdUnixMilliseconds, {}, sweepDocument(m_file, m_cluster), {}};
    if (const auto before = m_store->sweep(m_id)) record.notes = before->notes;
    if (status == "completed" || status == "failed") record.endedUnixMilliseconds = now;
    auto stored = m_store->upsertSweep(record);
    if (stored) m_storedStatus = status;
    return stored;
}

Result<void> SweepRunner::settle(std::size_t trial, TrialStatus status, std::string reason,
                                 std::vector<SweepEvent>& events) {
    m_states[trial].status = status;
    m_states[trial].reason = std::move(reason);
    if (auto stored = storeTrial(trial); !stored) return stored;
    takeOutcome(trial);
    events.push_back({SweepEvent::Kind::Ended, trial, status, m_states[trial].reason});
    return {};
}

/// The id is stored before the run is created: after a kill in between, the next runner creates the same run.
Result<void> SweepRunner::giveRunId(std::size_t trial, std::int64_t now) {
    State& state = m_states[trial];
    if (!state.run.empty()) return {};
    state.run = RunId(makeId(now, bitsOf(m_id.value + "/" + std::to_string(trial))));
    return storeTrial(trial);
}

Result<RunSession> SweepRunner::sessionFor(std::size_t trial, const std::vector<LaunchNode>& nodes, std::int64_t now) {
    State& state = m_states[trial];
    if (!state.run.empty() && m_store->run(state.run)) {
        auto session = RunSession::attach(*m_store, m_home, state.run, now, m_programs, m_links, m_queue);
        if (session && !nodes.empty())
            if (const auto used = session->useNodes(nodes); !used) return fail(used.error());
        return session;
    }
    RunRequest request;
    request.nodes = nodes;
    request.slurm = m_slurm;
    request.config = m_trials[trial].config;
    request.cluster = m_cluster;
    request.sweep = m_id;
    request.trial = static_cast<std::int64_t>(trial);
    if (auto given = giveRunId(trial, now); !given) return fail(given.error());
    request.id = state.run;
    auto session = RunSession::create(*m_store, m_home, request, now, m_programs, m_links, m_queue);
    if (session || session.error().code != "run_exists") return session;
    // An incomplete folder of a killed runner: leave it, take a new id.
    state.run = RunId(makeId(now, bitsOf(m_id.value + "/" + std::to_string(trial) + "/" + state.run.value)));
    if (auto stored = storeTrial(trial); !stored) return fail(stored.error());
    request.id = state.run;
    return RunSession::create(*m_store, m_home, request, now, m_programs, m_links, m_queue);
}

Result<bool> SweepRunner::startOne(std::int64_t now, std::vector<SweepEvent>& events) {
    while (m_pool && !m_underWay.empty()) {
        const std::size_t trial = m_underWay.back();
        m_underWay.pop_back();
        if (!m_states[trial].tried && !isSettled(m_states[trial].status)) return startTrial(trial, now, events);
    }
    const auto next = nextTrial();
    return next ? startTrial(*next, now, events) : Result<bool>(false);
}

Result<bool> SweepRunner::startTrial(std::size_t trial, std::int64_t now, std::vector<SweepEvent>& events) {
    State& state = m_states[trial];
    std::vector<LaunchNode> nodes;
    if (m_pool) {
        auto placed = placeTrial(trial, now);
        if (!placed && placed.error().code == "no_node") {
            pauseWithoutNodes(trial, placed.error(), events);
            return false;
        }
        if (!placed && placed.error().code != "running") {
            state.tried = true;
            if (auto settled = settle(trial, TrialStatus::Failed, placed.error().message, events); !settled)
                return fail(settled.error());
            return true;
        }
        if (placed && placed->empty()) {
            m_pool->foundNoRoom(now);
            return false;
        }
        if (placed) nodes = std::move(*placed);
    }
    auto session = sessionFor(trial, nodes, now);
    if (!session) {
        state.tried = true;
        if (m_pool) m_pool->release(state.run);
        const std::string& code = session.error().code;
        if (code == "store_busy" || code == "disk_full" || code == "store_failed") return fail(session.error());
        if (auto settled = settle(trial, TrialStatus::Failed, session.error().message, events); !settled)
            return fail(settled.error());
        return true;
    }
    session->driveRestarts();
    Result<void> started;
    const std::int64_t rungEnd = endOfRung(trial);
    if (isFinal(session->status()) && session->status() != RunStatus::Completed && session->lastStep() > 0 &&
        !newestCheckpoint(session->folder()))
        events.push_back({SweepEvent::Kind::Problem, trial, TrialStatus::Running,
                          "It left no checkpoint, so it trains again from its first step."});
    if (session->status() == RunStatus::Planned)
        started = session->launch(now);
    else if (isFinal(session->status()) && session->status() != RunStatus::Completed)
        started = session->resume(now);
    const bool wantsResume = m_slurm && !started && started.error().code == "nodes_unheard";
    if (!started && m_pool) m_pool->release(state.run);
    if (!started && !wantsResume) {
        // Not ready while our own trials run: they may hold the missing memory or ports, so it waits.
        if (started.error().code == "not_ready" && !m_active.empty()) return false;
        state.tried = true;
        if (session->status() == RunStatus::Planned) {  // nobody starts it: it would be listed as lost, its trial, too
            RunChange change;
            change.status = RunStatus::Failed;
            change.reason = started.error().message;
            change.endedUnixMilliseconds = now;
            if (auto stored = m_store->updateRun(state.run, change); !stored) return fail(stored.error());
        }
        if (auto settled = settle(trial, TrialStatus::Failed, started.error().message, events); !settled)
            return fail(settled.error());
        return true;
    }
    state.tried = true;
    state.status = TrialStatus::Running;
    state.reason.clear();
    if (m_storedStatus != "running")
        if (auto stored = storeSweep("running", now); !stored) return fail(stored.error());
    if (auto stored = storeTrial(trial); !stored) return fail(stored.error());
    events.push_back({SweepEvent::Kind::Started, trial, TrialStatus::Running, {}});
    takeOutcome(trial);
    m_active.push_back({trial, std::move(*session), now, 0, 0, rungEnd, {}, TrialStatus::Cancelled, 0, 0});
    m_active.back().wantsResume = wantsResume;
    return true;
}

void SweepRunner::endActive(Active& active, TrialStatus status, std::string reason, std::int64_t now) {
    if (active.killAtUnixMilliseconds != 0) return;
    active.endStatus = status;
    active.endReason = std::move(reason);
    active.killAtUnixMilliseconds = now + kGraceMilliseconds;
    if (!active.session.stop(now)) active.killAtUnixMilliseconds = now;
}

void SweepRunner::applyRules(Active& active, std::int64_t now) {
    const StopRules& rules = m_file.stop;
    if (active.killAtUnixMilliseconds != 0 && now >= active.killAtUnixMilliseconds) {
        (void)active.session.kill(now);
        active.killAtUnixMilliseconds = now + kGraceMilliseconds;
        return;
    }
    const std::int64_t step = active.session.lastStep();
    if (rules.steps > 0 && step >= rules.steps)
        endActive(active, TrialStatus::Completed,
                  textOf("Ended after %1 steps by the sweep's stop rule."_text(rules.steps)), now);
    if (active.rungSteps > 0 && step >= active.rungSteps)
        endActive(active, TrialStatus::Completed,
                  textOf("Ended at a rung of the search, after %1 of %2 steps."_text(
                      active.rungSteps, active.session.config().train.numSteps)),
                  now);
    applyMedianRule(active, now);
    const double seconds = static_cast<double>(now - active.startedUnixMilliseconds) / 1000;
    if (rules.secondsPerTrial > 0 && seconds > rules.secondsPerTrial)
        endActive(active, TrialStatus::Failed,
                  textOf("Took longer than %1 s, the sweep's limit for a trial."_text(
                      dumpJson(jsonNumber(rules.secondsPerTrial), false))),
                  now);
    if (rules.diverged && step > active.checkedStep) {
        const auto window = m_store->window(active.session.id(), "loss", active.checkedStep + 1, step, 1);
        active.checkedStep = step;
        if (window && window->totalNonFinite > 0)
            endActive(active, TrialStatus::Failed,
                      textOf("The loss is not finite at step %1."_text(
                          window->nonFinite.empty() ? step : window->nonFinite.front().step)),
                      now);
    }
}

Result<void> SweepRunner::skipRest(const std::string& reason, std::int64_t now, std::vector<SweepEvent>& events) {
    leaveQueue(TrialStatus::Skipped, reason, now);
    for (std::size_t i = 0; i < m_states.size(); ++i) {
        if (isSettled(m_states[i].status) || m_states[i].status == TrialStatus::Running || m_states[i].tried) continue;
        if (auto settled = settle(i, TrialStatus::Skipped, reason, events); !settled) return settled;
    }
    return {};
}

Result<void> SweepRunner::takeRequests(std::int64_t now) {
    const auto request = sweepRequest(m_home, m_id);
    if (request == SweepRequest::Stop && m_request != request) stopRunning(now);
    if (m_request && !request)
        for (State& state : m_states) state.tried = state.tried && isSettled(state.status);
    m_request = request;
    const std::vector<std::string> retry = takeRetryRequest(m_home, m_id);
    for (std::size_t i = 0; i < m_states.size() && !retry.empty(); ++i) {
        State& state = m_states[i];
        if (!isSettled(state.status)) continue;
        const auto run =
            state.run.empty() ? Result<RunRecord>(fail(Error{"run_missing", {}, {}})) : m_store->run(state.run);
        if (!isTriedAgain(m_trials[i], {state.status, state.reason}, run ? &*run : nullptr, retry)) continue;
        state = {TrialStatus::Planned, {}, state.run, false};
        if (auto stored = storeTrial(i); !stored) return stored;
        takeOutcome(i);
    }
    return {};
}

Result<std::vector<SweepEvent>> SweepRunner::tick(std::int64_t now) {
    std::vector<SweepEvent> events;
    if (auto taken = takeRequests(now); !taken) return fail(taken.error());
    m_links->poll(static_cast<double>(now) / 1000);
    if (m_inArrays) openArray(now);
    for (std::size_t a = 0; a < m_active.size();) {
        Active& active = m_active[a];
        if (active.wantsResume) {
            const auto isKept = resumeWanted(active, now, events);
            if (!isKept) return fail(isKept.error());
            if (*isKept)
                ++a;
            else
                m_active.erase(m_active.begin() + static_cast<std::ptrdiff_t>(a));
            continue;
        }
        if (isResting(active, now)) {
            ++a;
            continue;
        }
        for (const RunEvent& event : active.session.poll(now))
            if (event.kind == RunEvent::Kind::Problem)
                events.push_back({SweepEvent::Kind::Problem, active.trial, TrialStatus::Running, event.text});
        if (!active.session.done()) {
            tend(active, now, events);
            if (!active.session.isWaiting() || active.killAtUnixMilliseconds != 0) applyRules(active, now);
            ++a;
            continue;
        }
        const auto run = m_store->run(active.session.id());
        if (!run) return fail(run.error());
        TrialRecord followed;
        followed.status = wordOf(TrialStatus::Running);
        TrialState state = trialStateOf(followed, &*run);
        const bool killed = wasKilled(*run);
        if ((killed || state.status == TrialStatus::Lost) && active.endReason.empty() && !isPaused()) {
            if (m_inArrays && active.retries < kRetries && !canJoin(active.session.config(), run->id)) {
                ++a;  // it becomes an element of the next array
                continue;
            }
            if (active.retries == kRetries) {
                state.reason += " " + textOf("It was tried again %1 times."_text(kRetries));
            } else if (const auto resumed = active.session.resume(now); resumed) {
                ++active.retries;
                events.push_back({SweepEvent::Kind::Problem, active.trial, TrialStatus::Running,
                                  run->reason + (killed ? " It was killed" : " It was lost") + " and is tried again, " +
                                      std::to_string(active.retries) + " of " + std::to_string(kRetries) + " times."});
                ++a;
                continue;
            } else if ((m_pool || m_slurm) &&
                       (resumed.error().code == "nodes_unheard" || resumed.error().code == "still_running")) {
                ++a;  // its nodes have not reported its remaining processes yet
                continue;
            }
        }
        if (!active.endReason.empty() && state.status != TrialStatus::Completed)
            state = {active.endStatus, active.endReason};
        if (diskWasFull(*run)) {
            pause();
            events.push_back({SweepEvent::Kind::Problem, active.trial, state.status,
                              "The disk is full, so the sweep is paused. Free some space and start it again."});
        }
        m_usedSeconds += static_cast<double>(now - active.startedUnixMilliseconds) / 1000;
        const std::size_t trial = active.trial;
        if (m_pool) m_pool->release(active.session.id());
        m_active.erase(m_active.begin() + static_cast<std::ptrdiff_t>(a));
        if (auto settled = settle(trial, state.status, std::move(state.reason), events); !settled)
            return fail(settled.error());
    }

    const auto failures = static_cast<std::int64_t>(std::count_if(
        m_states.begin(), m_states.end(), [](const State& s) { return s.status == TrialStatus::Failed; }));
    if (m_file.stop.failures > 0 && failures >= m_file.stop.failures) {
        if (auto skipped = skipRest(textOf("The sweep ended after %1 failed trials, by its stop rule."_text(failures)),
                                    now, events);
            !skipped)
            return fail(skipped.error());
    } else if (m_file.stop.seconds > 0 && m_usedSeconds >= m_file.stop.seconds) {
        if (auto skipped = skipRest(textOf("The sweep's budget of %1 s was used up."_text(
                                        dumpJson(jsonNumber(m_file.stop.seconds), false))),
                                    now, events);
            !skipped)
            return fail(skipped.error());
    }
    if (auto ended = endSearch(events); !ended) return fail(ended.error());
    pollPool(now, events);
    if (m_inArrays)
        if (auto filled = fillArray(now, events); !filled) return fail(filled.error());
    bool isNew = false;
    const auto mayStart = [&] {
        return m_pool ? m_pool->mayHaveRoom(now) : static_cast<std::int64_t>(m_active.size()) < m_jobs;
    };
    while (!m_inArrays && !isPaused() && mayStart()) {
        const auto started = startOne(now, events);
        if (!started) return fail(started.error());
        if (!*started) break;
        isNew = true;
    }
    if (!isNew) leaveStranded(events);
    if (done()) {
        const std::string status = endStatus();
        if (status != m_storedStatus)
            if (auto stored = storeSweep(status, now); !stored) return fail(stored.error());
    }
    return events;
}

std::vector<int> SweepRunner::newsFds() const {
    std::vector<int> fds;
    for (const Active& active : m_active)
        for (const int fd : active.session.newsFds()) fds.push_back(fd);
    return fds;
}

void SweepRunner::stop(std::int64_t now) {
    m_paused = true;
    stopRunning(now);
}

void SweepRunner::stopRunning(std::int64_t now) {
    for (Active& active : m_active) stopActive(active, now);
}

void SweepRunner::stopActive(Active& active, std::int64_t now) {
    if (active.wantsResume) return;  // none of its processes runs; the next tick drops it
    endActive(active, TrialStatus::Cancelled, textOf("Stopped; the next start of the sweep continues it."_text), now);
}

std::string SweepRunner::endStatus() const {
    std::vector<TrialStatus> statuses;
    for (const State& state : m_states) statuses.push_back(state.status);
    return sweepStatusOf(statuses);
}

bool SweepRunner::complete() const {
    return std::all_of(m_states.begin(), m_states.end(), [](const State& state) { return isSettled(state.status); });
}

bool SweepRunner::done() const {
    return m_active.empty() && (isPaused() || !nextTrial());
}

}  // namespace slipway
