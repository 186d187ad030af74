#include "core/planner/laws/moe_law.h"

#include <cmath>

namespace slipway {

double moeLoss(double activeParameters, double tokens, double experts) {
    const double logExperts = std::log(experts);
    return 35.91 * std::pow(experts, -0.2285) * std::pow(activeParameters, -0.1889 + 0.0098 * logExperts) +
           35.98 * std::pow(experts, 0.5529) * std::pow(tokens, -0.1775 - 0.0259 * logExperts) + 1.3637;
}

double denseEquivalent(double activeParameters, double tokens, double experts) {
    const double wanted = moeLoss(activeParameters, tokens, experts);
    double low = std::log(activeParameters * 1e-3), high = std::log(activeParameters * 1e6);
    for (int i = 0; i < 200; ++i) {
        const double middle = (low + high) / 2;
        (moeLoss(std::exp(middle), tokens, 1) > wanted ? low : high) = middle;
    }
    return std::exp((low + high) / 2) / activeParameters;
}

}  // namespace slipway
