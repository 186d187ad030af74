// SweepRunner, fourth part: trials as elements of Slurm's arrays. All that have room join one array, and the next begins when the former
// is over: what runs at the same time never exceeds the limit, and what is to be tried again joins the next.
#include "core/launch/slurm_login.h"
#include "core/remote/node_record.h"
#include "core/sweep/sweep_runner.h"
#include "core/sweep/trial_state.h"

#include <algorithm>

namespace slipway {
namespace {

constexpr int kStartsPerTick = 20;        // each makes a run folder
constexpr std::size_t kMostAwaited = 20;  // whose files are copied to a login node at the same time
constexpr std::int64_t kRestMilliseconds = 1000, kRestPerElement = 5;

}  // namespace

Result<void> SweepRunner::prepareSlurm(const SweepOptions& options) {
    m_slurm = options.slurm;
    if (!m_slurm) return {};
    const auto folder = m_home.sweep(m_id);
    if (!folder) return fail(folder.error());
    std::unique_ptr<SlurmDoor> door = std::make_unique<LocalSlurmDoor>();
    if (!m_slurm->login.empty()) {
        const auto node = findNode(m_home, m_slurm->login);
        if (!node) return fail(node.error());
        door = std::make_unique<SlurmLogin>(m_links->link(*node));
    }
    m_queue = std::make_shared<SlurmQueue>(std::move(door), *folder / "arrays", m_slurm->login);
    m_inArrays = !m_file.search;
    return {};
}

/// Nothing of the former array is in the queue or runs.
bool SweepRunner::isIdle() const {
    return std::ranges::all_of(m_active, [](const Active& active) {
        return active.wantsResume || active.session.done() || active.session.isWaiting();
    });
}

bool SweepRunner::isInQueue(const Active& active) const {
    return m_inArrays && active.session.status() == RunStatus::Queued && !active.session.isWaiting();
}

/// Hundreds may wait in the queue: each is looked at now and then only.
bool SweepRunner::isResting(Active& active, std::int64_t now) const {
    if (!isInQueue(active)) return false;
    active.startedUnixMilliseconds = now;                                    // its time begins when it runs
    if (m_queue->numAwaited() > 0 && active.session.isBusy()) return false;  // its files are being copied
    if (now < active.nextPoll && active.killAtUnixMilliseconds == 0) return true;
    active.nextPoll = now + kRestMilliseconds + kRestPerElement * static_cast<std::int64_t>(m_active.size());
    return false;
}

/// A run with this config could be started now as an element of the open array.
bool SweepRunner::canJoin(const RunConfig& config, const RunId& run) const {
    if (!m_inArrays) return true;
    const auto folder = run.empty() ? Result<RunDir>(fail(Error{})) : m_home.run(run);
    const auto own = folder ? readSlurmOptions(*folder) : Result<std::optional<SlurmOptions>>(std::nullopt);
    const auto shape = slurmShape(config, own ? own->value_or(*m_slurm) : *m_slurm);
    return m_queue->isOpen() && (!shape || m_queue->fits(*shape));  // its start reports the error
}

/// False when it is no longer active.
Result<bool> SweepRunner::resumeWanted(Active& active, std::int64_t now, std::vector<SweepEvent>& events) {
    const auto ends = [&](TrialStatus status, std::string reason) -> Result<bool> {
        if (auto settled = settle(active.trial, status, std::move(reason), events); !settled)
            return fail(settled.error());
        return false;
    };
    if (isPaused() || active.killAtUnixMilliseconds != 0)
        return ends(TrialStatus::Cancelled, "Stopped; the next start of the sweep continues it.");
    if (!canJoin(active.session.config(), active.session.id())) return true;
    const auto resumed = active.session.resume(now);
    if (resumed) active.wantsResume = false;
    if (resumed || resumed.error().code == "nodes_unheard" || resumed.error().code == "still_running") return true;
    return ends(TrialStatus::Failed, resumed.error().message);
}

void SweepRunner::openArray(std::int64_t now) {
    if (isPaused() || m_queue->isOpen() || !isIdle()) return;
    // What runs already is followed first.
    const bool hasRuns = std::ranges::any_of(
        m_states, [](const State& state) { return state.status == TrialStatus::Running && !state.tried; });
    if (!hasRuns && (!m_active.empty() || nextTrial()))
        m_queue->open("slipway-" + m_id.value + "-k" + std::to_string(now), m_jobs);
}

std::optional<std::size_t> SweepRunner::nextElement() const {
    std::optional<std::size_t> next;
    for (const std::size_t i : m_order) {
        const State& state = m_states[i];
        if (isSettled(state.status) || state.tried) continue;
        if (state.status == TrialStatus::Running) return i;
        if (!next && m_queue->isOpen() && canJoin(m_trials[i].config, state.run)) next = i;
    }
    return next;
}

Result<void> SweepRunner::fillArray(std::int64_t now, std::vector<SweepEvent>& events) {
    if (isPaused()) {
        m_queue->drop();
        leaveQueue(TrialStatus::Cancelled, "Stopped; the next start of the sweep continues it.", now);
        return {};
    }
    for (int number = 0; number < kStartsPerTick && m_queue->numAwaited() < kMostAwaited; ++number) {
        const auto next = nextElement();
        if (!next || m_queue->isFull()) {
            const bool isAwaited =
                std::ranges::any_of(m_active, [](const Active& active) { return active.wantsResume; });
            if (!isAwaited || m_queue->isFull()) m_queue->submit();
            return {};
        }
        const auto started = startTrial(*next, now, events);
        if (!started) return fail(started.error());
        if (*started) continue;
        m_queue->submit();  // what is in its way may be what waits here
        return {};
    }
    return {};
}

/// What waits in Slurm's queue is taken out of it.
void SweepRunner::leaveQueue(TrialStatus status, const std::string& reason, std::int64_t now) {
    for (Active& active : m_active)
        if (isInQueue(active)) endActive(active, status, reason, now);
}

}  // namespace slipway
