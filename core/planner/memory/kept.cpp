#include "core/base/real.h"
#include "core/planner/memory/kept_counts.h"

#include <algorithm>

namespace slipway {

namespace {

/// Walks the rank's passes and finds the peak of saved activations.
std::vector<KeptCount> walk(const std::vector<ScheduleAction>& actions, const std::vector<KeptBytes>& chunks) {
    KeptBytes now, most;
    std::vector<KeptCount> counts(chunks.size()), fullest(chunks.size());
    const auto look = [&] {
        if (now.total() <= most.total()) return;
        most = now;
        fullest = counts;
    };
    for (const ScheduleAction& action : actions) {
        const auto index = static_cast<std::size_t>(action.chunk);
        const KeptBytes& chunk = chunks[index];
        KeptCount& count = counts[index];
        if (action.kind == ActionKind::Forward) {
            now.layers += chunk.layers;
            now.logits += chunk.logits;
            ++count.held;
            look();
        } else if (action.kind == ActionKind::BackwardInput) {
            // During the pass its own tensors only begin to wait.
            look();
            now.layers += chunk.waiting;
            ++count.waiting;
        } else if (action.kind == ActionKind::BackwardFull || action.kind == ActionKind::BackwardWeight) {
            const bool waited = action.kind == ActionKind::BackwardWeight;
            now.layers -= chunk.layers + (waited ? chunk.waiting : 0);
            now.logits -= chunk.logits;
            --count.held;
            count.waiting -= waited ? 1 : 0;
        }
    }
    return fullest;
}

std::vector<KeptCount> walk(const PlayedSchedule& played, std::int64_t rank, const std::vector<KeptBytes>& chunks) {
    const auto index = static_cast<std::size_t>(rank);
    std::vector<KeptCount> counts = walk(played.schedule.ranks[index], chunks);
    if (!played.shorter) return counts;
    const std::vector<KeptCount> part = walk(played.shorter->ranks[index], chunks);
    for (std::size_t chunk = 0; chunk < counts.size(); ++chunk)
        counts[chunk] = {played.extrapolate(counts[chunk].held, part[chunk].held),
                         played.extrapolate(counts[chunk].waiting, part[chunk].waiting)};
    return counts;
}

/// A rank's virtual micro-batches: forward k is followed by backward k - warm-up.
class RankPasses {
public:
    RankPasses(const PipelineShape& shape, std::int64_t rank)
        : m_pp(shape.pp),
          m_chunks(shape.virtualStages),
          m_total(shape.numMicroBatches * shape.virtualStages),
          m_warmup(warmupForwards(shape, rank)) {}

    /// The forward pass with the peak after it.
    std::int64_t fullest(const std::vector<KeptBytes>& chunks) const {
        // The sum never shrinks from period to period, so the last one has the peak.
        const std::int64_t from = std::max<std::int64_t>(0, m_total - m_pp * m_chunks - 1);
        KeptBytes now = after(from, chunks);
        double peak = now.total();
        std::int64_t at = from, best = from;
        const auto look = [&](std::int64_t k) {
            if (k <= at || k >= m_total) return;
            advance(at, k, chunks, now);
            at = k;
            if (now.total() <= peak) return;
            peak = now.total();
            best = k;
        };
        // The sum changes linearly while no pass changes its chunk; edges are at such changes.
        if (m_chunks > 1)
            for (std::int64_t edge = from / m_pp * m_pp; edge <= m_total; edge += m_pp) {
                look(edge - 1);
                look(edge);
                look(edge + m_warmup % m_pp);
            }
        look(m_total - 1);
        return best;
    }

    /// Micro-batches saved by a chunk directly after forward k.
    double held(std::int64_t k, std::int64_t chunk) const {
        return real(passes(chunk, k + 1) - passes(m_chunks - 1 - chunk, std::max<std::int64_t>(k - m_warmup, 0)));
    }
    std::int64_t chunks() const { return m_chunks; }

    /// Saved bytes directly after forward k.
    KeptBytes after(std::int64_t k, const std::vector<KeptBytes>& chunks) const {
        KeptBytes kept;
        for (std::int64_t c = 0; c < m_chunks; ++c) {
            kept.layers += held(k, c) * chunks[static_cast<std::size_t>(c)].layers;
            kept.logits += held(k, c) * chunks[static_cast<std::size_t>(c)].logits;
        }
        return kept;
    }

private:
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

    /// The number of the first `count` virtual micro-batches in chunk c's part of the period.
    std::int64_t passes(std::int64_t c, std::int64_t count) const {
        const std::int64_t period = m_pp * m_chunks;
        return count / period * m_pp + std::clamp<std::int64_t>(count % period - c * m_pp, 0, m_pp);
    }

    std::int64_t m_pp, m_chunks, m_total, m_warmup;
};

}  // namespace

KeptBytes peakKept(const PipelineShape& shape, std::int64_t rank, const std::vector<KeptBytes>& chunks) {
    if (shape.pp == 1) return {chunks.front().layers, chunks.front().logits};
    const RankPasses passes(shape, rank);
    return passes.after(passes.fullest(chunks), chunks);
}

KeptBytes peakKept(const PlayedSchedule& played, std::int64_t rank, const std::vector<KeptBytes>& chunks) {
    const std::vector<KeptCount> counts = walk(played, rank, chunks);
    KeptBytes kept;
    for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk) {
        kept.layers += counts[chunk].held * chunks[chunk].layers;
        kept.layers += counts[chunk].waiting * chunks[chunk].waiting;
        kept.logits += counts[chunk].held * chunks[chunk].logits;
    }
    return kept;
}

std::vector<KeptCount> keptCounts(const PipelineShape& shape, const PlayedSchedule* played, std::int64_t rank,
                                  const std::vector<KeptBytes>& chunks) {
    if (shape.pp == 1) return {{1, 0}};
    if (!hasRecursion(shape)) return walk(*played, rank, chunks);
    const RankPasses passes(shape, rank);
    const std::int64_t fullest = passes.fullest(chunks);
    std::vector<KeptCount> counts;
    for (std::int64_t chunk = 0; chunk < passes.chunks(); ++chunk) counts.push_back({passes.held(fullest, chunk), 0});
    return counts;
}

}  // namespace slipway
