#include "core/planner/laws/serving.h"

#include <limits>

namespace slipway {

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

double breakEvenServedTokens(const ParametricLaw& law, double flops, double sizeTimes) {
    const Allocation best = computeOptimal(flops, law);
    const double smaller = best.parameters * sizeTimes;
    const double tokens = tokensForLoss(law, smaller, law.loss(best.parameters, best.tokens));
    if (sizeTimes >= 1 || !std::isfinite(tokens)) return std::numeric_limits<double>::infinity();
    return (6 * smaller * tokens - flops) / (2 * (best.parameters - smaller));
}

}  // namespace slipway
