#include "core/planner/evidence/least_squares.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

/// Weight of a squared distance from the prior relative to squared residuals.
double priorWeight(const FitSettings& s, std::size_t i) {
    return s.scale * s.scale / (s.spreads[i] * s.spreads[i]);
}

/// Cauchy loss of all residuals and of the prior.
double lossOf(const std::vector<double>& residuals, const std::vector<double>& x, const std::vector<double>& x0,
              const FitSettings& s) {
    double sum = 0;
    for (const double r : residuals)
        if (std::isfinite(r)) sum += s.scale * s.scale * std::log1p(r * r / (s.scale * s.scale));
    for (std::size_t i = 0; i < x.size(); ++i) sum += priorWeight(s, i) * (x[i] - x0[i]) * (x[i] - x0[i]);
    return sum;
}

std::vector<double> exponentials(const std::vector<double>& x) {
    std::vector<double> values;
    for (const double v : x) values.push_back(std::exp(v));
    return values;
}

/// Normal equations at one point: J^T W J and -J^T W r, with the prior.
struct Normal {
    std::vector<double> matrix, right;
};

Normal normalEquations(const std::vector<double>& r, const std::vector<std::vector<double>>& columns,
                       const std::vector<double>& x, const std::vector<double>& x0, const FitSettings& s) {
    const std::size_t n = x.size();
    Normal normal{std::vector<double>(n * n, 0), std::vector<double>(n, 0)};
    for (std::size_t k = 0; k < r.size(); ++k) {
        if (!std::isfinite(r[k])) continue;
        const double weight = 1 / (1 + r[k] * r[k] / (s.scale * s.scale));
        for (std::size_t i = 0; i < n; ++i) {
            if (!std::isfinite(columns[i][k])) continue;
            normal.right[i] -= weight * columns[i][k] * r[k];
            for (std::size_t j = 0; j <= i; ++j)
                if (std::isfinite(columns[j][k])) normal.matrix[i * n + j] += weight * columns[i][k] * columns[j][k];
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        normal.matrix[i * n + i] += priorWeight(s, i);
        normal.right[i] -= priorWeight(s, i) * (x[i] - x0[i]);
        for (std::size_t j = 0; j < i; ++j) normal.matrix[j * n + i] = normal.matrix[i * n + j];
    }
    return normal;
}

/// Square roots of the diagonal of the posterior's covariance, scale^2 (J^T W J + prior)^-1.
std::vector<double> standardErrors(const Normal& normal, double scale) {
    const std::size_t n = normal.right.size();
    std::vector<double> errors(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<double> unit(n, 0);
        unit[i] = 1;
        const std::vector<double> column = solveSymmetric(normal.matrix, unit);
        if (!column.empty()) errors[i] = scale * std::sqrt(std::max(0.0, column[i]));
    }
    return errors;
}

}  // namespace

std::vector<double> solveSymmetric(std::vector<double> a, std::vector<double> b) {
    const std::size_t n = b.size();
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = a[i * n + j];
            for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
            if (i != j) {
                a[i * n + j] = sum / a[j * n + j];
            } else {
                if (!(sum > 0)) return {};
                a[i * n + i] = std::sqrt(sum);
            }
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
        b[i] /= a[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
        b[i] /= a[i * n + i];
    }
    return b;
}

FitResult fitLogParameters(const std::function<std::vector<double>(const std::vector<double>&)>& residuals,
                           const std::vector<double>& start, const std::vector<double>& low,
                           const std::vector<double>& high, const FitSettings& settings) {
    const std::size_t n = start.size();
    std::vector<double> x, x0;
    for (const double value : start) x.push_back(std::log(value));
    for (const double value : settings.middles) x0.push_back(std::log(value));
    if (x0.empty()) x0 = x;
    std::vector<double> r = residuals(exponentials(x));
    FitResult result;
    result.cost = lossOf(r, x, x0, settings);
    double damping = 1e-2;
    Normal normal;
    for (; result.iterations < settings.maxIterations; ++result.iterations) {
        constexpr double kStep = 1e-4;
        std::vector<std::vector<double>> columns;
        for (std::size_t i = 0; i < n; ++i) {
            std::vector<double> moved = x;
            moved[i] += kStep;
            columns.push_back(residuals(exponentials(moved)));
            for (std::size_t k = 0; k < r.size(); ++k) columns[i][k] = (columns[i][k] - r[k]) / kStep;
        }
        normal = normalEquations(r, columns, x, x0, settings);
        bool better = false;
        double gain = 0;
        for (int attempt = 0; attempt < 12 && !better; ++attempt, damping *= better ? 1 : 4) {
            std::vector<double> damped = normal.matrix;
            for (std::size_t i = 0; i < n; ++i) damped[i * n + i] *= 1 + damping;
            const std::vector<double> step = solveSymmetric(std::move(damped), normal.right);
            if (step.empty()) continue;
            std::vector<double> next = x;
            for (std::size_t i = 0; i < n; ++i)
                next[i] = std::clamp(x[i] + std::clamp(step[i], -0.7, 0.7), std::log(low[i]), std::log(high[i]));
            std::vector<double> nextResiduals = residuals(exponentials(next));
            const double cost = lossOf(nextResiduals, next, x0, settings);
            if (!(cost < result.cost)) continue;
            better = true;
            gain = (result.cost - cost) / result.cost;
            result.cost = cost;
            x = std::move(next);
            r = std::move(nextResiduals);
            damping = std::max(damping / 5, 1e-7);
        }
        if (!better || gain < settings.leastGain) break;
    }
    result.parameters = exponentials(x);
    result.uncertainty = standardErrors(normal, settings.scale);
    return result;
}

}  // namespace slipway
