#include "core/planner/laws/minimise.h"

#include <cmath>
#include <cstddef>
#include <limits>

namespace slipway {

namespace {

template <std::size_t n>
double dot(const Point<n>& a, const Point<n>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

template <std::size_t n>
Point<n> along(const Point<n>& x, const Point<n>& direction, double step) {
    Point<n> y = x;
    for (std::size_t i = 0; i < n; ++i) y[i] += step * direction[i];
    return y;
}

template <std::size_t n>
using Matrix = std::array<Point<n>, n>;

template <std::size_t n>
Matrix<n> identity() {
    Matrix<n> m{};
    for (std::size_t i = 0; i < n; ++i) m[i][i] = 1;
    return m;
}

/// Inverse Hessian after a step s that changed the gradient by y (eq. 6.17).
template <std::size_t n>
void update(Matrix<n>& h, const Point<n>& s, const Point<n>& y) {
    const double sy = dot(s, y);
    if (!(sy > 1e-300)) return;
    Point<n> hy{};
    for (std::size_t i = 0; i < n; ++i) hy[i] = dot(h[i], y);
    const double factor = (1 + dot(y, hy) / sy) / sy;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) h[i][j] += factor * s[i] * s[j] - (hy[i] * s[j] + s[i] * hy[j]) / sy;
}

}  // namespace

template <std::size_t n>
Minimum<n> minimise(const std::function<double(const Point<n>&, Point<n>&)>& f, Point<n> x, double tolerance,
                    int maxSteps) {
    Point<n> g{};
    double value = f(x, g);
    Matrix<n> h = identity<n>();
    bool fresh = true;
    int numSmall = 0;
    for (int step = 0; step < maxSteps; ++step) {
        Point<n> direction{};
        for (std::size_t i = 0; i < n; ++i) direction[i] = -dot(h[i], g);
        double slope = dot(direction, g);
        if (!(slope < 0)) {
            if (fresh) break;
            h = identity<n>();
            fresh = true;
            continue;
        }
        // Bisection between too long (value too high) and too short (slope still steep).
        double low = 0, high = std::numeric_limits<double>::infinity();
        double length = fresh ? std::min(1.0, 1 / std::sqrt(dot(g, g))) : 1;
        Point<n> next{}, nextGradient{};
        double nextValue = value;
        bool found = false;
        for (int tries = 0; tries < 60; ++tries) {
            next = along(x, direction, length);
            nextValue = f(next, nextGradient);
            if (!(nextValue <= value + 1e-4 * length * slope)) {
                high = length;
            } else if (dot(nextGradient, direction) < 0.9 * slope) {
                low = length;
                found = true;
            } else {
                found = true;
                break;
            }
            length = std::isfinite(high) ? (low + high) / 2 : 2 * length;
        }
        if (!found || !(nextValue < value)) {
            if (fresh) break;
            h = identity<n>();
            fresh = true;
            continue;
        }
        Point<n> s{}, y{};
        for (std::size_t i = 0; i < n; ++i) {
            s[i] = next[i] - x[i];
            y[i] = nextGradient[i] - g[i];
        }
        if (fresh) {
            // The first guess of the curvature, so that units do not matter (eq. 6.20).
            const double scale = dot(s, y) / dot(y, y);
            if (scale > 0)
                for (std::size_t i = 0; i < n; ++i) h[i][i] = scale;
        }
        update(h, s, y);
        const double gain = value - nextValue;
        x = next;
        g = nextGradient;
        value = nextValue;
        fresh = false;
        numSmall = gain < tolerance * std::fabs(value) ? numSmall + 1 : 0;
        if (numSmall == 2) break;
    }
    return {x, value};
}

template Minimum<5> minimise<5>(const std::function<double(const Point<5>&, Point<5>&)>&, Point<5>, double, int);

}  // namespace slipway
