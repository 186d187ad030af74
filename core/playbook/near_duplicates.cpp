#include "core/playbook/near_duplicates.h"

#include <cmath>
#include <limits>

namespace slipway {
namespace {

/// Midpoint rule; the integrand is a smooth S.
template <class F>
double area(F function, double from, double to) {
    constexpr int kParts = 200;
    const double width = (to - from) / kParts;
    double sum = 0;
    for (int i = 0; i < kParts; ++i) sum += function(from + (i + 0.5) * width);
    return sum * width;
}

}  // namespace

double caughtProbability(double similarity, double bands, double rows) {
    return 1 - std::pow(1 - std::pow(similarity, rows), bands);
}

double halfCaughtSimilarity(double bands, double rows) {
    return std::pow(1 - std::pow(2.0, -1 / bands), 1 / rows);
}

LshBands bestLshBands(std::int64_t permutations, double threshold) {
    LshBands best;
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t bands = 1; bands <= permutations; ++bands)
        for (std::int64_t rows = 1; rows <= permutations / bands; ++rows) {
            const auto caught = [&](double s) {
                return caughtProbability(s, static_cast<double>(bands), static_cast<double>(rows));
            };
            const double error =
                area(caught, 0, threshold) + area([&](double s) { return 1 - caught(s); }, threshold, 1);
            if (error < least) {
                least = error;
                best = {bands, rows};
            }
        }
    return best;
}

}  // namespace slipway
