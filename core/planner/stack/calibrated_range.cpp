#include "core/planner/stack/calibrated_range.h"

#include "core/base/real.h"
#include "core/base/units.h"
#include "core/planner/count/parameters.h"
#include "core/planner/stack/stack_links.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace slipway {

namespace {

/// A fit to clusters of up to 16 nodes erred by 4 % there, by 5 to 6 % two doublings on (docs/validation.md); twice that is allowed.
constexpr double kSpreadPerDoubling = 0.05;
/// A run within a quarter of the calibrated range counts as inside.
constexpr double kNear = 1.25;

struct AxisValue {
    CalibratedRange SoftwareStack::*range;
    double value;
    Message name;
};

std::array<AxisValue, 5> axesOf(const RunConfig& config, const ClusterSpec& cluster) {
    using S = SoftwareStack;
    return {AxisValue{&S::nodes, nodesOf(config, cluster), "nodes"_text},
            AxisValue{&S::parameters, countParameters(config.model).total, "parameters"_text},
            AxisValue{&S::sequence, real(config.train.seqLen), "tokens per sequence"_text},
            AxisValue{&S::stages, real(config.parallel.pp), "pipeline stages"_text},
            AxisValue{&S::microBatches, real(config.numMicroBatches()), "micro-batches per step"_text}};
}

/// Doublings outside the range; 0 inside, and without a range.
double doublings(const CalibratedRange& range, double value) {
    if (!(range.high > 0) || !(value > 0)) return 0;
    return std::max({0.0, std::log2(value / range.high), std::log2(range.low / value)});
}

}  // namespace

void cover(SoftwareStack& stack, const RunConfig& config, const ClusterSpec& cluster) {
    for (const AxisValue& axis : axesOf(config, cluster)) {
        CalibratedRange& range = stack.*axis.range;
        range.low = range.high > 0 ? std::min(range.low, axis.value) : axis.value;
        range.high = std::max(range.high, axis.value);
    }
    const std::string precision(wordOf(config.train.precision));
    if (std::find(stack.precisions.begin(), stack.precisions.end(), precision) == stack.precisions.end())
        stack.precisions.push_back(precision);
}

double stepSpread(const SoftwareStack& stack, const RunConfig& config, const ClusterSpec& cluster) {
    double variance = stack.stepSpread * stack.stepSpread;
    for (const AxisValue& axis : axesOf(config, cluster)) {
        const double outside = kSpreadPerDoubling * doublings(stack.*axis.range, axis.value);
        variance += outside * outside;
    }
    return std::sqrt(variance);
}

std::optional<Message> extrapolation(const SoftwareStack& stack, const RunConfig& config, const ClusterSpec& cluster) {
    for (const AxisValue& axis : axesOf(config, cluster)) {
        const CalibratedRange& range = stack.*axis.range;
        if (doublings(range, axis.value) > std::log2(kNear))
            return "%1: %2; the runs that calibrated %3 had %4 to %5"_text(
                axis.name, formatCount(axis.value), stack.name, formatCount(range.low), formatCount(range.high));
    }
    const std::string precision(wordOf(config.train.precision));
    if (!stack.precisions.empty() &&
        std::find(stack.precisions.begin(), stack.precisions.end(), precision) == stack.precisions.end())
        return "number format: %1; no run that calibrated %2 had it"_text(precision, stack.name);
    return {};
}

}  // namespace slipway
