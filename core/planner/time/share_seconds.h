// Cost of a rank's gradients and weights in a step, as far as it is known without its passes.
//   shareSeconds<double>(config, dpTraffic(config, share), table).exposed(windowSeconds, computeSeconds)
#pragma once

#include "core/planner/terms/term.h"
#include "core/planner/time/step.h"

namespace slipway {

/// ZeRO-3's weight gathers hide under this share of the computing: the first layer's come before it.
constexpr double kGatherWindow = 0.8;

/// Seconds of one rank's gradients and weights, by the work that may hide them.
template <class Number>
struct ShareSecondsOf {
    Number gradients{};   ///< under backward passes, all but the last bucket
    Number lastBucket{};  ///< of these
    Number hidingPasses =
        1.0;           ///< micro-batches whose backward passes hide gradients: the last, or all of ZeRO-2 and ZeRO-3
    Number weights{};  ///< under kGatherWindow of the computing
    Number inOpen{};   ///< exposed
    /// Exposed seconds of a step.
    /// @param windowSeconds backward passes of one micro-batch on the rank
    /// @param computeSeconds of the critical rank, all micro-batches
    [[nodiscard]] Number exposed(const Number& windowSeconds, const Number& computeSeconds) const {
        Number seconds = inOpen;
        if (gradients > 0.0) seconds += larger(gradients - hidingPasses * windowSeconds, lastBucket);
        if (weights > 0.0) seconds += larger(0.0, weights - kGatherWindow * computeSeconds);
        return seconds;
    }
};
using ShareSeconds = ShareSecondsOf<double>;

/// For the config's ZeRO stage: buckets of gradients are sent while the last micro-batch still runs backward, from
/// ZeRO-2 on during each one (trainer/optim/unit_shards.h), where overlap is on; ZeRO-3 gathers weights while it computes.
/// Nothing hides where copies are not free. For double and for Term.
template <class Number>
ShareSecondsOf<Number> shareSeconds(const RunConfig& config, const StepTraffic& traffic, const TimeTable& table);

}  // namespace slipway
