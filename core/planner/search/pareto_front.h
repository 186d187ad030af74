// Results that a search retains: the best layouts by the objective, and the Pareto front.
#pragma once

#include "core/planner/search/layout_search.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <unordered_map>
#include <vector>

namespace slipway {

/// Figures for comparing layouts; smaller is better in all three.
struct LayoutFigures {
    double stepSeconds = 0, memoryBytes = 0;
    double deviceSeconds = 0;  ///< step time times devices: proportional to money and energy
    /// At least as good in all of them.
    [[nodiscard]] bool covers(const LayoutFigures& o) const {
        return stepSeconds <= o.stepSeconds && memoryBytes <= o.memoryBytes && deviceSeconds <= o.deviceSeconds;
    }
    bool operator==(const LayoutFigures&) const = default;
};
/// Figures of an estimated layout.
LayoutFigures figuresOf(const FoundLayout& layout);

/// Short identity of the families of the best.
struct FamilyName {
    explicit FamilyName(const LayoutFamily& family);
    LayoutFamily family;
    std::uint64_t name;   ///< of the family; others may share it
    std::uint64_t swaps;  ///< of swapClassOf(family); a collision of two classes retains more than needed, never less
    bool operator==(const FamilyName& other) const { return name == other.name && family == other.family; }
};

/// The best entries, sorted. Entry has a FamilyName `of`.
template <class Entry>
class BestEntries {
public:
    /// @param distinct one of each family is retained, until they include `limit` swap classes (swapClassOf)
    BestEntries(std::size_t limit, bool distinct) : m_limit(limit), m_distinct(distinct) {}
    /// Inserts the entry in the order of `less`, after its equals, if it is among the best.
    template <class Less>
    void offer(Entry entry, Less less);
    [[nodiscard]] bool isFull() const { return m_full; }
    [[nodiscard]] const std::vector<Entry>& entries() const { return m_entries; }

private:
    void dropWhatIsNotNeeded();

    std::size_t m_limit;
    bool m_distinct;
    bool m_full = false;
    std::vector<Entry> m_entries;
    std::unordered_map<std::uint64_t, std::size_t> m_classes;  ///< entries by swap class, where distinct
};

/// The figures alone: small, so that every worker can have a copy.
class Incumbents {
public:
    /// @param distinct as for BestEntries
    /// @param slowest step seconds of the slowest relevant layout
    Incumbents(SearchObjective objective, std::size_t limit, bool distinct = false,
               double slowest = std::numeric_limits<double>::infinity())
        : m_objective(objective), m_limit(limit), m_slowest(slowest), m_best(limit, distinct) {}

    /// Figures in the objective's order of priority.
    [[nodiscard]] std::array<double, 3> key(const LayoutFigures& f) const;
    /// True when no layout whose figures are at least these can become one of the best or part of the front.
    [[nodiscard]] bool cannotEnter(const LayoutFigures& bound) const;
    void offer(const LayoutFigures& figures, const FamilyName& family);

private:
    struct Best {
        std::array<double, 3> key;
        FamilyName of;
    };
    SearchObjective m_objective;
    std::size_t m_limit;
    double m_slowest;
    BestEntries<Best> m_best;            ///< by key
    std::vector<LayoutFigures> m_front;  ///< sorted by step time, without duplicates
    std::vector<double> m_leastBytes;    ///< minimum over each entry of the front and its predecessors
};

class SearchRanking {
public:
    SearchRanking(SearchObjective objective, std::size_t limit, bool distinct = false,
                  double slowest = std::numeric_limits<double>::infinity())
        : m_incumbents(objective, limit, distinct, slowest), m_best(limit, distinct) {}

    [[nodiscard]] const Incumbents& incumbents() const { return m_incumbents; }
    [[nodiscard]] std::array<double, 3> key(const LayoutFigures& f) const { return m_incumbents.key(f); }
    void offer(FoundLayout layout);
    [[nodiscard]] std::vector<FoundLayout> best() const;
    /// By step time.
    [[nodiscard]] std::vector<FoundLayout> front() const;

private:
    struct Entry {
        LayoutFigures figures;
        std::shared_ptr<const FoundLayout> layout;
        FamilyName of;
    };
    /// Objective, then the layout itself: a total order, so that the result is independent of the order of offers.
    [[nodiscard]] bool better(const Entry& a, const Entry& b) const;

    Incumbents m_incumbents;
    BestEntries<Entry> m_best;
    std::vector<Entry> m_front;
};

}  // namespace slipway
