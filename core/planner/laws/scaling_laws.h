// Scaling laws: how loss depends on parameters and tokens, and how to split a compute budget.
//   computeOptimal(5.88e23, OptimumRule::TwentyTokens) == {70e9 parameters, 1.4e12 tokens}
#pragma once

#include "core/base/field_table.h"

#include <array>
#include <vector>

namespace slipway {

/// L(N, D) = E + A / N^alpha + B / D^beta (Hoffmann 2022, arXiv 2203.15556, approach 3).
struct ParametricLaw {
    double e = 0, a = 0, b = 0, alpha = 0, beta = 0;
    [[nodiscard]] double loss(double parameters, double tokens) const;
};

/// As printed in the paper: 1.69, 406.4, 410.7, 0.34, 0.28. Rounded exponents shift the optimum; unrounded values from
/// epoch-research/analyzing-chinchilla.
ParametricLaw hoffmannLaw();
/// Refit of the same points after the mistake in the optimisation was found (Besiroglu 2024, arXiv 2404.10102).
ParametricLaw correctedLaw();

/// Ways to split C = 6 N D.
enum class OptimumRule { TwentyTokens, Corrected, Hoffmann, PrintedPair, Llama3 };
constexpr auto enumNames(OptimumRule) {
    return std::array{EnumName<OptimumRule>{OptimumRule::TwentyTokens, "twenty_tokens", "20 tokens per parameter"},
                      EnumName<OptimumRule>{OptimumRule::Corrected, "corrected", "parametric fit, Besiroglu 2024"},
                      EnumName<OptimumRule>{OptimumRule::Hoffmann, "hoffmann", "parametric fit, Hoffmann 2022"},
                      EnumName<OptimumRule>{OptimumRule::PrintedPair, "printed_pair",
                                            "N = 0.1174 C^0.4999, D = 1.6972 C^0.5001; overspends C by 19.6 %"},
                      EnumName<OptimumRule>{OptimumRule::Llama3, "llama3", "D = 0.299 C^0.537"}};
}

struct Allocation {
    double parameters = 0;
    double tokens = 0;
    [[nodiscard]] double tokensPerParameter() const { return tokens / parameters; }
    /// 6 N D over the budget: 1 for a rule that keeps its own promise.
    [[nodiscard]] double spentShare(double flops) const { return 6 * parameters * tokens / flops; }
};

/// @param flops training compute C
Allocation computeOptimal(double flops, OptimumRule rule);
/// Closed form for any parametric law: G (C/6)^(beta/(alpha+beta)) parameters, G = (alpha A / (beta B))^(1/(alpha+beta)).
Allocation computeOptimal(double flops, const ParametricLaw& law);
/// Fewest tokens by the rule of 20.
double minimumTokens(double parameters);
/// Tokens over the rule-of-20 optimum.
double overtrainingFactor(double parameters, double tokens);

/// Kaplan 2020 (arXiv 2001.08361, eq. 1.1): (Nc / N)^alphaN; defaults 8.8e13 and 0.076, non-embedding parameters.
double kaplanLoss(double parameters, double criticalParameters = 8.8e13, double alpha = 0.076);
/// The joint form, eq. 1.5: [(Nc/N)^(aN/aD) + Dc/D]^aD with aN 0.076, aD 0.103, Nc 6.4e13, Dc 1.8e13.
double kaplanJointLoss(double parameters, double tokens);

/// A model `times` the optimal size for its loss: how many times the optimal data it needs, and the compute it costs
/// over the optimum (Harm de Vries, "Go smol or go home").
struct SizeTradeoff {
    double dataTimes = 0;
    double computeTimes = 0;
};
SizeTradeoff sizeTradeoff(const ParametricLaw& law, double flops, double sizeTimes);

/// Least training plus serving compute 6 N D + 2 N D_serve at a fixed loss (Sardana 2023, arXiv 2401.00448).
Allocation servingOptimal(const ParametricLaw& law, double loss, double servedTokens);
/// Tokens a model of this size needs for a loss; infinite when it can never reach it.
double tokensForLoss(const ParametricLaw& law, double parameters, double loss);

/// Repeated data count less (Muennighoff 2023, arXiv 2305.16264, eq. 5): U + U R* (1 - exp(-R / R*)), R repeats after
/// the first epoch, R* = 15.387756.
double effectiveTokens(double uniqueTokens, double epochs);

/// Points of equal compute for a curve: sizes from `low` to `high` in even steps of log N.
struct IsoFlopPoint {
    double parameters = 0, tokens = 0, loss = 0;
};
std::vector<IsoFlopPoint> isoFlopCurve(const ParametricLaw& law, double flops, double low, double high, int points);

}  // namespace slipway
