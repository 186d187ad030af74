// Fits L = E + A / N^alpha + B / D^beta to measured points, in two ways that should agree, with bootstrap bands.
//   auto fit = fitHuber(points);   auto bands = bootstrapLaws(points, *fit, 400, 1);
//   bandOf(*bands, [](const ParametricLaw& l) { return computeOptimal(1e25, l).parameters; }, 0.95)
#pragma once

#include "core/base/result.h"
#include "core/planner/laws/law_points.h"
#include "core/planner/laws/scaling_laws.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace slipway {

struct LawFit {
    ParametricLaw law;
    double objective = 0;    ///< the minimized quantity: summed Huber loss, or summed squares of relative errors
    double logResidual = 0;  ///< root of the mean squared log(predicted / measured)
    std::size_t numStarts = 0;
};

/// Huber's loss over the residuals of log L (Hoffmann 2022, eq. 3), summed, not averaged (Besiroglu 2024: averaging
/// made the optimizer stop early). BFGS from a grid of starts, each with A and B by least squares. Errors:
/// "too_few_points" below six, "points_degenerate" when sizes or tokens do not vary.
Result<LawFit> fitHuber(const std::vector<LawPoint>& points, double delta = 1e-3);

/// Variable projection: for given alpha and beta the law is linear in E, A and B, solved by non-negative least squares of
/// relative errors; alpha and beta from a grid in steps of 0.01, then refined. Errors as above.
Result<LawFit> fitVariableProjection(const std::vector<LawPoint>& points);

/// `count` Huber fits to points drawn with replacement; the same seed gives the same laws on any machine.
Result<std::vector<ParametricLaw>> bootstrapLaws(const std::vector<LawPoint>& points, const LawFit& fit, int count,
                                                 std::uint64_t seed, double delta = 1e-3);

struct Band {
    double low = 0, median = 0, high = 0;
};
/// Percentiles of any figure over bootstrapped laws. @param share of the laws inside, e.g. 0.95
Band bandOf(const std::vector<ParametricLaw>& laws, const std::function<double(const ParametricLaw&)>& figure,
            double share);

}  // namespace slipway
