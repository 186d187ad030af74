// SweepRunner, third part: trials on the nodes of a pool, and trials that wait for their next attempt.
#include "core/sweep/sweep_runner.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace slipway {

/// On a pool the longest trial begins first, so that none remains alone at the end; trials with a run precede new ones.
void SweepRunner::prepareOrder() {
    m_order.resize(m_trials.size());
    std::iota(m_order.begin(), m_order.end(), std::size_t{0});
    if (!m_pool || m_file.search) return;
    std::ranges::stable_sort(m_order, [&](std::size_t a, std::size_t b) {
        const bool hasRun = !m_states[a].run.empty(), otherHasRun = !m_states[b].run.empty();
        if (hasRun != otherHasRun) return hasRun;
        return m_weights[a] > m_weights[b];
    });
}

/// Nodes for a trial that is about to start; empty: none is free now. "running": its attempt continues on its nodes.
Result<std::vector<LaunchNode>> SweepRunner::placeTrial(std::size_t trial, std::int64_t now) {
    if (auto given = giveRunId(trial, now); !given) return fail(given.error());
    const RunId& run = m_states[trial].run;
    if (const auto record = m_store->run(run);
        record && !isFinal(record->status) && record->status != RunStatus::Planned) {
        m_pool->adopt(run);
        return fail("running", std::string());
    }
    return m_pool->place(m_trials[trial].config, run, {}, now);
}

/// No remaining node could ever take it: a person has to repair one.
void SweepRunner::pauseWithoutNodes(std::size_t trial, const Error& why, std::vector<SweepEvent>& events) {
    pause();
    events.push_back({SweepEvent::Kind::Problem, trial, TrialStatus::Planned,
                      why.message + " The sweep is paused; start it again once a node is ready."});
}

void SweepRunner::pollPool(std::int64_t now, std::vector<SweepEvent>& events) {
    if (!m_pool) return;
    const auto trialOf = [&](const RunId& run) {
        return std::ranges::find(m_states, run, &State::run) - m_states.begin();
    };
    const auto end = static_cast<std::ptrdiff_t>(m_states.size());
    for (const auto& stopped : m_pool->poll(now, [&](const RunId& run) { return trialOf(run) != end; }))
        if (const auto trial = trialOf(RunId(stopped.run)); trial != end)
            events.push_back({SweepEvent::Kind::Problem, static_cast<std::size_t>(trial), TrialStatus::Running,
                              textOf(lostRanksStoppedText(stopped.attempt, stopped.node))});
}

/// Its node does not answer. After a while it continues on another one; where none answers, it is left as it is: nothing of it is lost.
void SweepRunner::tendSilent(Active& active, std::int64_t now, std::vector<SweepEvent>& events) {
    RunSession& session = active.session;
    if (!m_pool || m_lostMilliseconds == 0) return;
    if (session.silentNodes(now).empty()) {
        active.saidSilent = active.isStranded = false;
        return;
    }
    const auto tell = [&](const Message& text) {
        events.push_back({SweepEvent::Kind::Problem, active.trial, TrialStatus::Running, textOf(text)});
    };
    const double limit = static_cast<double>(m_lostMilliseconds) / 1000;
    if (!std::exchange(active.saidSilent, true))
        tell(
            "If %1 does not answer within %2, the trial continues on another node from its newest checkpoint here."_text(
                session.silentNodes(now).front(), Seconds{limit}));
    const std::vector<std::string> lost = session.silentNodes(now - m_lostMilliseconds);
    if (lost.empty()) return;
    std::vector<std::string> without = session.excludedNodes();
    for (const Active& other : m_active)
        for (std::string& node : other.session.silentNodes(now)) without.push_back(std::move(node));
    const std::optional<bool> answers = m_pool->answersElsewhere(session.config(), without, now);
    if (!answers) return;
    active.isStranded = !*answers;
    if (active.isStranded) return;
    if (const auto given = session.giveUp(lost, now); !given) tell(given.error().sentence());
}

/// Nothing else is left to do: the trials continue on their nodes, as after a kill of the driver.
void SweepRunner::leaveStranded(std::vector<SweepEvent>& events) {
    if (m_active.empty() || !std::ranges::all_of(m_active, &Active::isStranded)) return;
    for (const Active& active : m_active)
        events.push_back(
            {SweepEvent::Kind::Problem, active.trial, TrialStatus::Running,
             active.session.reason() + " " +
                 textOf(
                     "No other node of the sweep answers, so the sweep is paused and the trial is left alone. Try `slipway nodes check %1`, then start the sweep again: it follows the trial, or continues it on a node that you add to --nodes."_text(
                         active.session.nodes().front()))});
    m_active.clear();
    pause();
}

/// A waiting trial returns its slots, and restarts once there is room.
void SweepRunner::tend(Active& active, std::int64_t now, std::vector<SweepEvent>& events) {
    RunSession& session = active.session;
    const RunId& run = session.id();
    if (!session.isWaiting()) {
        active.saidWaiting = false;
        tendSilent(active, now, events);
        if (m_pool && session.status() == RunStatus::Running)
            for (const AgentHeartbeat& beat : session.heartbeats()) m_pool->worked(beat.node);
        return;
    }
    if (isPaused()) return stopActive(active, now);
    if (!active.saidWaiting) {
        active.saidWaiting = true;
        if (m_pool && !session.startError().code.empty())
            m_pool->failed(session.startError().where, session.startError(), now);
        if (m_pool) m_pool->release(run);
        if (session.startError().code != SlurmQueue::kNotSubmitted)
            events.push_back({SweepEvent::Kind::Problem, active.trial, TrialStatus::Running, session.reason()});
    }
    if (m_inArrays && !canJoin(session.config(), run)) return;
    if (now < session.restartUnixMilliseconds()) return;
    std::vector<LaunchNode> nodes;
    if (m_pool) {
        auto placed = m_pool->place(session.config(), run, session.excludedNodes(), now);
        if (!placed && placed.error().code == "no_node") return pauseWithoutNodes(active.trial, placed.error(), events);
        if (!placed)
            return endActive(active, TrialStatus::Failed, session.reason() + " " + placed.error().message, now);
        if (placed->empty()) return;
        nodes = std::move(*placed);
    }
    const auto restarted = session.restart(nodes, now);
    active.startedUnixMilliseconds = now;
    if (restarted) return;
    if (m_pool) m_pool->release(run);
    // A running trial may use the room, and a node may not have answered yet.
    const std::string& code = restarted.error().code;
    if (code == "nodes_unheard" || code == "still_running" || code == "not_ready" || code == "store_busy") return;
    endActive(active, TrialStatus::Failed, session.reason() + " " + restarted.error().message, now);
}

}  // namespace slipway
