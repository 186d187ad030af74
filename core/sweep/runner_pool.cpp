// SweepRunner, third part: trials on the nodes of a pool, and trials that wait for their next attempt.
#include "core/sweep/sweep_runner.h"

#include <algorithm>
#include <numeric>

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

/// A waiting trial returns its slots, and restarts once there is room.
void SweepRunner::tend(Active& active, std::int64_t now, std::vector<SweepEvent>& events) {
    RunSession& session = active.session;
    const RunId& run = session.id();
    if (!session.isWaiting()) {
        active.saidWaiting = false;
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
