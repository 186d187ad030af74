// Finds a minimum of a smooth function of a few variables.
#pragma once

#include <array>
#include <functional>

namespace slipway {

template <std::size_t n>
using Point = std::array<double, n>;

template <std::size_t n>
struct Minimum {
    Point<n> at{};
    double value = 0;
};

/// BFGS with a line search that halves or doubles until the strong Wolfe conditions hold (Nocedal and Wright, Numerical
/// Optimization, algorithms 3.5 and 6.1). Restarts along the gradient when a step fails.
/// @param tolerance ends when two consecutive steps gain less than this share of the value
/// @param f value at a point; writes the gradient
template <std::size_t n>
Minimum<n> minimise(const std::function<double(const Point<n>&, Point<n>&)>& f, Point<n> x, double tolerance = 1e-15,
                    int maxSteps = 500);

extern template Minimum<5> minimise<5>(const std::function<double(const Point<5>&, Point<5>&)>&, Point<5>, double, int);

}  // namespace slipway
