// A forecast that may turn out in two ways: as forecast, or longer by a wait that no column of the layout announces.
#pragma once

#include <vector>

namespace slipway {

struct TwoPoint {
    double first = 0, second = 0;  ///< medians of the two ways
    double chance = 0;             ///< of the second
    double spread = 0;             ///< standard deviation of the logarithm around either

    /// The likelier way.
    [[nodiscard]] double likelier() const { return chance > 0.5 ? second : first; }
    /// Share of outcomes below this value.
    [[nodiscard]] double below(double value) const;
    /// The value below which this share of outcomes is.
    [[nodiscard]] double quantile(double share) const;
};

/// For each of these its chance to turn out smallest, if all turn out independently of each other; they sum up to 1.
std::vector<double> chancesToBeBest(const std::vector<TwoPoint>& all);

}  // namespace slipway
