// Scaling laws: loss by parameters and tokens, and the split of a compute budget.
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

/// As printed in the paper (eq. 10): 1.69, 406.4, 410.7, 0.34, 0.28. Rounded exponents shift the optimum.
ParametricLaw hoffmannPrintedLaw();
/// The same fit unrounded (epoch-research/analyzing-chinchilla).
ParametricLaw hoffmannLaw();
/// Refit of the same points after the mistake in the optimisation was found (Besiroglu 2024, arXiv 2404.10102).
ParametricLaw correctedLaw();

/// Ways to split C = 6 N D.
enum class OptimumRule {
    Corrected,
    TwentyTokens,
    Approach1,
    Approach2,
    Hoffmann,
    HoffmannPrinted,
    PrintedPair,
    Kaplan,
    Llama3,
    DeepSeek,
    Repeated
};
constexpr auto enumNames(OptimumRule) {
    using R = OptimumRule;
    using N = EnumName<OptimumRule>;
    return std::array{
        N{R::Corrected, "corrected", "parametric fit, Besiroglu 2024"_text, "Corrected Chinchilla"_text},
        N{R::TwentyTokens, "twenty_tokens", "20 tokens per parameter"_text, "20 tokens per parameter"_text},
        N{R::Approach1, "approach_1", "Hoffmann 2022, lowest loss over training curves"_text,
          "Hoffmann, approach 1"_text},
        N{R::Approach2, "approach_2", "Hoffmann 2022, isoFLOP profiles"_text, "Hoffmann, approach 2"_text},
        N{R::Hoffmann, "hoffmann", "Hoffmann 2022, parametric fit (approach 3)"_text, "Hoffmann, approach 3"_text},
        N{R::HoffmannPrinted, "hoffmann_printed", "approach 3 with the rounded figures of the paper"_text,
          "Hoffmann, eq. 10 as printed"_text},
        N{R::PrintedPair, "printed_pair", "a guide's pair of powers; overspends C by 19.6 %"_text,
          "Guide's pair, as printed"_text},
        N{R::Kaplan, "kaplan", "Kaplan 2020"_text, "Kaplan"_text},
        N{R::Llama3, "llama3", "Llama 3"_text, "Llama 3"_text},
        N{R::DeepSeek, "deepseek", "DeepSeek LLM"_text, "DeepSeek LLM"_text},
        N{R::Repeated, "repeated_data", "Muennighoff 2023, without repetition"_text, "Muennighoff"_text}};
}
/// Display name of the rule of this word.
SourceText ruleLabel(std::string_view word);

/// A rule, in its source's words and in ours.
struct RuleFacts {
    OptimumRule rule;
    const char* formula;
    const char* source;
    SourceText note;
};
const RuleFacts& factsOf(OptimumRule rule);
/// The loss behind a rule; null for rules that are only powers of C.
const ParametricLaw* parametricLawOf(OptimumRule rule);

struct Allocation {
    double parameters = 0;
    double tokens = 0;
    [[nodiscard]] double tokensPerParameter() const { return tokens / parameters; }
    /// 6 N D over the budget: 1 for a self-consistent rule.
    [[nodiscard]] double spentShare(double flops) const { return 6 * parameters * tokens / flops; }
};

/// @param flops training compute C
Allocation computeOptimal(double flops, OptimumRule rule);
/// True when parameters, tokens and compute do not contradict each other: 6 N D within a twentieth of C. Published figures are rounded;
/// Chinchilla's own differ by 2 %.
bool keepsSixNd(double flops, double parameters, double tokens);
/// Budget whose optimum has this many parameters, or this many tokens (bisection; every rule grows with C).
double flopsForParameters(OptimumRule rule, double parameters);
double flopsForTokens(OptimumRule rule, double tokens);
/// Closed form for any parametric law: G (C/6)^(beta/(alpha+beta)) parameters, G = (alpha A / (beta B))^(1/(alpha+beta)).
Allocation computeOptimal(double flops, const ParametricLaw& law);
/// Fewest tokens by the rule of 20.
double minimumTokens(double parameters);
/// Tokens over the rule-of-20 optimum.
double overtrainingFactor(double parameters, double tokens);

/// Formulas as text.
constexpr const char* kKaplanFormula = "(8.8e13 / N)^0.076";
constexpr const char* kKaplanJointFormula = "((6.4e13 / N)^(0.076 / 0.103) + 1.8e13 / D)^0.103";
/// Kaplan 2020 (arXiv 2001.08361, eq. 1.1): (Nc / N)^alphaN; defaults 8.8e13 and 0.076 (the paper's
/// figures for infinite data, section 1.2), N without embeddings.
double kaplanLoss(double parameters, double criticalParameters = 8.8e13, double alpha = 0.076);
/// The joint form, eq. 1.5: [(Nc/N)^(aN/aD) + Dc/D]^aD with aN 0.076, aD 0.103, Nc 6.4e13, Dc 1.8e13 (table 2).
double kaplanJointLoss(double parameters, double tokens);

/// A model `times` the optimal size for its loss: required data and compute as multiples of the optimum's (Harm de
/// Vries, "Go smol or go home").
struct SizeTradeoff {
    double dataTimes = 0;
    double computeTimes = 0;
};
SizeTradeoff sizeTradeoff(const ParametricLaw& law, double flops, double sizeTimes);

/// Tokens to reach a loss with a model of this size; infinite when it can never reach it.
double tokensForLoss(const ParametricLaw& law, double parameters, double loss);

/// Points of equal compute for a curve: sizes from `low` to `high` in even steps of log N.
struct IsoFlopPoint {
    double parameters = 0, tokens = 0, loss = 0;
};
std::vector<IsoFlopPoint> isoFlopCurve(const ParametricLaw& law, double flops, double low, double high, int points);
/// Lowest point of a parabola through loss over log N (Hoffmann's approach 2). Its size is biased where the curve is
/// asymmetric, as iso-FLOP curves are. NaN when the curve does not bend upwards or has fewer than three points.
double parabolaOptimum(const std::vector<IsoFlopPoint>& curve);

}  // namespace slipway
