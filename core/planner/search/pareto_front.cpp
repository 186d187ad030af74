#include "core/planner/search/pareto_front.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_set>

namespace slipway {

namespace {

/// The layout as numbers, in the order in which equals are listed: the simpler first.
auto identity(const FoundLayout& l) {
    const ParallelLayout& p = l.parallel;
    return std::tuple(p.worldSize(), p.offload, p.tp, p.pp, p.cp, p.ep, p.etp, p.zeroStage, p.dpShard.value_or(p.dp),
                      p.sequenceParallel, p.asyncTp, p.cpKind, l.recompute, p.virtualStages, p.schedule,
                      p.layersPerStage, l.microBatchSize);
}

}  // namespace

LayoutFamily familyOf(const ParallelLayout& p, std::int64_t microBatchSize, RecomputePolicy recompute) {
    return {p.tp,
            p.pp,
            p.cp,
            p.dp,
            p.ep,
            p.etp,
            static_cast<std::int64_t>(p.schedule),
            p.virtualStages,
            microBatchSize,
            static_cast<std::int64_t>(recompute)};
}

LayoutFamily swapClassOf(const LayoutFamily& family) {
    LayoutFamily all = family;
    std::int64_t &cp = all[2], &ranks = all[3], &chunks = all[7], &microBatchSize = all[8];
    ranks *= cp;
    chunks = 0;
    const std::int64_t common = std::gcd(cp, microBatchSize);
    cp /= common;
    microBatchSize /= common;
    return all;
}

LayoutFigures figuresOf(const FoundLayout& layout) {
    return {layout.step.stepSeconds, layout.memoryPeakBytes,
            layout.step.stepSeconds * static_cast<double>(layout.parallel.worldSize())};
}

std::array<double, 3> Incumbents::key(const LayoutFigures& f) const {
    switch (m_objective) {
        case SearchObjective::Memory: return {f.memoryBytes, f.stepSeconds, f.deviceSeconds};
        case SearchObjective::Cost: return {f.deviceSeconds, f.stepSeconds, f.memoryBytes};
        default: return {f.stepSeconds, f.memoryBytes, f.deviceSeconds};
    }
}

bool Incumbents::cannotEnter(const LayoutFigures& bound) const {
    if (bound.stepSeconds > m_slowest) return true;
    if (m_limit > 0 && (!m_full || !(key(bound) > m_best.back().key))) return false;
    for (const LayoutFigures& f : m_front) {
        if (f.stepSeconds > bound.stepSeconds) return false;
        // A layout with exactly the figures of one on the front might come before it in the list.
        if (f.covers(bound) && !(f == bound)) return true;
    }
    return false;
}

namespace {

/// A number for a class of swaps; that two share one keeps more than is needed, never less.
std::uint64_t nameOf(const LayoutFamily& family) {
    std::uint64_t name = 14695981039346656037ULL;  // FNV-1a
    for (const std::int64_t value : swapClassOf(family))
        name = (name ^ static_cast<std::uint64_t>(value)) * 1099511628211ULL;
    return name;
}

/// How many of the first entries are enough for the limit: as many as it, or as have so many classes of swaps. Empty where all are
/// fewer.
template <class Entry>
std::optional<std::size_t> enough(const std::vector<Entry>& best, std::size_t limit, bool distinct) {
    if (!distinct) return best.size() >= limit ? std::optional(limit) : std::nullopt;
    std::unordered_set<std::uint64_t> classes;
    for (std::size_t i = 0; i < best.size(); ++i) {
        classes.insert(best[i].swaps);
        if (classes.size() == limit) return i + 1;
    }
    return {};
}

/// Puts an entry where `less` says. Of its family, if they are distinct, the best stays alone; of all, what is enough.
template <class Entry, class Less>
void keepBest(std::vector<Entry>& best, bool& full, Entry entry, std::size_t limit, bool distinct, Less less) {
    if (limit == 0 || (full && !less(entry, best.back()))) return;
    if (distinct) {
        const auto same =
            std::find_if(best.begin(), best.end(), [&](const Entry& e) { return e.family == entry.family; });
        if (same != best.end()) {
            if (!less(entry, *same)) return;
            best.erase(same);
        }
    }
    best.insert(std::upper_bound(best.begin(), best.end(), entry, less), std::move(entry));
    if (const auto kept = enough(best, limit, distinct)) {
        best.erase(best.begin() + static_cast<std::ptrdiff_t>(*kept), best.end());
        full = true;
    }
}

}  // namespace

void Incumbents::offer(const LayoutFigures& figures, const LayoutFamily& family) {
    keepBest(m_best, m_full, Best{key(figures), family, nameOf(family)}, m_limit, m_distinct,
             [](const Best& a, const Best& b) { return a.key < b.key; });
    for (const LayoutFigures& f : m_front) {
        if (f.stepSeconds > figures.stepSeconds) break;
        if (f.covers(figures)) return;
    }
    std::erase_if(m_front, [&](const LayoutFigures& f) { return figures.covers(f); });
    const auto later = [](const LayoutFigures& a, const LayoutFigures& b) { return a.stepSeconds < b.stepSeconds; };
    m_front.insert(std::upper_bound(m_front.begin(), m_front.end(), figures, later), figures);
}

bool SearchRanking::better(const Entry& a, const Entry& b) const {
    const auto left = key(a.figures), right = key(b.figures);
    return left != right ? left < right : identity(a.layout) < identity(b.layout);
}

void SearchRanking::offer(FoundLayout layout) {
    const LayoutFigures figures = figuresOf(layout);
    if (m_incumbents.cannotEnter(figures)) return;
    Entry entry{figures, std::move(layout), {}, 0};
    entry.family = familyOf(entry.layout.parallel, entry.layout.microBatchSize, entry.layout.recompute);
    entry.swaps = nameOf(entry.family);
    m_incumbents.offer(figures, entry.family);
    keepBest(m_best, m_full, entry, m_limit, m_distinct,
             [this](const Entry& a, const Entry& b) { return better(a, b); });
    for (const Entry& e : m_front) {
        if (!e.figures.covers(entry.figures)) continue;
        if (!(e.figures == entry.figures) || !better(entry, e)) return;
    }
    std::erase_if(m_front, [&](const Entry& e) { return entry.figures.covers(e.figures); });
    m_front.push_back(std::move(entry));
}

std::vector<FoundLayout> SearchRanking::takeBest() {
    std::vector<FoundLayout> layouts;
    for (Entry& e : m_best) layouts.push_back(std::move(e.layout));
    m_best.clear();
    return layouts;
}

std::vector<FoundLayout> SearchRanking::takeFront() {
    std::sort(m_front.begin(), m_front.end(), [](const Entry& a, const Entry& b) {
        return std::tuple(a.figures.stepSeconds, a.figures.memoryBytes, a.figures.deviceSeconds) <
               std::tuple(b.figures.stepSeconds, b.figures.memoryBytes, b.figures.deviceSeconds);
    });
    std::vector<FoundLayout> layouts;
    for (Entry& e : m_front) layouts.push_back(std::move(e.layout));
    m_front.clear();
    return layouts;
}

}  // namespace slipway
