// Search inside a sweep: selection of the next point, from the points and their outcomes so far. Pure and stateless: a
// restarted sweep proposes the same.
//   const SearchDecision next = proposeNext(rules, points, outcomes);
//   if (next.point) ... run points[*next.point], with asha to the end of rung next.rung ...
#pragma once

#include "core/base/message.h"
#include "core/sweep/search_rules.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace slipway {

/// A point as seen by the search.
struct SearchPoint {
    std::vector<double> place;  ///< its values on the axes, each from 0 to 1 (encodePoints)
    bool canRun = true;         ///< false: skipped for a reason known in advance
    bool isNamed = false;       ///< one of the file's "points"
    double forecast = std::numeric_limits<double>::quiet_NaN();  ///< of the objective's cost; NaN: unknown
    double spread = 0.3;  ///< standard deviation of ln(measured / forecast), from the forecast's interval
};

/// Outcome of a point.
struct SearchOutcome {
    enum class State { Untried, Running, Finished, Failed };
    State state = State::Untried;
    double cost = std::numeric_limits<double>::quiet_NaN();  ///< of the objective, smaller is better; above 0
    std::vector<double> rungCosts{};                         ///< asha: at each reached rung
    std::int64_t numSteps = 0;                               ///< asha: steps of the full run
};

/// The search's belief about an untried point.
struct SearchBelief {
    double cost = std::numeric_limits<double>::quiet_NaN();    ///< median; NaN: the method has none
    double low = cost, high = cost;                            ///< 80 % interval
    double chance = std::numeric_limits<double>::quiet_NaN();  ///< of being better than the best by `gain`
};

struct SearchDecision {
    std::optional<std::size_t> point;  ///< empty: no more to run, or none before a running trial ends
    std::size_t rung = 0;              ///< asha: run it to the end of this rung
    bool ended = false;                ///< the search is over
    Message reason{};                  ///< reason of the end
    double chance = std::numeric_limits<double>::quiet_NaN();  ///< that any untried point is better by `gain`
    std::vector<SearchBelief> beliefs{};                       ///< planner, bayesian: as many as points
};

SearchDecision proposeNext(const SearchRules& rules, const std::vector<SearchPoint>& points,
                           const std::vector<SearchOutcome>& outcomes);

/// asha: steps of each rung of a run, ascending; the last is the run's own number. One rung where the run is too short.
std::vector<std::int64_t> rungSteps(const SearchRules& rules, std::int64_t numSteps);

/// The first `count` runnable points, each once, in an order from the seed: quasi-random (a shifted Halton sequence,
/// each time the nearest remaining point) or uniform.
std::vector<std::size_t> randomOrder(const SearchRules& rules, const std::vector<SearchPoint>& points,
                                     std::size_t count);

}  // namespace slipway
