// What a search keeps of the layouts it has seen: the best by the objective, and the Pareto front.
#pragma once

#include "core/planner/search/layout_search.h"

#include <array>
#include <cstddef>
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

class SearchRanking {
public:
    SearchRanking(SearchObjective objective, std::size_t limit) : m_objective(objective), m_limit(limit) {}

    /// Figures in the order the objective weighs them.
    [[nodiscard]] std::array<double, 3> key(const LayoutFigures& f) const;
    /// True when no layout whose figures are at least these can become one of the best or part of the front.
    [[nodiscard]] bool cannotEnter(const LayoutFigures& bound) const;
    void offer(FoundLayout layout);
    std::vector<FoundLayout> takeBest();
    std::vector<FoundLayout> takeFront();

private:
    struct Entry {
        LayoutFigures figures;
        FoundLayout layout;
    };
    /// Objective, then the layout itself: a total order, so that the result does not depend on the order of offers.
    [[nodiscard]] bool better(const Entry& a, const Entry& b) const;

    SearchObjective m_objective;
    std::size_t m_limit;
    std::vector<Entry> m_best;   ///< sorted
    std::vector<Entry> m_front;  ///< sorted by step time
};

/// Figures of an estimated layout.
LayoutFigures figuresOf(const FoundLayout& layout);

}  // namespace slipway
