// Robust non-linear least squares for a few positive parameters with bounds, in the logarithms of the parameters.
#pragma once

#include <functional>
#include <vector>

namespace slipway {

struct FitSettings {
    double scale = 0.08;          ///< residuals well above lose weight (Cauchy, 1 / (1 + (r / scale)^2))
    std::vector<double> middles;  ///< the most likely parameters before any data; empty: the start
    std::vector<double> spreads;  ///< standard deviations of ln(parameter / middle) before any data
    double leastGain = 1e-5;      ///< least relative decrease of the cost per iteration; below it the fit ends
    int maxIterations = 40;
};

struct FitResult {
    std::vector<double> parameters;
    std::vector<double> uncertainty;  ///< relative standard errors; of the posterior, from its curvature at the end
    double cost = 0;
    int iterations = 0;
};

/// Levenberg-Marquardt (Marquardt 1963, doi 10.1137/0111030) with forward differences; robust by reweighting (Holland and
/// Welsch 1977, doi 10.1080/03610927708827533). Deterministic: same input, same bits.
/// @param residuals for a vector of parameters; always the same number of values, NaN marks a missing observation
FitResult fitLogParameters(const std::function<std::vector<double>(const std::vector<double>&)>& residuals,
                           const std::vector<double>& start, const std::vector<double>& low,
                           const std::vector<double>& high, const FitSettings& settings);

/// Solves A x = b for a symmetric positive definite A (row by row, n x n) by Cholesky; empty when A is not.
std::vector<double> solveSymmetric(std::vector<double> a, std::vector<double> b);

}  // namespace slipway
