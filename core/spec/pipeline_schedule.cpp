#include "core/spec/pipeline_schedule.h"

#include <algorithm>
#include <string>

namespace slipway {
namespace {

using Actions = std::vector<ScheduleAction>;

// Adds a pass with the transfers around it.
class RankBuilder {
public:
    RankBuilder(const PipelineSchedule& schedule, std::int64_t rank) : m_schedule(schedule), m_rank(rank) {}

    void forward(std::int64_t microBatch, std::int64_t chunk = 0) {
        const std::int64_t stage = m_schedule.stageOf(m_rank, chunk);
        if (stage > 0) m_actions.push_back({ActionKind::RecvForward, microBatch, chunk});
        m_actions.push_back({ActionKind::Forward, microBatch, chunk});
        if (stage < m_schedule.numStages - 1) m_actions.push_back({ActionKind::SendForward, microBatch, chunk});
    }
    void backward(std::int64_t microBatch, std::int64_t chunk = 0) {
        const std::int64_t stage = m_schedule.stageOf(m_rank, chunk);
        if (stage < m_schedule.numStages - 1) m_actions.push_back({ActionKind::RecvBackward, microBatch, chunk});
        m_actions.push_back({ActionKind::BackwardFull, microBatch, chunk});
        if (stage > 0) m_actions.push_back({ActionKind::SendBackward, microBatch, chunk});
    }
    Actions take() { return std::move(m_actions); }

private:
    const PipelineSchedule& m_schedule;
    std::int64_t m_rank;
    Actions m_actions;
};

Actions afab(const PipelineSchedule& s, std::int64_t rank) {
    RankBuilder b(s, rank);
    for (std::int64_t i = 0; i < s.numMicroBatches; ++i) b.forward(i);
    for (std::int64_t i = 0; i < s.numMicroBatches; ++i) b.backward(i);
    return b.take();
}

// Warm-up of p - rank - 1 forwards, then one forward and one backward in turn (Narayanan et al. 2021, 2104.04473).
Actions oneFOneB(const PipelineSchedule& s, std::int64_t rank) {
    RankBuilder b(s, rank);
    const std::int64_t m = s.numMicroBatches;
    const std::int64_t warmup = std::min(s.numStages - rank - 1, m);
    for (std::int64_t i = 0; i < warmup; ++i) b.forward(i);
    for (std::int64_t i = warmup; i < m; ++i) {
        b.forward(i);
        b.backward(i - warmup);
    }
    for (std::int64_t i = m - warmup; i < m; ++i) b.backward(i);
    return b.take();
}

// Interleaved 1F1B of the same paper: micro-batches go through the chunks in groups of p.
Actions interleaved(const PipelineSchedule& s, std::int64_t rank) {
    RankBuilder b(s, rank);
    const auto p = static_cast<std::int64_t>(s.ranks.size());
    const std::int64_t v = s.virtualStages;
    const std::int64_t total = s.numMicroBatches * v;
    const auto microBatchOf = [&](std::int64_t k) { return (k / (p * v)) * p + k % p; };
    const auto chunkOf = [&](std::int64_t k) { return (k % (p * v)) / p; };
    const std::int64_t warmup = std::min((p - rank - 1) * 2 + (v - 1) * p, total);
    for (std::int64_t k = 0; k < warmup; ++k) b.forward(microBatchOf(k), chunkOf(k));
    for (std::int64_t k = warmup; k < total; ++k) {
        b.forward(microBatchOf(k), chunkOf(k));
        b.backward(microBatchOf(k - warmup), v - 1 - chunkOf(k - warmup));
    }
    for (std::int64_t k = total - warmup; k < total; ++k) b.backward(microBatchOf(k), v - 1 - chunkOf(k));
    return b.take();
}

}  // namespace

std::int64_t PipelineSchedule::maxInFlight(std::int64_t rank) const {
    std::int64_t now = 0;
    std::int64_t most = 0;
    for (const ScheduleAction& action : ranks.at(static_cast<std::size_t>(rank))) {
        if (action.kind == ActionKind::Forward) most = std::max(most, ++now);
        if (action.kind == ActionKind::BackwardFull || action.kind == ActionKind::BackwardWeight) --now;
    }
    return most;
}

Issues scheduleIssues(ScheduleKind kind, std::int64_t pp, std::int64_t m, std::int64_t v) {
    Issues issues;
    const std::string word(wordOf(kind));
    const auto add = [&](const std::string& field, std::string message) { issues.push_back({Severity::Error, "bad_schedule", field, std::move(message)}); };
    const bool manyChunks = kind == ScheduleKind::InterleavedOneFOneB;
    const bool vShape = kind == ScheduleKind::ZbV || kind == ScheduleKind::DualPipeV;
    if (manyChunks && v < 2) add("parallel.virtual_stages", "parallel.schedule " + word + " needs parallel.virtual_stages of 2 or more.");
    if (manyChunks && m % pp != 0)
        add("train.micro_batch_size", "parallel.schedule " + word + " needs a number of micro-batches that pp = " + std::to_string(pp) + " divides; there are " + std::to_string(m) + ".");
    if (vShape && v != 2) add("parallel.virtual_stages", "parallel.schedule " + word + " needs parallel.virtual_stages = 2.");
    if (!manyChunks && !vShape && v != 1) add("parallel.virtual_stages", "parallel.virtual_stages above 1 has no effect with parallel.schedule " + word + "; choose interleaved_1f1b.");
    if (kind == ScheduleKind::DualPipe && (pp % 2 != 0 || m < 2 * pp)) add("parallel.pp", "parallel.schedule dualpipe needs an even pp and at least 2 x pp micro-batches.");
    return issues;
}

Result<PipelineSchedule> makeSchedule(ScheduleKind kind, std::int64_t pp, std::int64_t numMicroBatches, std::int64_t virtualStages) {
    if (pp < 1 || numMicroBatches < 1 || virtualStages < 1) return fail("bad_schedule", "A schedule needs at least one rank, one micro-batch and one chunk.", "parallel.schedule");
    if (pp == 1) {
        // Without a pipeline every kind is the same loop: forward, backward.
        kind = ScheduleKind::OneFOneB;
        virtualStages = 1;
    }
    if (const Issues issues = scheduleIssues(kind, pp, numMicroBatches, virtualStages); !issues.empty()) return fail("bad_schedule", issues.front().message, issues.front().field);
    PipelineSchedule s;
    s.kind = kind;
    s.numStages = pp * virtualStages;
    s.numMicroBatches = numMicroBatches;
    s.virtualStages = virtualStages;
    s.ranks.resize(static_cast<std::size_t>(pp));
    for (std::int64_t rank = 0; rank < pp; ++rank) {
        Actions& actions = s.ranks[static_cast<std::size_t>(rank)];
        switch (kind) {
            case ScheduleKind::Afab: actions = afab(s, rank); break;
            case ScheduleKind::OneFOneB: actions = oneFOneB(s, rank); break;
            case ScheduleKind::InterleavedOneFOneB: actions = interleaved(s, rank); break;
            default:
                return fail("schedule_not_available", "This version cannot build the schedule " + std::string(wordOf(kind)) + "; choose afab, 1f1b or interleaved_1f1b.", "parallel.schedule");
        }
    }
    return s;
}

}  // namespace slipway
