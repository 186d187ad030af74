#include "core/planner/laws/scaling_laws.h"

#include <cmath>
#include <limits>

namespace slipway {

double ParametricLaw::loss(double parameters, double tokens) const {
    return e + a / std::pow(parameters, alpha) + b / std::pow(tokens, beta);
}

ParametricLaw hoffmannLaw() {
    return {std::exp(0.52672), std::exp(6.00734), std::exp(6.01792), 0.33917, 0.28491};
}

ParametricLaw correctedLaw() {
    return {1.8172, 482.01, 2085.43, 0.3478, 0.3658};
}

Allocation computeOptimal(double flops, const ParametricLaw& law) {
    const double sum = law.alpha + law.beta;
    const double g = std::pow(law.alpha * law.a / (law.beta * law.b), 1 / sum);
    return {g * std::pow(flops / 6, law.beta / sum), std::pow(flops / 6, law.alpha / sum) / g};
}

Allocation computeOptimal(double flops, OptimumRule rule) {
    switch (rule) {
        case OptimumRule::TwentyTokens: return {std::sqrt(flops / 120), 20 * std::sqrt(flops / 120)};
        case OptimumRule::Corrected: return computeOptimal(flops, correctedLaw());
        case OptimumRule::Hoffmann: return computeOptimal(flops, hoffmannLaw());
        case OptimumRule::PrintedPair: return {0.1174 * std::pow(flops, 0.4999), 1.6972 * std::pow(flops, 0.5001)};
        case OptimumRule::Llama3: {
            const double tokens = 0.299 * std::pow(flops, 0.537);
            return {flops / (6 * tokens), tokens};
        }
    }
    return {};
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

Allocation servingOptimal(const ParametricLaw& law, double loss, double servedTokens) {
    // Below this size the loss is out of reach; above it cost has one minimum in log N (golden section).
    const double smallest = std::pow(law.a / (loss - law.e), 1 / law.alpha);
    const auto cost = [&](double logSize) {
        const double n = std::exp(logSize);
        return 6 * n * tokensForLoss(law, n, loss) + 2 * n * servedTokens;
    };
    constexpr double kGolden = 0.6180339887498949;
    double low = std::log(smallest * (1 + 1e-9)), high = std::log(smallest * 1e4);
    double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
    for (int i = 0; i < 120; ++i) {
        if (cost(left) < cost(right)) {
            high = right;
            right = left;
            left = high - kGolden * (high - low);
        } else {
            low = left;
            left = right;
            right = low + kGolden * (high - low);
        }
    }
    const double n = std::exp((low + high) / 2);
    return {n, tokensForLoss(law, n, loss)};
}

double effectiveTokens(double uniqueTokens, double epochs) {
    constexpr double kHalfLife = 15.387756;
    const double repeats = std::fmax(epochs - 1, 0);
    return uniqueTokens * std::fmin(epochs, 1) + uniqueTokens * kHalfLife * (1 - std::exp(-repeats / kHalfLife));
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

}  // namespace slipway
