#include "core/planner/stack/two_point.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace slipway {

namespace {

/// Of the standard normal distribution.
double cumulative(double z) {
    return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

}  // namespace

double TwoPoint::below(double value) const {
    const double x = std::log(value);
    const double early = cumulative((x - std::log(first)) / spread);
    return chance > 0 ? (1 - chance) * early + chance * cumulative((x - std::log(second)) / spread) : early;
}

double TwoPoint::quantile(double share) const {
    constexpr double kWidest = 8;  // standard deviations
    double low = std::log(std::min(first, second)) - kWidest * spread;
    double high = std::log(std::max(first, second)) + kWidest * spread;
    if (!(spread > 0) || !(low < high)) return likelier();
    for (int i = 0; i < 40; ++i) {
        const double middle = 0.5 * (low + high);
        (below(std::exp(middle)) < share ? low : high) = middle;
    }
    return std::exp(0.5 * (low + high));
}

std::vector<double> chancesToBeBest(const std::vector<TwoPoint>& all) {
    std::vector<double> chances(all.size(), 0);
    double low = std::numeric_limits<double>::infinity(), high = 0;
    constexpr double kWidest = 4;  // standard deviations
    for (const TwoPoint& one : all) {
        low = std::min(low, one.first * std::exp(-kWidest * one.spread));
        high = std::max(high, one.second * std::exp(kWidest * one.spread));
    }
    // Sum over a grid of the logarithm: one value falls into a cell, and all others beyond it.
    constexpr int kCells = 400;
    double sum = 0, edge = low;
    for (int cell = 0; cell < kCells; ++cell) {
        const double next = low * std::pow(high / low, (cell + 1.0) / kCells), middle = std::sqrt(edge * next);
        double beyond = 1;
        std::vector<double> parts;
        for (const TwoPoint& one : all) {
            const double stays = std::max(1e-300, 1 - one.below(middle));
            beyond *= stays;
            parts.push_back((one.below(next) - one.below(edge)) / stays);
        }
        for (std::size_t i = 0; i < all.size(); ++i) {
            chances[i] += parts[i] * beyond;
            sum += parts[i] * beyond;
        }
        edge = next;
        if (beyond < 1e-9) break;
    }
    for (double& chance : chances) chance = sum > 0 ? chance / sum : 0;
    return chances;
}

}  // namespace slipway
