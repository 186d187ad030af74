#include "core/planner/schedule/pipeline_seconds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace slipway {

namespace {

using Row = std::array<double, kMaxRecursionRanks>;

/// Stores a state and detects when a later one is the same except for a common shift.
class PeriodFinder {
public:
    PeriodFinder(std::int64_t period, std::int64_t states)
        : m_period(period), m_count(static_cast<std::size_t>(states)) {}

    /// Call once per step with all numbers that affect the next steps. True when the last period shifted all of them by
    /// shiftSeconds().
    bool steady(std::span<const double> a, std::span<const double> b) {
        if (++m_steps < m_period) return false;
        m_steps = 0;
        bool same = m_known;
        m_shift = a[0] - m_last[0];
        const double allowed = 1e-11 * m_shift;
        for (std::size_t i = 0; i < m_count; ++i) {
            const double value = i < a.size() ? a[i] : b[i - a.size()];
            same = same && std::abs(value - m_last[i] - m_shift) <= allowed;
            m_last[i] = value;
        }
        m_known = true;
        return same;
    }
    [[nodiscard]] double shiftSeconds() const { return m_shift; }

private:
    std::int64_t m_period, m_steps = 0;
    std::size_t m_count;
    double m_shift = 0;
    bool m_known = false;
    std::array<double, 2 * kMaxRecursionRanks> m_last;
};

void shift(std::span<double> values, double seconds) {
    for (double& value : values) value += seconds;
}

std::span<double> firstOf(Row& row, std::int64_t count) {
    return {row.data(), static_cast<std::size_t>(count)};
}

/// All forwards, then all backwards. Equal jobs pass the stages in order: the last one ends after one passage and
/// m - 1 turns of the slowest stage (a permutation flow shop; no rank waits for its own forwards in between).
double afabSeconds(std::int64_t pp, std::int64_t m, const StageSeconds* stages, double sends) {
    double passage = 0, slowestForward = 0, slowestBackward = 0;
    for (std::int64_t s = 0; s < pp; ++s) {
        const double backward = stages[s].backwardInput + stages[s].backwardWeight;
        passage += stages[s].forward + backward;
        if (s + 1 < pp) passage += sends * stages[s].sendForward;
        if (s > 0) passage += sends * stages[s].sendBackward;
        slowestForward = std::max(slowestForward, stages[s].forward);
        slowestBackward = std::max(slowestBackward, backward);
    }
    return passage + static_cast<double>(m - 1) * (slowestForward + slowestBackward);
}

/// Step k: each rank runs forward k, then backward k - warm-up. A rank's backward needs the next rank's of the previous step.
double oneFOneBSeconds(std::int64_t pp, std::int64_t m, const StageSeconds* stages, double sends) {
    Row clock;
    std::fill_n(clock.begin(), pp, 0.0);
    Row backward;
    for (std::int64_t s = 0; s < pp; ++s)
        backward[static_cast<std::size_t>(s)] = stages[s].backwardInput + stages[s].backwardWeight;
    PeriodFinder finder(pp, pp);
    bool searching = true;
    const std::int64_t longest = pp - 1;
    for (std::int64_t k = 0; k < m + longest; ++k) {
        const bool steady = k >= longest && k < m;
        double arrival = 0;
        for (std::int64_t s = 0; s < pp; ++s) {
            const auto i = static_cast<std::size_t>(s);
            const std::int64_t warmup = longest - s;
            double end = clock[i];
            if (k < m) {
                end = std::max(end, arrival) + stages[s].forward;
                arrival = end + sends * stages[s].sendForward;
            }
            if (steady || (k >= warmup && k - warmup < m)) {
                // clock of the next rank is still at the end of its last backward: step k - 1.
                if (s + 1 < pp) end = std::max(end, clock[i + 1] + sends * stages[s + 1].sendBackward);
                end += backward[i];
            }
            clock[i] = end;
        }
        if (!steady || !searching || k + 1 >= m) continue;
        if (!finder.steady(firstOf(clock, pp), {})) continue;
        const std::int64_t periods = (m - 1 - k) / pp;
        shift(firstOf(clock, pp), finder.shiftSeconds() * static_cast<double>(periods));
        k += periods * pp;
        searching = false;
    }
    return *std::max_element(clock.begin(), clock.begin() + pp);
}

/// Virtual micro-batches k in groups of pp per chunk. Rank r runs its k-th forward and its (k - warm-up)-th backward at
/// step k + r; then all inputs of a pass are from the previous step.
class Interleaved {
public:
    Interleaved(std::int64_t pp, std::int64_t m, std::int64_t chunks, const StageSeconds* stages, double sends)
        : m_pp(pp), m_chunks(chunks), m_total(m * chunks), m_stages(stages), m_sends(sends) {
        std::fill_n(m_clock.begin(), pp, 0.0);
        std::fill_n(m_forward.begin(), pp, 0.0);
        std::fill_n(m_backward.begin(), pp, 0.0);
    }

    double seconds() {
        const std::int64_t longest = 2 * (m_pp - 1) + (m_chunks - 1) * m_pp;
        PeriodFinder finder(m_pp * m_chunks, 2 * m_pp);
        bool searching = true;
        for (std::int64_t step = 0; step < m_total + longest + m_pp; ++step) {
            // Rank 0 is the last to start and rank pp - 1 the last to run a forward.
            for (std::int64_t rank = 0; rank < m_pp; ++rank) run(rank, step - rank);
            for (std::int64_t rank = 0; rank < m_pp; ++rank) {
                const auto i = static_cast<std::size_t>(rank);
                m_forward[i] = m_nextForward[i];
                m_backward[i] = m_nextBackward[i];
            }
            const bool steady = step >= longest + m_pp && step < m_total - 1;
            if (!steady || !searching || !finder.steady(firstOf(m_forward, m_pp), firstOf(m_backward, m_pp))) continue;
            const std::int64_t period = m_pp * m_chunks;
            const std::int64_t periods = (m_total - 1 - step) / period;
            const double more = finder.shiftSeconds() * static_cast<double>(periods);
            for (Row* row : {&m_clock, &m_forward, &m_backward}) shift(firstOf(*row, m_pp), more);
            step += periods * period;
            searching = false;
        }
        return *std::max_element(m_clock.begin(), m_clock.begin() + m_pp);
    }

private:
    void run(std::int64_t rank, std::int64_t k) {
        const auto i = static_cast<std::size_t>(rank);
        double now = m_clock[i];
        m_nextForward[i] = m_forward[i];
        m_nextBackward[i] = m_backward[i];
        if (k >= 0 && k < m_total) {
            const std::int64_t chunk = k / m_pp % m_chunks;
            const StageSeconds& stage = m_stages[chunk * m_pp + rank];
            if (rank > 0)
                now = std::max(now, m_forward[i - 1] + m_sends * m_stages[chunk * m_pp + rank - 1].sendForward);
            else if (chunk > 0)
                now = std::max(now, m_forward[static_cast<std::size_t>(m_pp - 1)] +
                                        m_sends * m_stages[chunk * m_pp - 1].sendForward);
            now += stage.forward;
            m_nextForward[i] = now;
        }
        const std::int64_t b = k - (2 * (m_pp - 1 - rank) + (m_chunks - 1) * m_pp);
        if (b >= 0 && b < m_total) {
            const std::int64_t chunk = m_chunks - 1 - b / m_pp % m_chunks;
            const StageSeconds& stage = m_stages[chunk * m_pp + rank];
            if (rank + 1 < m_pp)
                now = std::max(now, m_backward[i + 1] + m_sends * m_stages[chunk * m_pp + rank + 1].sendBackward);
            else if (chunk + 1 < m_chunks)
                now = std::max(now, m_backward[0] + m_sends * m_stages[(chunk + 1) * m_pp].sendBackward);
            now += stage.backwardInput + stage.backwardWeight;
            m_nextBackward[i] = now;
        }
        m_clock[i] = now;
    }

    std::int64_t m_pp, m_chunks, m_total;
    const StageSeconds* m_stages;
    double m_sends;
    Row m_clock, m_forward, m_backward, m_nextForward, m_nextBackward;  ///< ends of each rank's passes, one step ago
};

}  // namespace

bool hasRecursion(const PipelineShape& shape) {
    if (shape.pp < 1 || shape.pp > kMaxRecursionRanks || shape.numMicroBatches < 1) return false;
    if (shape.pp == 1) return true;
    if (shape.kind == ScheduleKind::InterleavedOneFOneB)
        return shape.virtualStages > 1 && shape.numMicroBatches % shape.pp == 0;
    return (shape.kind == ScheduleKind::OneFOneB || shape.kind == ScheduleKind::Afab) && shape.virtualStages == 1;
}

std::int64_t warmupForwards(const PipelineShape& shape, std::int64_t rank) {
    if (shape.pp == 1) return 0;
    if (shape.kind == ScheduleKind::Afab) return shape.numMicroBatches;
    const std::int64_t later = shape.pp - 1 - rank;
    return shape.kind == ScheduleKind::InterleavedOneFOneB ? 2 * later + (shape.virtualStages - 1) * shape.pp : later;
}

double pipelineSeconds(const PipelineShape& shape, const std::vector<StageSeconds>& stages, bool withTransfers) {
    const double sends = withTransfers ? 1 : 0;
    const std::int64_t m = shape.numMicroBatches;
    if (shape.pp == 1) {
        const StageSeconds& s = stages.front();
        return static_cast<double>(m) * (s.forward + s.backwardInput + s.backwardWeight);
    }
    switch (shape.kind) {
        case ScheduleKind::Afab: return afabSeconds(shape.pp, m, stages.data(), sends);
        case ScheduleKind::InterleavedOneFOneB:
            return Interleaved(shape.pp, m, shape.virtualStages, stages.data(), sends).seconds();
        default: return oneFOneBSeconds(shape.pp, m, stages.data(), sends);
    }
}

}  // namespace slipway
