#include "core/planner/time/tpu_roofline.h"

#include <cmath>
#include <cstdio>

namespace slipway {

double fsdpTokenLimit(double peakFlops, double linkBytesPerSecond, double axes) {
    return peakFlops / linkBytesPerSecond / axes;
}

double mixedTokenLimit(double intensity, double axesProduct, double ffnWidth, RooflineEdition edition) {
    return (edition == RooflineEdition::SumOfBoth ? 4 : 1) * intensity * intensity / (axesProduct * ffnWidth);
}

double mixedCommRatio(double tokensPerChip, double limit) {
    return std::sqrt(limit / tokensPerChip);
}

double bestFsdpDegree(double batchTokens, double chips, double ffnWidth, double axesRatio) {
    return std::sqrt(axesRatio * batchTokens * chips / ffnWidth);
}

double tensorParallelLimit(double ffnWidth, double intensity) {
    return ffnWidth / intensity;
}

double dcnTokenLimit(double peakFlops, double dcnBytesPerSecond) {
    return peakFlops / dcnBytesPerSecond;
}

double torusChips(std::initializer_list<double> axes) {
    double chips = 1;
    for (const double axis : axes) chips *= axis;
    return chips;
}

Message rooflineVerdict(double tokensPerChip, double limit) {
    if (tokensPerChip >= limit) return "compute-bound"_text;
    char factor[32];
    std::snprintf(factor, sizeof factor, "%.1f", limit / tokensPerChip);
    return "communication-bound (%1x short)"_text(std::string(factor));
}

}  // namespace slipway
