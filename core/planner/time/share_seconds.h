// What a rank's gradients and weights cost a step, as far as it can be said without its passes.
//   shareSeconds(config, dpTraffic(config, share), table).exposed(windowSeconds, computeSeconds)
#pragma once

#include "core/planner/time/step.h"

namespace slipway {

/// Weights that ZeRO-3 gathers hide under this share of the computing: the first layer's come before it.
constexpr double kGatherWindow = 0.8;

/// Seconds of one rank's gradients and weights, by what may hide them.
struct ShareSeconds {
    double gradients = 0;   ///< under the backward passes of the last micro-batch, all but the last bucket
    double lastBucket = 0;  ///< of these
    double weights = 0;     ///< under kGatherWindow of the computing
    double inOpen = 0;      ///< hidden by nothing
    /// What a step waits for.
    /// @param windowSeconds backward passes of one micro-batch on the rank
    /// @param computeSeconds of the critical rank, all micro-batches
    [[nodiscard]] double exposed(double windowSeconds, double computeSeconds) const;
};

/// Of the config's ZeRO stage: buckets of gradients go out while the last micro-batch still runs backward, where the planner is told
/// so and copies are free; ZeRO-3 gathers weights while it computes; a calibrated stack has a fitted share of the reduction.
ShareSeconds shareSeconds(const RunConfig& config, const StepTraffic& traffic, const TimeTable& table);

}  // namespace slipway
