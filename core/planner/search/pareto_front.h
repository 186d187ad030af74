// What a search keeps of the layouts it has seen: the best by the objective, and the Pareto front.
#pragma once

#include "core/planner/search/layout_search.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace slipway {

/// What layouts are compared by; smaller is better in all three.
struct LayoutFigures {
    double stepSeconds = 0, memoryBytes = 0;
    double deviceSeconds = 0;  ///< step time times devices: what money and energy go with
    /// As good in all of them.
    [[nodiscard]] bool covers(const LayoutFigures& o) const {
        return stepSeconds <= o.stepSeconds && memoryBytes <= o.memoryBytes && deviceSeconds <= o.deviceSeconds;
    }
    bool operator==(const LayoutFigures&) const = default;
};
/// Figures of an estimated layout.
LayoutFigures figuresOf(const FoundLayout& layout);

/// The figures alone: small, so that every worker may have a copy.
class Incumbents {
public:
    /// @param distinct one of each family is kept, as many as have `limit` classes of swaps (swapClassOf) among them
    /// @param slowest step seconds of the slowest layout of interest
    Incumbents(SearchObjective objective, std::size_t limit, bool distinct = false,
               double slowest = std::numeric_limits<double>::infinity())
        : m_objective(objective), m_limit(limit), m_distinct(distinct), m_slowest(slowest) {}

    /// Figures in the order the objective weighs them.
    [[nodiscard]] std::array<double, 3> key(const LayoutFigures& f) const;
    /// True when no layout whose figures are at least these can become one of the best or part of the front.
    [[nodiscard]] bool cannotEnter(const LayoutFigures& bound) const;
    void offer(const LayoutFigures& figures, const LayoutFamily& family);

private:
    struct Best {
        std::array<double, 3> key;
        LayoutFamily family;
        std::uint64_t swaps = 0;  ///< names swapClassOf(family)
    };
    SearchObjective m_objective;
    std::size_t m_limit;
    bool m_distinct;
    double m_slowest;
    bool m_full = false;
    std::vector<Best> m_best;            ///< sorted by key
    std::vector<LayoutFigures> m_front;  ///< sorted by step time; equals once
};

class SearchRanking {
public:
    SearchRanking(SearchObjective objective, std::size_t limit, bool distinct = false,
                  double slowest = std::numeric_limits<double>::infinity())
        : m_limit(limit), m_distinct(distinct), m_incumbents(objective, limit, distinct, slowest) {}

    [[nodiscard]] const Incumbents& incumbents() const { return m_incumbents; }
    [[nodiscard]] std::array<double, 3> key(const LayoutFigures& f) const { return m_incumbents.key(f); }
    void offer(FoundLayout layout);
    std::vector<FoundLayout> takeBest();
    std::vector<FoundLayout> takeFront();

private:
    struct Entry {
        LayoutFigures figures;
        FoundLayout layout;
        LayoutFamily family;
        std::uint64_t swaps = 0;
    };
    /// Objective, then the layout itself: a total order, so that the result does not depend on the order of offers.
    [[nodiscard]] bool better(const Entry& a, const Entry& b) const;

    std::size_t m_limit;
    bool m_distinct;
    bool m_full = false;
    Incumbents m_incumbents;
    std::vector<Entry> m_best;  ///< sorted
    std::vector<Entry> m_front;
};

}  // namespace slipway
