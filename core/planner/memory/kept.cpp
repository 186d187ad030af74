#include "core/planner/memory/kept.h"

#include <algorithm>

namespace slipway {

namespace {

double real(std::int64_t value) {
    return static_cast<double>(value);
}

/// Walks the rank's passes and finds the largest sum that is kept at once.
KeptBytes walk(const std::vector<ScheduleAction>& actions, const std::vector<KeptBytes>& chunks, double messageBytes) {
    KeptBytes now, most;
    for (const ScheduleAction& action : actions) {
        const KeptBytes& chunk = chunks[static_cast<std::size_t>(action.chunk)];
        if (action.kind == ActionKind::Forward) {
            now.layers += chunk.layers;
            now.logits += chunk.logits;
            if (now.total() > most.total()) most = now;
        } else if (action.kind == ActionKind::BackwardFull || action.kind == ActionKind::BackwardWeight) {
            now.layers -= chunk.layers;
            now.logits -= chunk.logits;
        } else if (action.kind == ActionKind::SendForward || action.kind == ActionKind::SendBackward) {
            now.sent += messageBytes;
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
          m_warmup(warmupForwards(shape, rank)),
          m_firstRank(rank == 0),
          m_lastRank(rank + 1 == shape.pp) {}

    /// What is kept directly after forward k.
    KeptBytes after(std::int64_t k, const std::vector<KeptBytes>& chunks, double messageBytes) const {
        const std::int64_t backwards = std::max<std::int64_t>(k - m_warmup, 0);
        KeptBytes kept;
        for (std::int64_t c = 0; c < m_chunks; ++c) {
            const double held = real(passes(c, k + 1) - passes(m_chunks - 1 - c, backwards));
            kept.layers += held * chunks[static_cast<std::size_t>(c)].layers;
            kept.logits += held * chunks[static_cast<std::size_t>(c)].logits;
        }
        // The last stage sends nothing forward, the first nothing backward; forward k itself is not sent yet.
        const std::int64_t forwards = k - (m_lastRank ? passes(m_chunks - 1, k) : 0);
        const std::int64_t returned = backwards - (m_firstRank ? passes(m_chunks - 1, backwards) : 0);
        kept.sent = real(forwards + returned) * messageBytes;
        return kept;
    }

    KeptBytes most(const std::vector<KeptBytes>& chunks, double messageBytes) const {
        // Nothing shrinks from period to period, so the last one holds the peak.
        const std::int64_t from = std::max<std::int64_t>(0, m_total - m_pp * m_chunks - 1);
        KeptBytes peak;
        const auto look = [&](std::int64_t k) {
            if (k < from || k >= m_total) return;
            const KeptBytes kept = after(k, chunks, messageBytes);
            if (kept.total() > peak.total()) peak = kept;
        };
        if (m_chunks == 1) {
            look(m_total - 1);
            return peak;
        }
        for (std::int64_t edge = from / m_pp * m_pp; edge <= m_total; edge += m_pp) {
            look(edge - 1);
            look(edge);
            look(edge + m_warmup % m_pp);
        }
        look(m_total - 1);
        return peak;
    }

private:
    /// Of the first `count` virtual micro-batches, those whose place in the period belongs to chunk c.
    std::int64_t passes(std::int64_t c, std::int64_t count) const {
        const std::int64_t period = m_pp * m_chunks;
        return count / period * m_pp + std::clamp<std::int64_t>(count % period - c * m_pp, 0, m_pp);
    }

    std::int64_t m_pp, m_chunks, m_total, m_warmup;
    bool m_firstRank, m_lastRank;
};

}  // namespace

KeptBytes peakKept(const PipelineShape& shape, std::int64_t rank, const std::vector<KeptBytes>& chunks,
                   double messageBytes) {
    if (shape.pp > 1) return RankPasses(shape, rank).most(chunks, messageBytes);
    return {chunks.front().layers, chunks.front().logits, 0};
}

KeptBytes peakKept(const PlayedSchedule& played, std::int64_t rank, const std::vector<KeptBytes>& chunks,
                   double messageBytes) {
    const auto index = static_cast<std::size_t>(rank);
    const KeptBytes whole = walk(played.schedule.ranks[index], chunks, messageBytes);
    if (!played.shorter) return whole;
    const KeptBytes part = walk(played.shorter->ranks[index], chunks, messageBytes);
    return {played.extrapolate(whole.layers, part.layers), played.extrapolate(whole.logits, part.logits),
            played.extrapolate(whole.sent, part.sent)};
}

}  // namespace slipway
