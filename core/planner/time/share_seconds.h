// What a rank's gradients and weights cost a step, as far as it can be said without its passes.
//   shareSeconds(config, dpTraffic(config, share), table).exposed(windowSeconds, computeSeconds)
#pragma once

#include "core/planner/time/step.h"

namespace slipway {

/// Weights that ZeRO-3 gathers hide under this share of the computing: the first layer's come before it.
constexpr double kGatherWindow = 0.8;

/// Seconds of one rank's gradients and weights, by what may hide them.
struct ShareSeconds {
    double gradients = 0;   ///< under backward passes, all but the last bucket
    double lastBucket = 0;  ///< of these
    double hidingPasses =
        1;               ///< micro-batches whose backward passes hide gradients: the last, or all of ZeRO-2 and ZeRO-3
    double weights = 0;  ///< under kGatherWindow of the computing
    double inOpen = 0;   ///< hidden by nothing
    /// What a step waits for.
    /// @param windowSeconds backward passes of one micro-batch on the rank
    /// @param computeSeconds of the critical rank, all micro-batches
    [[nodiscard]] double exposed(double windowSeconds, double computeSeconds) const;
};

/// Of the config's ZeRO stage: buckets of gradients are sent while the last micro-batch still runs backward, from ZeRO-2 on
/// while each does (trainer/optim/unit_shards.h), where overlap is on and copies are free; ZeRO-3 gathers weights while it
/// computes.
ShareSeconds shareSeconds(const RunConfig& config, const StepTraffic& traffic, const TimeTable& table);

}  // namespace slipway
