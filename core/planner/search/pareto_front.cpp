#include "core/planner/search/pareto_front.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace slipway {

namespace {

/// The layout as numbers, in the order of listing equals: simpler first.
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
    if (m_limit > 0 && (!m_best.isFull() || !(key(bound) > m_best.entries().back().key))) return false;
    auto at = static_cast<std::size_t>(
        std::upper_bound(m_front.begin(), m_front.end(), bound.stepSeconds,
                         [](double seconds, const LayoutFigures& f) { return seconds < f.stepSeconds; }) -
        m_front.begin());
    // The nearest in time have the least memory, as long as all have the same number of devices.
    for (; at > 0 && m_leastBytes[at - 1] <= bound.memoryBytes; --at) {
        // A layout with exactly the figures of one on the front might come before it in the list.
        const LayoutFigures& f = m_front[at - 1];
        if (f.covers(bound) && !(f == bound)) return true;
    }
    return false;
}

namespace {

std::uint64_t nameOf(const LayoutFamily& family) {
    std::uint64_t name = 14695981039346656037ULL;  // FNV-1a
    for (const std::int64_t value : family) name = (name ^ static_cast<std::uint64_t>(value)) * 1099511628211ULL;
    return name;
}

}  // namespace

FamilyName::FamilyName(const LayoutFamily& all) : family(all), name(nameOf(all)), swaps(nameOf(swapClassOf(all))) {}

template <class Entry>
template <class Less>
void BestEntries<Entry>::offer(Entry entry, Less less) {
    if (m_limit == 0 || (m_full && !less(entry, m_entries.back()))) return;
    if (m_distinct) {
        const auto same =
            std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& e) { return e.of == entry.of; });
        if (same == m_entries.end())
            ++m_classes[entry.of.swaps];
        else if (less(entry, *same))
            m_entries.erase(same);
        else
            return;
    }
    m_entries.insert(std::upper_bound(m_entries.begin(), m_entries.end(), entry, less), std::move(entry));
    dropWhatIsNotNeeded();
}

/// Retains only the first entries up to the limit, or up to that many swap classes.
template <class Entry>
void BestEntries<Entry>::dropWhatIsNotNeeded() {
    if ((m_distinct ? m_classes.size() : m_entries.size()) < m_limit) return;
    m_full = true;
    if (!m_distinct) {
        m_entries.erase(m_entries.begin() + static_cast<std::ptrdiff_t>(m_limit), m_entries.end());
        return;
    }
    for (;;) {
        const auto last = m_classes.find(m_entries.back().of.swaps);
        if (m_classes.size() == m_limit && last->second == 1) return;
        if (--last->second == 0) m_classes.erase(last);
        m_entries.pop_back();
    }
}

void Incumbents::offer(const LayoutFigures& figures, const FamilyName& family) {
    m_best.offer({key(figures), family}, [](const Best& a, const Best& b) { return a.key < b.key; });
    for (const LayoutFigures& f : m_front) {
        if (f.stepSeconds > figures.stepSeconds) break;
        if (f.covers(figures)) return;
    }
    std::erase_if(m_front, [&](const LayoutFigures& f) { return figures.covers(f); });
    const auto later = [](const LayoutFigures& a, const LayoutFigures& b) { return a.stepSeconds < b.stepSeconds; };
    m_front.insert(std::upper_bound(m_front.begin(), m_front.end(), figures, later), figures);
    m_leastBytes.clear();
    for (const LayoutFigures& f : m_front)
        m_leastBytes.push_back(m_leastBytes.empty() ? f.memoryBytes : std::min(m_leastBytes.back(), f.memoryBytes));
}

bool SearchRanking::better(const Entry& a, const Entry& b) const {
    const auto left = key(a.figures), right = key(b.figures);
    return left != right ? left < right : identity(*a.layout) < identity(*b.layout);
}

void SearchRanking::offer(FoundLayout layout) {
    const LayoutFigures figures = figuresOf(layout);
    if (m_incumbents.cannotEnter(figures)) return;
    const FamilyName family(familyOf(layout.parallel, layout.microBatchSize, layout.recompute));
    m_incumbents.offer(figures, family);
    const Entry entry{figures, std::make_shared<const FoundLayout>(std::move(layout)), family};
    m_best.offer(entry, [this](const Entry& a, const Entry& b) { return better(a, b); });
    for (const Entry& e : m_front) {
        if (!e.figures.covers(entry.figures)) continue;
        if (!(e.figures == entry.figures) || !better(entry, e)) return;
    }
    std::erase_if(m_front, [&](const Entry& e) { return entry.figures.covers(e.figures); });
    m_front.push_back(entry);
}

std::vector<FoundLayout> SearchRanking::best() const {
    std::vector<FoundLayout> layouts;
    for (const Entry& e : m_best.entries()) layouts.push_back(*e.layout);
    return layouts;
}

std::vector<FoundLayout> SearchRanking::front() const {
    std::vector<const Entry*> sorted;
    for (const Entry& e : m_front) sorted.push_back(&e);
    std::sort(sorted.begin(), sorted.end(), [](const Entry* a, const Entry* b) {
        return std::tuple(a->figures.stepSeconds, a->figures.memoryBytes, a->figures.deviceSeconds) <
               std::tuple(b->figures.stepSeconds, b->figures.memoryBytes, b->figures.deviceSeconds);
    });
    std::vector<FoundLayout> layouts;
    for (const Entry* e : sorted) layouts.push_back(*e->layout);
    return layouts;
}

}  // namespace slipway
