#include "core/planner/memory/kept.h"

#include "core/base/real.h"

#include <algorithm>

namespace slipway {

namespace {

/// Walks the rank's passes and finds the largest sum that is kept at once.
KeptBytes walk(const std::vector<ScheduleAction>& actions, const std::vector<KeptBytes>& chunks) {
    KeptBytes now, most;
    for (const ScheduleAction& action : actions) {
        const KeptBytes& chunk = chunks[static_cast<std::size_t>(action.chunk)];
        if (action.kind == ActionKind::Forward) {
            now.layers += chunk.layers;
            now.logits += chunk.logits;
            if (now.total() > most.total()) most = now;
        } else if (action.kind == ActionKind::BackwardInput) {
            // While the pass runs its own tensors only begin to wait.
            if (now.total() > most.total()) most = now;
            now.layers += chunk.waiting;
        } else if (action.kind == ActionKind::BackwardFull || action.kind == ActionKind::BackwardWeight) {
            now.layers -= chunk.layers + (action.kind == ActionKind::BackwardWeight ? chunk.waiting : 0);
            now.logits -= chunk.logits;
        }
    }
    return most;
}

/// A rank's virtual micro-batches: forward k is followed by backward k - warm-up.
class RankPasses {
public:
    RankPasses(const PipelineShape& shape, std::int64_t rank)
        : m_pp(shape.pp),
          m_chunks(shape.virtualStages),
          m_total(shape.numMicroBatches * shape.virtualStages),
          m_warmup(warmupForwards(shape, rank)) {}

    KeptBytes most(const std::vector<KeptBytes>& chunks) const {
        // Nothing shrinks from period to period, so the last one holds the peak.
        const std::int64_t from = std::max<std::int64_t>(0, m_total - m_pp * m_chunks - 1);
        KeptBytes now = after(from, chunks), peak = now;
        std::int64_t at = from;
        const auto look = [&](std::int64_t k) {
            if (k <= at || k >= m_total) return;
            advance(at, k, chunks, now);
            at = k;
            if (now.total() > peak.total()) peak = now;
        };
        // The sum changes evenly while no pass changes its chunk; edges are where one does.
        if (m_chunks > 1)
            for (std::int64_t edge = from / m_pp * m_pp; edge <= m_total; edge += m_pp) {
                look(edge - 1);
                look(edge);
                look(edge + m_warmup % m_pp);
            }
        look(m_total - 1);
        return peak;
    }

private:
    /// What is kept directly after forward k.
    KeptBytes after(std::int64_t k, const std::vector<KeptBytes>& chunks) const {
        const std::int64_t backwards = std::max<std::int64_t>(k - m_warmup, 0);
        KeptBytes kept;
        for (std::int64_t c = 0; c < m_chunks; ++c) {
            const double held = real(passes(c, k + 1) - passes(m_chunks - 1 - c, backwards));
            kept.layers += held * chunks[static_cast<std::size_t>(c)].layers;
            kept.logits += held * chunks[static_cast<std::size_t>(c)].logits;
        }
        return kept;
    }

    /// From the sum after forward k to that after forward `to`.
    void advance(std::int64_t k, std::int64_t to, const std::vector<KeptBytes>& chunks, KeptBytes& kept) const {
        addPasses(k + 1, to + 1, false, chunks, 1, kept);
        addPasses(std::max<std::int64_t>(k - m_warmup, 0), std::max<std::int64_t>(to - m_warmup, 0), true, chunks, -1,
                  kept);
    }

    /// Adds the passes [begin, end) of virtual micro-batches, chunk by chunk; backward passes run through them in reverse.
    void addPasses(std::int64_t begin, std::int64_t end, bool backward, const std::vector<KeptBytes>& chunks,
                   double sign, KeptBytes& kept) const {
        while (begin < end) {
            const std::int64_t stop = std::min(end, (begin / m_pp + 1) * m_pp);
            const std::int64_t place = begin / m_pp % m_chunks;
            const KeptBytes& chunk = chunks[static_cast<std::size_t>(backward ? m_chunks - 1 - place : place)];
            kept.layers += sign * real(stop - begin) * chunk.layers;
            kept.logits += sign * real(stop - begin) * chunk.logits;
            begin = stop;
        }
    }

    /// Of the first `count` virtual micro-batches, those whose place in the period belongs to chunk c.
    std::int64_t passes(std::int64_t c, std::int64_t count) const {
        const std::int64_t period = m_pp * m_chunks;
        return count / period * m_pp + std::clamp<std::int64_t>(count % period - c * m_pp, 0, m_pp);
    }

    std::int64_t m_pp, m_chunks, m_total, m_warmup;
};

}  // namespace

KeptBytes peakKept(const PipelineShape& shape, std::int64_t rank, const std::vector<KeptBytes>& chunks) {
    if (shape.pp > 1) return RankPasses(shape, rank).most(chunks);
    return {chunks.front().layers, chunks.front().logits};
}

KeptBytes peakKept(const PlayedSchedule& played, std::int64_t rank, const std::vector<KeptBytes>& chunks) {
    const auto index = static_cast<std::size_t>(rank);
    const KeptBytes whole = walk(played.schedule.ranks[index], chunks);
    if (!played.shorter) return whole;
    const KeptBytes part = walk(played.shorter->ranks[index], chunks);
    return {played.extrapolate(whole.layers, part.layers), played.extrapolate(whole.logits, part.logits)};
}

}  // namespace slipway
