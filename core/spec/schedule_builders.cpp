#include "core/spec/schedule_builders.h"

#include <algorithm>
#include <array>
#include <deque>

namespace slipway {
namespace {

using Actions = std::vector<ScheduleAction>;

/// Writes passes with the messages around them. Passes of micro-batches beyond the last are skipped: the remainder of a
/// valid order is valid.
class RankBuilder {
public:
    RankBuilder(const PipelineSchedule& schedule, std::int64_t rank) : m_schedule(schedule), m_rank(rank) {}

    void forward(std::int64_t microBatch, std::int64_t chunk = 0) {
        if (microBatch >= m_schedule.numMicroBatches) return;
        receive(ActionKind::RecvForward, microBatch, chunk);
        m_actions.push_back({ActionKind::Forward, microBatch, chunk});
        send(ActionKind::SendForward, microBatch, chunk);
    }
    void backward(std::int64_t microBatch, std::int64_t chunk = 0) {
        backwardPass(ActionKind::BackwardFull, microBatch, chunk);
    }
    void backwardInput(std::int64_t microBatch, std::int64_t chunk = 0) {
        backwardPass(ActionKind::BackwardInput, microBatch, chunk);
    }
    void backwardWeight(std::int64_t microBatch, std::int64_t chunk = 0) {
        if (microBatch < m_schedule.numMicroBatches)
            m_actions.push_back({ActionKind::BackwardWeight, microBatch, chunk});
    }
    /// A forward and a backward pass whose kernels may overlap: messages of both before and after the pair.
    void pair(std::int64_t forwardMicroBatch, std::int64_t forwardChunk, std::int64_t backwardMicroBatch,
              std::int64_t backwardChunk) {
        const std::int64_t most = m_schedule.numMicroBatches;
        if (forwardMicroBatch >= most) return backward(backwardMicroBatch, backwardChunk);
        if (backwardMicroBatch >= most) return forward(forwardMicroBatch, forwardChunk);
        receive(ActionKind::RecvForward, forwardMicroBatch, forwardChunk);
        receive(ActionKind::RecvBackward, backwardMicroBatch, backwardChunk);
        m_actions.push_back({ActionKind::Forward, forwardMicroBatch, forwardChunk});
        m_actions.push_back({ActionKind::BackwardFull, backwardMicroBatch, backwardChunk});
        send(ActionKind::SendForward, forwardMicroBatch, forwardChunk);
        send(ActionKind::SendBackward, backwardMicroBatch, backwardChunk);
    }
    Actions take() { return std::move(m_actions); }

private:
    void backwardPass(ActionKind kind, std::int64_t microBatch, std::int64_t chunk) {
        if (microBatch >= m_schedule.numMicroBatches) return;
        receive(ActionKind::RecvBackward, microBatch, chunk);
        m_actions.push_back({kind, microBatch, chunk});
        send(ActionKind::SendBackward, microBatch, chunk);
    }
    void receive(ActionKind kind, std::int64_t microBatch, std::int64_t chunk) {
        const std::int64_t stage = m_schedule.stageOf(m_rank, chunk);
        const std::int64_t before = kind == ActionKind::RecvForward ? stage - 1 : stage;
        if (before >= 0 && before < m_schedule.numStages - 1 && !m_schedule.isHandOver(before))
            m_actions.push_back({kind, microBatch, chunk});
    }
    void send(ActionKind kind, std::int64_t microBatch, std::int64_t chunk) {
        const std::int64_t stage = m_schedule.stageOf(m_rank, chunk);
        const std::int64_t before = kind == ActionKind::SendForward ? stage : stage - 1;
        if (before >= 0 && before < m_schedule.numStages - 1 && !m_schedule.isHandOver(before))
            m_actions.push_back({kind, microBatch, chunk});
    }

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

// Warm-up of p - rank - 1 forwards, then alternating forward and backward passes (Narayanan et al. 2021, 2104.04473).
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

// Interleaved 1F1B of the same paper: micro-batches pass through the chunks in groups of p.
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

// 1F1B whose weight gradients wait until they fill a bubble (Qi et al. 2023, 2401.10241, ZB-H1). A rank postpones as many
// of them as there are ranks before it, so that each has p micro-batches at most, the first rank's share under 1F1B.
Actions zeroBubbleH1(const PipelineSchedule& s, std::int64_t rank) {
    RankBuilder b(s, rank);
    const auto p = static_cast<std::int64_t>(s.ranks.size());
    const std::int64_t m = std::max(s.numMicroBatches, p);
    std::int64_t forwards = 0, weights = 0;
    while (forwards < p - rank - 1) b.forward(forwards++);
    for (std::int64_t i = 0; i < m; ++i) {
        if (forwards < m) b.forward(forwards++);
        b.backwardInput(i);
        if (i + 1 - weights > rank) b.backwardWeight(weights++);
    }
    while (weights < m) b.backwardWeight(weights++);
    return b.take();
}

/// Counts the next micro-batch of each chunk, and remembers postponed weight gradients.
class VBuilder {
public:
    /// @param chunks the rank's chunk of the way down and of the way up @param first micro-batch of this way
    VBuilder(const PipelineSchedule& s, std::int64_t rank, std::array<std::int64_t, 2> chunks,
             std::array<std::int64_t, 2> first, std::int64_t count)
        : m_out(s, rank), m_chunks(chunks), m_first(first), m_count(count) {}

    void forward(int way) { m_out.forward(next(m_forwards, way), chunk(way)); }
    void backward(int way) { m_out.backward(next(m_backwards, way), chunk(way)); }
    void pair(int forwardWay, int backwardWay) {
        const std::int64_t forwardMicroBatch = next(m_forwards, forwardWay);
        m_out.pair(forwardMicroBatch, chunk(forwardWay), next(m_backwards, backwardWay), chunk(backwardWay));
    }
    void backwardInput(int way) {
        const std::int64_t microBatch = next(m_backwards, way);
        m_out.backwardInput(microBatch, chunk(way));
        m_postponed.push_back({microBatch, way});
    }
    /// The oldest postponed weight gradient; of one way only if `way` is given.
    void backwardWeight(int way = -1) {
        const auto at = std::find_if(m_postponed.begin(), m_postponed.end(),
                                     [&](const Postponed& w) { return way < 0 || w.way == way; });
        if (at == m_postponed.end()) return;
        m_out.backwardWeight(at->microBatch, chunk(at->way));
        m_postponed.erase(at);
    }
    [[nodiscard]] bool forwardsLeft(int way) const { return m_forwards[static_cast<std::size_t>(way)] < m_count; }
    [[nodiscard]] bool weightsLeft() const { return !m_postponed.empty(); }
    Actions take() { return m_out.take(); }

private:
    struct Postponed {
        std::int64_t microBatch;
        int way;
    };
    [[nodiscard]] std::int64_t chunk(int way) const { return m_chunks[static_cast<std::size_t>(way)]; }
    /// If a way has fewer micro-batches, the numbers run beyond the last, so that these passes are skipped.
    std::int64_t next(std::array<std::int64_t, 2>& counts, int way) {
        return m_first[static_cast<std::size_t>(way)] + counts[static_cast<std::size_t>(way)]++;
    }

    RankBuilder m_out;
    std::array<std::int64_t, 2> m_chunks, m_first;
    std::int64_t m_count;
    std::array<std::int64_t, 2> m_forwards{}, m_backwards{};
    std::deque<Postponed> m_postponed;
};

// ZB-V (same paper, sec. 6): two chunks a rank, placed down and up again; all backward passes are split. Every rank has
// 2p half-size chunks at most, as many as 1F1B's first rank.
Actions zeroBubbleV(const PipelineSchedule& s, std::int64_t rank) {
    const auto p = static_cast<std::int64_t>(s.ranks.size());
    VBuilder b(s, rank, {0, 1}, {0, 0}, std::max(s.numMicroBatches, 2 * p));
    const auto split = [&](int way) {
        b.backwardInput(way);
        b.backwardWeight(way);
    };
    for (std::int64_t i = 0; i < 2 * (p - rank) - 1; ++i) b.forward(0);
    for (std::int64_t i = 0; i < rank; ++i) {
        b.forward(1);
        b.forward(0);
    }
    for (std::int64_t i = 0; i < p - rank; ++i) {
        b.forward(1);
        split(1);
    }
    while (b.forwardsLeft(1)) {
        if (b.forwardsLeft(0)) b.forward(0);
        split(0);
        b.forward(1);
        split(1);
    }
    for (std::int64_t i = 0; i < rank; ++i) {
        b.backwardInput(0);
        b.backwardInput(1);
    }
    for (std::int64_t i = 0; i < p - rank; ++i) split(0);
    while (b.weightsLeft()) b.backwardWeight();
    return b.take();
}

// DualPipe's eight parts (DeepSeek-V3, 2412.19437, sec. 3.2.1) for rank `place` of `p` on a V.
// Pairs of forward and backward passes in the middle; split backward passes fill the ends.
Actions dualPipe(VBuilder& b, std::int64_t place, std::int64_t p, std::int64_t count) {
    for (std::int64_t i = 0; i < 2 * (p - place - 1); ++i) b.forward(0);
    for (std::int64_t i = 0; i <= place; ++i) {
        b.forward(0);
        b.forward(1);
    }
    for (std::int64_t i = 0; i < p - place - 1; ++i) {
        b.backwardInput(1);
        b.backwardWeight();
        b.forward(1);
    }
    for (std::int64_t i = 0; i < count - 2 * p + place + 1; ++i) {
        if (i == 0 && place == p - 1) {
            // Not overlapped at the turn: the gradient leaves earlier, and the bubble is smaller.
            b.forward(0);
            b.backward(1);
        } else {
            b.pair(0, 1);
        }
        b.pair(1, 0);
    }
    for (std::int64_t i = 0; i < p - place - 1; ++i) {
        b.backward(1);
        b.pair(1, 0);
    }
    // From the middle of this part on, weight gradients wait to fill the drain.
    const std::int64_t wholes = place + 1;
    for (std::int64_t i = 0; i < 2 * (place + 1); ++i) {
        const int way = i % 2 == 0 ? 1 : 0;
        if (i < wholes)
            b.backward(way);
        else
            b.backwardInput(way);
    }
    for (std::int64_t i = 0; i < p - place - 1; ++i) {
        b.backwardWeight();
        b.backwardInput(0);
    }
    while (b.weightsLeft()) b.backwardWeight();
    return b.take();
}

Actions dualPipeV(const PipelineSchedule& s, std::int64_t rank) {
    const auto p = static_cast<std::int64_t>(s.ranks.size());
    const std::int64_t count = std::max(s.numMicroBatches, 2 * p);
    VBuilder b(s, rank, {0, 1}, {0, 0}, count);
    return dualPipe(b, rank, p, count);
}

// Both directions at once: rank r and its mirror p - 1 - r are place min(r, p - 1 - r) of two Vs of p / 2 places, one
// per half of the micro-batches, folded onto each other: at the turn, a micro-batch passes to the mirror's half.
Actions dualPipe(const PipelineSchedule& s, std::int64_t rank) {
    const auto p = static_cast<std::int64_t>(s.ranks.size());
    const std::int64_t half = s.numMicroBatches / 2;
    const std::int64_t place = std::min(rank, p - 1 - rank);
    const bool mirrored = place != rank;
    // Way 0 leads towards the middle: the rank's own half enters here. Way 1 leads away from it: the other half arrives.
    VBuilder b = mirrored ? VBuilder(s, rank, {1, 0}, {half, 0}, half) : VBuilder(s, rank, {0, 1}, {0, half}, half);
    return dualPipe(b, place, p / 2, half);
}

}  // namespace

std::vector<ScheduleAction> buildRank(const PipelineSchedule& schedule, std::int64_t rank) {
    switch (schedule.kind) {
        case ScheduleKind::Afab: return afab(schedule, rank);
        case ScheduleKind::OneFOneB: return oneFOneB(schedule, rank);
        case ScheduleKind::InterleavedOneFOneB: return interleaved(schedule, rank);
        case ScheduleKind::ZbH1: return zeroBubbleH1(schedule, rank);
        case ScheduleKind::ZbV: return zeroBubbleV(schedule, rank);
        case ScheduleKind::DualPipe: return dualPipe(schedule, rank);
        case ScheduleKind::DualPipeV: return dualPipeV(schedule, rank);
    }
    return {};
}

}  // namespace slipway
