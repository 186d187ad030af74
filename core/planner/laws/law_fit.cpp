#include "core/planner/laws/law_fit.h"

#include "core/planner/laws/minimise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>

namespace slipway {

namespace {

Result<void> enough(const std::vector<LawPoint>& points) {
    if (points.size() < 6)
        return fail("too_few_points",
                    "A law has five constants and needs at least six points; there are %1."_text(points.size()));
    const auto varies = [&](double LawPoint::*member) {
        const auto [least, most] = std::minmax_element(
            points.begin(), points.end(), [&](const LawPoint& a, const LawPoint& b) { return a.*member < b.*member; });
        return (*most).*member > 1.2 * (*least).*member;
    };
    if (!varies(&LawPoint::parameters) || !varies(&LawPoint::tokens))
        return fail("points_degenerate", "Sizes and tokens of the points must both vary."_text);
    return {};
}

double logResidual(const std::vector<LawPoint>& points, const ParametricLaw& law) {
    double sum = 0;
    for (const LawPoint& p : points) sum += std::pow(std::log(law.loss(p.parameters, p.tokens) / p.loss), 2);
    return std::sqrt(sum / static_cast<double>(points.size()));
}

/// Non-negative least squares in three variables: the best of all subsets whose solution is non-negative.
struct Linear {
    double e = 0, a = 0, b = 0;
    double squares = std::numeric_limits<double>::infinity();
};

class NormalEquations {
public:
    void add(const std::array<double, 3>& x, double y) {
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j) m_xx[i][j] += x[i] * x[j];
            m_xy[i] += x[i] * y;
        }
        m_yy += y * y;
    }

    [[nodiscard]] Linear solve() const {
        Linear best;
        for (unsigned set = 1; set < 8; ++set) {
            const auto c = solve(set);
            if (!c || (*c)[0] < 0 || (*c)[1] < 0 || (*c)[2] < 0) continue;
            double squares = m_yy;
            for (std::size_t i = 0; i < 3; ++i) {
                squares -= 2 * (*c)[i] * m_xy[i];
                for (std::size_t j = 0; j < 3; ++j) squares += (*c)[i] * (*c)[j] * m_xx[i][j];
            }
            if (squares < best.squares) best = {(*c)[0], (*c)[1], (*c)[2], squares};
        }
        return best;
    }

private:
    /// Gauss elimination over the variables of the set.
    [[nodiscard]] std::optional<std::array<double, 3>> solve(unsigned set) const {
        double m[3][4];
        for (std::size_t i = 0; i < 3; ++i) {
            const bool in = (set >> i & 1U) != 0;
            for (std::size_t j = 0; j < 3; ++j) m[i][j] = in && (set >> j & 1U) != 0 ? m_xx[i][j] : i == j ? 1 : 0;
            m[i][3] = in ? m_xy[i] : 0;
        }
        for (std::size_t i = 0; i < 3; ++i) {
            std::size_t pivot = i;
            for (std::size_t k = i + 1; k < 3; ++k)
                if (std::fabs(m[k][i]) > std::fabs(m[pivot][i])) pivot = k;
            if (std::fabs(m[pivot][i]) < 1e-200) return {};
            std::swap(m[i], m[pivot]);
            for (std::size_t k = 0; k < 3; ++k) {
                if (k == i) continue;
                const double factor = m[k][i] / m[i][i];
                for (std::size_t j = i; j < 4; ++j) m[k][j] -= factor * m[i][j];
            }
        }
        return std::array<double, 3>{m[0][3] / m[0][0], m[1][3] / m[1][1], m[2][3] / m[2][2]};
    }

    double m_xx[3][3] = {}, m_xy[3] = {}, m_yy = 0;
};

/// Points with logarithms around their means: then exponents and constants are nearly uncorrelated.
class Fitter {
public:
    explicit Fitter(const std::vector<LawPoint>& points) {
        m_points.reserve(points.size());
        for (const LawPoint& p : points) {
            m_meanN += std::log(p.parameters) / static_cast<double>(points.size());
            m_meanD += std::log(p.tokens) / static_cast<double>(points.size());
        }
        for (const LawPoint& p : points)
            m_points.push_back({std::log(p.parameters) - m_meanN, std::log(p.tokens) - m_meanD, std::log(p.loss)});
    }

    /// E, A, B from relative errors for these exponents.
    [[nodiscard]] Linear linear(double alpha, double beta) const {
        NormalEquations equations;
        for (const Logs& p : m_points) {
            const double weight = std::exp(-p.loss);
            equations.add({weight, weight * std::exp(-alpha * p.n), weight * std::exp(-beta * p.d)}, 1);
        }
        return equations.solve();
    }

    [[nodiscard]] ParametricLaw law(const Linear& l, double alpha, double beta) const {
        return {l.e, l.a * std::exp(alpha * m_meanN), l.b * std::exp(beta * m_meanD), alpha, beta};
    }

    /// Variables: ln E, ln A', ln B' (of centred logarithms), alpha, beta.
    [[nodiscard]] Point<5> start(const ParametricLaw& l) const {
        return {std::log(std::max(l.e, 1e-6)), std::log(std::max(l.a, 1e-9)) - l.alpha * m_meanN,
                std::log(std::max(l.b, 1e-9)) - l.beta * m_meanD, l.alpha, l.beta};
    }
    [[nodiscard]] ParametricLaw law(const Point<5>& x) const {
        return {std::exp(x[0]), std::exp(x[1] + x[3] * m_meanN), std::exp(x[2] + x[4] * m_meanD), x[3], x[4]};
    }

    /// Huber over log residuals in units of delta^2.
    [[nodiscard]] Minimum<5> huber(const Point<5>& from, double delta, double tolerance = 1e-15) const {
        return minimise<5>([this, delta](const Point<5>& x, Point<5>& g) { return huberAt(x, g, delta); }, from,
                           tolerance);
    }

private:
    struct Logs {
        double n, d, loss;
    };

    double huberAt(const Point<5>& x, Point<5>& g, double delta) const {
        double sum = 0;
        g = {};
        const double e = std::exp(x[0]);
        for (const Logs& p : m_points) {
            const double a = std::exp(x[1] - x[3] * p.n), b = std::exp(x[2] - x[4] * p.d);
            const double all = e + a + b;
            const double u = (std::log(all) - p.loss) / delta;
            sum += std::fabs(u) <= 1 ? u * u / 2 : std::fabs(u) - 0.5;
            const double pull = std::clamp(u, -1.0, 1.0) / (delta * all);
            g[0] += pull * e;
            g[1] += pull * a;
            g[2] += pull * b;
            g[3] -= pull * a * p.n;
            g[4] -= pull * b * p.d;
        }
        return sum;
    }

    std::vector<Logs> m_points;
    double m_meanN = 0, m_meanD = 0;
};

}  // namespace

Result<LawFit> fitHuber(const std::vector<LawPoint>& points, double delta) {
    if (const auto ok = enough(points); !ok) return fail(ok.error());
    const Fitter fitter(points);
    double leastLoss = std::numeric_limits<double>::infinity();
    for (const LawPoint& p : points) leastLoss = std::min(leastLoss, p.loss);
    LawFit best;
    best.objective = std::numeric_limits<double>::infinity();
    // Starts: six exponents for size and tokens each, the loss that remains free or at two thirds of the lowest.
    for (const double alpha : {0.15, 0.25, 0.35, 0.45, 0.6, 0.8})
        for (const double beta : {0.15, 0.25, 0.35, 0.45, 0.6, 0.8})
            for (const bool free : {true, false}) {
                Linear l = fitter.linear(alpha, beta);
                if (!free) l.e = leastLoss * 2 / 3;
                const Minimum<5> found = fitter.huber(fitter.start(fitter.law(l, alpha, beta)), delta);
                ++best.numStarts;
                if (!(found.value * delta * delta < best.objective)) continue;
                best.objective = found.value * delta * delta;
                best.law = fitter.law(found.at);
            }
    best.logResidual = logResidual(points, best.law);
    return best;
}

Result<LawFit> fitVariableProjection(const std::vector<LawPoint>& points) {
    if (const auto ok = enough(points); !ok) return fail(ok.error());
    const Fitter fitter(points);
    LawFit best;
    double alpha = 0, beta = 0;
    Linear least;
    const auto look = [&](double a, double b) {
        if (a <= 0 || b <= 0) return;
        const Linear l = fitter.linear(a, b);
        ++best.numStarts;
        if (!(l.squares < least.squares)) return;
        least = l;
        alpha = a;
        beta = b;
    };
    for (int i = 2; i <= 150; ++i)
        for (int j = 2; j <= 150; ++j) look(0.01 * i, 0.01 * j);
    for (double width = 0.01; width > 1e-9; width /= 3) {
        const double a = alpha, b = beta;
        for (int i = -4; i <= 4; ++i)
            for (int j = -4; j <= 4; ++j) look(a + width * i / 4, b + width * j / 4);
    }
    best.law = fitter.law(least, alpha, beta);
    best.objective = least.squares;
    best.logResidual = logResidual(points, best.law);
    return best;
}

Result<std::vector<ParametricLaw>> bootstrapLaws(const std::vector<LawPoint>& points, const LawFit& fit, int count,
                                                 std::uint64_t seed, double delta) {
    if (const auto ok = enough(points); !ok) return fail(ok.error());
    std::mt19937_64 random(seed);
    std::vector<ParametricLaw> laws;
    std::vector<LawPoint> drawn(points.size());
    for (int i = 0; i < count; ++i) {
        for (LawPoint& p : drawn) p = points[random() % points.size()];
        if (!enough(drawn)) continue;  // all of one size: no information about the exponents
        const Fitter fitter(drawn);
        constexpr double kTolerance = 1e-9;  // far below the width of a band
        Minimum<5> best = fitter.huber(fitter.start(fit.law), delta, kTolerance);
        for (const double factor : {0.7, 1.4}) {
            ParametricLaw from = fit.law;
            from.beta *= factor;
            const Linear l = fitter.linear(from.alpha, from.beta);
            const Minimum<5> other =
                fitter.huber(fitter.start(fitter.law(l, from.alpha, from.beta)), delta, kTolerance);
            if (other.value < best.value) best = other;
        }
        laws.push_back(fitter.law(best.at));
    }
    return laws;
}

Band bandOf(const std::vector<ParametricLaw>& laws, const std::function<double(const ParametricLaw&)>& figure,
            double share) {
    if (laws.empty()) {
        const double unknown = std::numeric_limits<double>::quiet_NaN();
        return {unknown, unknown, unknown};
    }
    std::vector<double> values;
    for (const ParametricLaw& law : laws) values.push_back(figure(law));
    std::sort(values.begin(), values.end());
    const auto at = [&](double quantile) {
        const double place = quantile * static_cast<double>(values.size() - 1);
        const auto below = static_cast<std::size_t>(place);
        const std::size_t above = std::min(below + 1, values.size() - 1);
        return values[below] + (values[above] - values[below]) * (place - static_cast<double>(below));
    };
    return {at((1 - share) / 2), at(0.5), at((1 + share) / 2)};
}

}  // namespace slipway
