#include "core/planner/schedule/bubble.h"

#include <algorithm>

namespace slipway {

namespace {

/// Arrival times of the messages into one stage; negative until sent.
struct Inbox {
    std::vector<double> forward, backward;
};

class Simulation {
public:
    Simulation(const PipelineSchedule& schedule, const std::vector<StageSeconds>& stages, bool keepSpans)
        : m_schedule(schedule),
          m_stages(stages),
          m_keepSpans(keepSpans),
          m_next(schedule.ranks.size(), 0),
          m_clock(schedule.ranks.size(), 0),
          m_begun(schedule.ranks.size(), 0) {
        const auto numMicroBatches = static_cast<std::size_t>(schedule.numMicroBatches);
        m_inboxes.assign(static_cast<std::size_t>(schedule.numStages),
                         {std::vector<double>(numMicroBatches, -1), std::vector<double>(numMicroBatches, -1)});
        m_result.busySeconds.assign(schedule.ranks.size(), 0);
        if (keepSpans)
            m_result.spans.reserve(2 * schedule.ranks.size() * numMicroBatches *
                                   static_cast<std::size_t>(schedule.virtualStages));
    }

    SimulatedSchedule run() {
        // Rounds over the ranks, each as far as its messages allow; in a legal schedule one rank can always advance.
        bool moved = true;
        while (moved) {
            moved = false;
            for (std::size_t rank = 0; rank < m_schedule.ranks.size(); ++rank) moved |= run(rank);
        }
        for (std::size_t rank = 0; rank < m_clock.size(); ++rank) {
            m_result.totalSeconds = std::max(m_result.totalSeconds, m_clock[rank]);
            m_result.longestSpanSeconds = std::max(m_result.longestSpanSeconds, m_clock[rank] - m_begun[rank]);
        }
        return std::move(m_result);
    }

private:
    bool run(std::size_t rank) {
        const auto& actions = m_schedule.ranks[rank];
        const std::size_t first = m_next[rank];
        while (m_next[rank] < actions.size()) {
            const bool pair = isPair(actions, m_next[rank]);
            if (pair)
                passPair(rank, actions[m_next[rank]], actions[m_next[rank] + 1]);
            else if (!step(rank, actions[m_next[rank]]))
                break;
            m_next[rank] += pair ? 2 : 1;
        }
        return m_next[rank] > first;
    }

    [[nodiscard]] std::size_t stageOf(std::size_t rank, const ScheduleAction& action) const {
        return static_cast<std::size_t>(m_schedule.stageOf(static_cast<std::int64_t>(rank), action.chunk));
    }

    /// A forward pass and, without a message between them, the full backward pass of another micro-batch.
    [[nodiscard]] bool isPair(const std::vector<ScheduleAction>& actions, std::size_t at) const {
        if (m_schedule.kind != ScheduleKind::DualPipe && m_schedule.kind != ScheduleKind::DualPipeV) return false;
        return at + 1 < actions.size() && actions[at].kind == ActionKind::Forward &&
               actions[at + 1].kind == ActionKind::BackwardFull && actions[at].microBatch != actions[at + 1].microBatch;
    }

    void passPair(std::size_t rank, const ScheduleAction& forward, const ScheduleAction& backward) {
        const StageSeconds &f = m_stages[stageOf(rank, forward)], &b = m_stages[stageOf(rank, backward)];
        const double whole = f.forward + b.backwardInput + b.backwardWeight, saved = pairOverlapSeconds(f, b);
        const double share = saved > 0 ? 1 - saved / whole : 1;  // the drawing shortens both equally
        pass(rank, forward, share * f.forward);
        pass(rank, backward, share * (b.backwardInput + b.backwardWeight));
    }

    bool step(std::size_t rank, const ScheduleAction& action) {
        const std::size_t stage = stageOf(rank, action);
        const auto microBatch = static_cast<std::size_t>(action.microBatch);
        const StageSeconds& cost = m_stages[stage];
        switch (action.kind) {
            case ActionKind::Forward: pass(rank, action, cost.forward); break;
            case ActionKind::BackwardInput: pass(rank, action, cost.backwardInput); break;
            case ActionKind::BackwardWeight: pass(rank, action, cost.backwardWeight); break;
            case ActionKind::BackwardFull: pass(rank, action, cost.backwardInput + cost.backwardWeight); break;
            case ActionKind::OverlapForwardBackward:
                pass(rank, action, cost.forward + cost.backwardInput + cost.backwardWeight);
                break;
            case ActionKind::SendForward:
                m_inboxes[stage + 1].forward[microBatch] = m_clock[rank] + cost.sendForward;
                break;
            case ActionKind::SendBackward:
                m_inboxes[stage - 1].backward[microBatch] = m_clock[rank] + cost.sendBackward;
                break;
            case ActionKind::RecvForward: return wait(rank, action, m_inboxes[stage].forward[microBatch]);
            case ActionKind::RecvBackward: return wait(rank, action, m_inboxes[stage].backward[microBatch]);
            default: break;
        }
        return true;
    }

    void pass(std::size_t rank, const ScheduleAction& action, double seconds) {
        if (m_result.busySeconds[rank] <= 0) m_begun[rank] = m_clock[rank];
        span(rank, action, m_clock[rank], m_clock[rank] + seconds);
        m_clock[rank] += seconds;
        m_result.busySeconds[rank] += seconds;
    }

    bool wait(std::size_t rank, const ScheduleAction& action, double arrival) {
        if (arrival < 0) return false;
        if (arrival > m_clock[rank]) {
            span(rank, action, m_clock[rank], arrival);
            m_clock[rank] = arrival;
        }
        return true;
    }

    void span(std::size_t rank, const ScheduleAction& action, double start, double end) {
        if (m_keepSpans)
            m_result.spans.push_back(
                {static_cast<std::int64_t>(rank), action.kind, action.microBatch, action.chunk, start, end});
    }

    const PipelineSchedule& m_schedule;
    const std::vector<StageSeconds>& m_stages;
    bool m_keepSpans;
    std::vector<std::size_t> m_next;
    std::vector<double> m_clock, m_begun;
    std::vector<Inbox> m_inboxes;
    SimulatedSchedule m_result;
};

}  // namespace

double pairOverlapSeconds(const StageSeconds& forward, const StageSeconds& backward) {
    const double forwardCompute = forward.forward - forward.forwardCommSeconds;
    const double backwardCompute = backward.backwardInput + backward.backwardWeight - backward.backwardCommSeconds;
    return std::min(forward.forwardCommSeconds, backwardCompute) +
           std::min(backward.backwardCommSeconds, forwardCompute);
}

double SimulatedSchedule::bubble() const {
    double busy = 0;
    for (const double seconds : busySeconds) busy += seconds;
    return totalSeconds > 0 ? 1 - busy / (totalSeconds * static_cast<double>(busySeconds.size())) : 0;
}

SimulatedSchedule simulateSchedule(const PipelineSchedule& schedule, const std::vector<StageSeconds>& stages,
                                   bool keepSpans) {
    return Simulation(schedule, stages, keepSpans).run();
}

}  // namespace slipway
