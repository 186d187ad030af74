#include "core/planner/laws/repeated_data.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

/// base + base R* (1 - exp(-R / R*)) with R = value / base - 1.
double saturating(double value, double base, double scale) {
    const double repeats = std::max(value / base - 1, 0.0);
    return std::min(value, base) + base * scale * (1 - std::exp(-repeats / scale));
}

}  // namespace

ParametricLaw repeatedDataLaw() {
    return {std::exp(0.6254804), std::exp(6.255414), std::exp(7.3049974), 0.3526596, 0.3526596};
}

double effectiveTokens(double uniqueTokens, double epochs) {
    return saturating(uniqueTokens * epochs, uniqueTokens, kRepeatedTokensScale);
}

double effectiveParameters(double parameters, double uniqueTokens) {
    // alpha = beta, so that the optimum for D tokens is N = G^2 D with G = (A / B)^(1 / (2 alpha)).
    const ParametricLaw law = repeatedDataLaw();
    const double fed = uniqueTokens * std::pow(law.a / law.b, 1 / law.alpha);
    return saturating(parameters, fed, kExcessParametersScale);
}

double repeatedDataLoss(double parameters, double tokens, double uniqueTokens) {
    const double unique = std::min(tokens, uniqueTokens);
    return repeatedDataLaw().loss(effectiveParameters(parameters, unique), effectiveTokens(unique, tokens / unique));
}

RepeatedOptimum repeatedDataOptimum(double flops, double uniqueTokens) {
    const Allocation free = computeOptimal(flops, repeatedDataLaw());
    const auto lossAt = [&](double logSize) {
        const double n = std::exp(logSize);
        return repeatedDataLoss(n, flops / (6 * n), uniqueTokens);
    };
    // From a hundredth to a hundred times the unlimited optimum in even steps, then increasingly close around the best.
    double centre = std::log(free.parameters), width = std::log(100.0);
    for (int round = 0; round < 12; ++round) {
        double best = centre;
        constexpr int kSteps = 100;
        for (int i = -kSteps; i <= kSteps; ++i) {
            const double x = centre + width * i / kSteps;
            if (lossAt(x) < lossAt(best)) best = x;
        }
        centre = best;
        width /= 20;
    }
    RepeatedOptimum result;
    const double n = std::exp(centre);
    result.best = {n, flops / (6 * n)};
    result.epochs = std::max(1.0, result.best.tokens / uniqueTokens);
    result.loss = lossAt(centre);
    result.unlimitedLoss = repeatedDataLaw().loss(free.parameters, free.tokens);
    return result;
}

}  // namespace slipway
