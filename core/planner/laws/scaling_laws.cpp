#include "core/planner/laws/scaling_laws.h"

#include "core/planner/laws/repeated_data.h"

#include <array>
#include <cmath>
#include <functional>
#include <limits>

namespace slipway {

double ParametricLaw::loss(double parameters, double tokens) const {
    return e + a / std::pow(parameters, alpha) + b / std::pow(tokens, beta);
}

namespace {

/// A power of C through two rows of a table. Printed exponents are rounded to two digits, which shifts the ends. The
/// rows of approach 1 and 2 were entered without the paper at hand; the available checks agree: they reproduce the
/// printed exponents (0.49803 and 0.48985 for 0.50 and 0.49) and 67.9 B and 63.7 B parameters at Gopher's 5.76e23 FLOP.
double throughRows(double flops, double lowFlops, double lowParameters, double highFlops, double highParameters) {
    const double power = std::log(highParameters / lowParameters) / std::log(highFlops / lowFlops);
    return lowParameters * std::pow(flops / lowFlops, power);
}

Allocation withTokens(double flops, double parameters) {
    return {parameters, flops / (6 * parameters)};
}

double bisectFlops(double wanted, const std::function<double(double)>& grows) {
    double low = std::log(1.0), high = std::log(1e40);
    for (int i = 0; i < 200; ++i) {
        const double middle = (low + high) / 2;
        (grows(std::exp(middle)) < wanted ? low : high) = middle;
    }
    return std::exp((low + high) / 2);
}

}  // namespace

ParametricLaw hoffmannPrintedLaw() {
    return {1.69, 406.4, 410.7, 0.34, 0.28};
}

ParametricLaw hoffmannLaw() {
    return {std::exp(0.52672), std::exp(6.00734), std::exp(6.01792), 0.33917, 0.28491};
}

ParametricLaw correctedLaw() {
    return {1.8172, 482.01, 2085.43, 0.3478, 0.3658};
}

const ParametricLaw* parametricLawOf(OptimumRule rule) {
    static const ParametricLaw corrected = correctedLaw(), hoffmann = hoffmannLaw(), printed = hoffmannPrintedLaw(),
                               repeated = repeatedDataLaw();
    switch (rule) {
        case OptimumRule::Corrected: return &corrected;
        case OptimumRule::Hoffmann: return &hoffmann;
        case OptimumRule::HoffmannPrinted: return &printed;
        case OptimumRule::Repeated: return &repeated;
        default: return nullptr;
    }
}

const RuleFacts& factsOf(OptimumRule rule) {
    using R = OptimumRule;
    static const std::array<RuleFacts, 11> facts = {
        {{R::Corrected, "1.8172 + 482.01 / N^0.3478 + 2085.43 / D^0.3658", "Besiroglu 2024, arXiv 2404.10102",
          "Refit of Hoffmann's points; 95 %: alpha 0.317 to 0.373, beta 0.331 to 0.415."_text},
         {R::TwentyTokens, "N = (C / 120)^0.5, D = 20 N", "rule of thumb after Hoffmann 2022",
          "Chinchilla itself: 70 B parameters, 1.4 T tokens."_text},
         {R::Approach1, "N = 400e6 (C / 1.92e19)^0.49803, D = C / 6N",
          "Hoffmann 2022, arXiv 2203.15556, table 3 (first and last row)",
          "The paper prints the exponent as 0.50."_text},
         {R::Approach2, "N = 400e6 (C / 1.84e19)^0.48985, D = C / 6N",
          "Hoffmann 2022, arXiv 2203.15556, table A3 (first and last row)",
          "The paper prints the exponent as 0.49; parabolas through isoFLOP points are biased."_text},
         {R::Hoffmann, "1.6934 + 406.4 / N^0.33917 + 410.7 / D^0.28491",
          "Hoffmann 2022, unrounded in epoch-research/analyzing-chinchilla",
          "The optimiser had stopped early; kept to compare."_text},
         {R::HoffmannPrinted, "1.69 + 406.4 / N^0.34 + 410.7 / D^0.28", "Hoffmann 2022, eq. 10",
          "Rounded exponents move the optimum."_text},
         {R::PrintedPair, "N = 0.1174 C^0.4999, D = 1.6972 C^0.5001", "guide to training 100B+ models, section 1.2",
          "6ND is 1.1955 C: it overspends the budget by 19.6 % and is found in no paper."_text},
         {R::Kaplan, "N = 1.3e9 (C / PF-day)^0.73, D = C / 6N", "Kaplan 2020, arXiv 2001.08361, table 6",
          "Counts non-embedding parameters; short warm-up and untuned schedules favoured large models."_text},
         {R::Llama3, "D = 0.299 C^0.537, N = C / 6D", "Llama 3, arXiv 2407.21783, section 3.2.1",
          "The rounded pair 0.29, 0.53 of the text gives 10.5 T instead of 16.3 T tokens at 3.8e25."_text},
         {R::DeepSeek, "M = 0.1715 C^0.5243 FLOP/token, D = 5.8316 C^0.4757, N = M / 6",
          "DeepSeek LLM, arXiv 2401.02954, eq. 4",
          "M counts attention and no embeddings; N is its size as M / 6."_text},
         {R::Repeated, "1.869 + 520.8 / N^0.3527 + 1487.7 / D^0.3527", "Muennighoff 2023, arXiv 2305.16264",
          "Fitted on C4; repetition is the topic `repeat`."_text}}};
    return facts[static_cast<std::size_t>(rule)];
}

SourceText ruleLabel(std::string_view word) {
    for (const auto& name : enumNames(OptimumRule{}))
        if (name.word == word) return name.label;
    return {};
}

Allocation computeOptimal(double flops, const ParametricLaw& law) {
    const double sum = law.alpha + law.beta;
    const double g = std::pow(law.alpha * law.a / (law.beta * law.b), 1 / sum);
    return {g * std::pow(flops / 6, law.beta / sum), std::pow(flops / 6, law.alpha / sum) / g};
}

Allocation computeOptimal(double flops, OptimumRule rule) {
    constexpr double kPetaflopDay = 8.64e19;
    if (const ParametricLaw* law = parametricLawOf(rule)) return computeOptimal(flops, *law);
    switch (rule) {
        case OptimumRule::TwentyTokens: return {std::sqrt(flops / 120), 20 * std::sqrt(flops / 120)};
        case OptimumRule::Approach1: return withTokens(flops, throughRows(flops, 1.92e19, 400e6, 1.30e28, 10e12));
        case OptimumRule::Approach2: return withTokens(flops, throughRows(flops, 1.84e19, 400e6, 1.75e28, 10e12));
        case OptimumRule::PrintedPair: return {0.1174 * std::pow(flops, 0.4999), 1.6972 * std::pow(flops, 0.5001)};
        case OptimumRule::Kaplan: return withTokens(flops, 1.3e9 * std::pow(flops / kPetaflopDay, 0.73));
        case OptimumRule::Llama3: {
            const double tokens = 0.299 * std::pow(flops, 0.537);
            return {flops / (6 * tokens), tokens};
        }
        case OptimumRule::DeepSeek: return {0.1715 * std::pow(flops, 0.5243) / 6, 5.8316 * std::pow(flops, 0.4757)};
        default: return {};
    }
}

bool keepsSixNd(double flops, double parameters, double tokens) {
    return std::fabs(Allocation{parameters, tokens}.spentShare(flops) - 1) <= 0.05;
}

double flopsForParameters(OptimumRule rule, double parameters) {
    return bisectFlops(parameters, [&](double flops) { return computeOptimal(flops, rule).parameters; });
}

double flopsForTokens(OptimumRule rule, double tokens) {
    return bisectFlops(tokens, [&](double flops) { return computeOptimal(flops, rule).tokens; });
}

double minimumTokens(double parameters) {
    return 20 * parameters;
}

double overtrainingFactor(double parameters, double tokens) {
    return tokens / minimumTokens(parameters);
}

double kaplanLoss(double parameters, double criticalParameters, double alpha) {
    return std::pow(criticalParameters / parameters, alpha);
}

double kaplanJointLoss(double parameters, double tokens) {
    return std::pow(std::pow(6.4e13 / parameters, 0.076 / 0.103) + 1.8e13 / tokens, 0.103);
}

double tokensForLoss(const ParametricLaw& law, double parameters, double loss) {
    const double rest = loss - law.e - law.a / std::pow(parameters, law.alpha);
    return rest > 0 ? std::pow(law.b / rest, 1 / law.beta) : std::numeric_limits<double>::infinity();
}

SizeTradeoff sizeTradeoff(const ParametricLaw& law, double flops, double sizeTimes) {
    const Allocation best = computeOptimal(flops, law);
    const double tokens = tokensForLoss(law, best.parameters * sizeTimes, law.loss(best.parameters, best.tokens));
    const double dataTimes = tokens / best.tokens;
    return {dataTimes, sizeTimes * dataTimes};
}

std::vector<IsoFlopPoint> isoFlopCurve(const ParametricLaw& law, double flops, double low, double high, int points) {
    std::vector<IsoFlopPoint> curve;
    for (int i = 0; i < points; ++i) {
        const double n = low * std::pow(high / low, points > 1 ? static_cast<double>(i) / (points - 1) : 0);
        const double tokens = flops / (6 * n);
        curve.push_back({n, tokens, law.loss(n, tokens)});
    }
    return curve;
}

double parabolaOptimum(const std::vector<IsoFlopPoint>& curve) {
    // Least squares of loss = c0 + c1 x + c2 x^2 with x = ln N around its mean; the vertex is -c1 / (2 c2).
    double mean = 0;
    for (const IsoFlopPoint& p : curve) mean += std::log(p.parameters) / static_cast<double>(curve.size());
    double s[5] = {}, t[3] = {};
    for (const IsoFlopPoint& p : curve) {
        const double x = std::log(p.parameters) - mean;
        double power = 1;
        for (int i = 0; i < 5; ++i, power *= x) {
            s[i] += power;
            if (i < 3) t[i] += power * p.loss;
        }
    }
    const double det =
        s[0] * (s[2] * s[4] - s[3] * s[3]) - s[1] * (s[1] * s[4] - s[3] * s[2]) + s[2] * (s[1] * s[3] - s[2] * s[2]);
    const double c1 =
        s[0] * (t[1] * s[4] - t[2] * s[3]) - t[0] * (s[1] * s[4] - s[3] * s[2]) + s[2] * (s[1] * t[2] - t[1] * s[2]);
    const double c2 =
        s[0] * (s[2] * t[2] - s[3] * t[1]) - s[1] * (s[1] * t[2] - t[1] * s[2]) + t[0] * (s[1] * s[3] - s[2] * s[2]);
    if (curve.size() < 3 || !(c2 / det > 0)) return std::numeric_limits<double>::quiet_NaN();
    return std::exp(mean - c1 / (2 * c2));
}

}  // namespace slipway
