#include "core/base/real.h"
#include "core/planner/memory/saved_counts.h"

#include <algorithm>

namespace slipway {

namespace {

/// Walks the rank's passes and finds the peak of saved activations.
std::vector<SavedCount> walk(const std::vector<ScheduleAction>& actions, const std::vector<SavedBytes>& chunks) {
    SavedBytes now, most;
    std::vector<SavedCount> counts(chunks.size()), fullest(chunks.size());
    const auto look = [&] {
        if (now.total() <= most.total()) return;
        most = now;
        fullest = counts;
    };
    for (const ScheduleAction& action : actions) {
        const auto index = static_cast<std::size_t>(action.chunk);
        const SavedBytes& chunk = chunks[index];
        SavedCount& count = counts[index];
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

std::vector<SavedCount> walk(const ScheduleSample& sample, std::int64_t rank, const std::vector<SavedBytes>& chunks) {
    const auto index = static_cast<std::size_t>(rank);
    std::vector<SavedCount> counts = walk(sample.schedule.ranks[index], chunks);
    if (!sample.shorter) return counts;
    const std::vector<SavedCount> part = walk(sample.shorter->ranks[index], chunks);
    for (std::size_t chunk = 0; chunk < counts.size(); ++chunk)
        counts[chunk] = {sample.extrapolate(counts[chunk].held, part[chunk].held),
                         sample.extrapolate(counts[chunk].waiting, part[chunk].waiting)};
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
    std::int64_t fullest(const std::vector<SavedBytes>& chunks) const {
        // The sum never shrinks from period to period, so the last one has the peak.
        const std::int64_t from = std::max<std::int64_t>(0, m_total - m_pp * m_chunks - 1);
        SavedBytes now = after(from, chunks);
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
    SavedBytes after(std::int64_t k, const std::vector<SavedBytes>& chunks) const {
        SavedBytes saved;
        for (std::int64_t c = 0; c < m_chunks; ++c) {
            saved.layers += held(k, c) * chunks[static_cast<std::size_t>(c)].layers;
            saved.logits += held(k, c) * chunks[static_cast<std::size_t>(c)].logits;
        }
        return saved;
    }

private:
    /// From the sum after forward k to that after forward `to`.
    void advance(std::int64_t k, std::int64_t to, const std::vector<SavedBytes>& chunks, SavedBytes& saved) const {
        addPasses(k + 1, to + 1, false, chunks, 1, saved);
        addPasses(std::max<std::int64_t>(k - m_warmup, 0), std::max<std::int64_t>(to - m_warmup, 0), true, chunks, -1,
                  saved);
    }

    /// Adds the passes [begin, end) of virtual micro-batches, chunk by chunk; backward passes run through them in reverse.
    void addPasses(std::int64_t begin, std::int64_t end, bool backward, const std::vector<SavedBytes>& chunks,
                   double sign, SavedBytes& saved) const {
        while (begin < end) {
            const std::int64_t stop = std::min(end, (begin / m_pp + 1) * m_pp);
            const std::int64_t place = begin / m_pp % m_chunks;
            const SavedBytes& chunk = chunks[static_cast<std::size_t>(backward ? m_chunks - 1 - place : place)];
            saved.layers += sign * real(stop - begin) * chunk.layers;
            saved.logits += sign * real(stop - begin) * chunk.logits;
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

SavedBytes peakSaved(const PipelineShape& shape, std::int64_t rank, const std::vector<SavedBytes>& chunks) {
    if (shape.pp == 1) return {chunks.front().layers, chunks.front().logits};
    const RankPasses passes(shape, rank);
    return passes.after(passes.fullest(chunks), chunks);
}

SavedBytes peakSaved(const ScheduleSample& sample, std::int64_t rank, const std::vector<SavedBytes>& chunks) {
    const std::vector<SavedCount> counts = walk(sample, rank, chunks);
    SavedBytes saved;
    for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk) {
        saved.layers += counts[chunk].held * chunks[chunk].layers;
        saved.layers += counts[chunk].waiting * chunks[chunk].waiting;
        saved.logits += counts[chunk].held * chunks[chunk].logits;
    }
    return saved;
}

std::vector<SavedCount> savedCounts(const PipelineShape& shape, const ScheduleSample* sample, std::int64_t rank,
                                    const std::vector<SavedBytes>& chunks) {
    if (shape.pp == 1) return {{1, 0}};
    if (!hasRecursion(shape)) return walk(*sample, rank, chunks);
    const RankPasses passes(shape, rank);
    const std::int64_t fullest = passes.fullest(chunks);
    std::vector<SavedCount> counts;
    for (std::int64_t chunk = 0; chunk < passes.chunks(); ++chunk) counts.push_back({passes.held(fullest, chunk), 0});
    return counts;
}

}  // namespace slipway
