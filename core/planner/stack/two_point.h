// A forecast with two possible outcomes: as forecast, or longer by a wait that nothing in the layout indicates.
#pragma once

#include <vector>

namespace slipway {

struct TwoPoint {
    double first = 0, second = 0;  ///< medians of the two outcomes
    double chance = 0;             ///< of the second
    double spread = 0;             ///< standard deviation of the logarithm around each

    /// The likelier outcome.
    [[nodiscard]] double likelier() const { return chance > 0.5 ? second : first; }
    /// Share of outcomes below this value.
    [[nodiscard]] double below(double value) const;
    /// The value below which this share of outcomes falls.
    [[nodiscard]] double quantile(double share) const;
};

/// The chance of each to be the smallest, if all outcomes are independent; they sum to 1.
std::vector<double> chancesToBeBest(const std::vector<TwoPoint>& all);

}  // namespace slipway
