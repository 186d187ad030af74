// Fits the thresholds of a stack's stalls to runs of which calibration knows how they went.
#pragma once

#include "core/planner/stack/stack_costs.h"

#include <optional>
#include <vector>

namespace slipway {

/// A measured run: what decides, and which of two forecasts it was nearer to.
struct StallObservation {
    StallFacts facts;
    PeakBytes peak;                ///< forecast
    std::optional<bool> stalled;   ///< by its step time; empty where the two forecasts are too alike
    std::optional<bool> gathered;  ///< by its memory
};

/// Fewest runs that a threshold must tell right that would be told wrong without it.
constexpr std::int64_t kRunsPerThreshold = 3;

/// No layout waits or gathers again any more but for want of memory: every threshold but those in bytes is "never".
void forgetCircumstances(StackProfile& profile);

/// Starts from "never" and takes the thresholds, one circumstance after the other, that tell most runs right, until no
/// more are. Deterministic. The forms of the circumstances are isCongested()'s.
/// @param deviceBytes memory of a device: inputs that need more cannot have been kept
void fitStallThresholds(const std::vector<StallObservation>& runs, double deviceBytes, StackProfile& profile);

/// Runs told right, of stalled and gathered together.
std::int64_t agreement(const std::vector<StallObservation>& runs, const StackProfile& profile);

}  // namespace slipway
