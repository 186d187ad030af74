// The time of one optimizer step: passes, communication, schedule, optimizer.
#pragma once

#include "core/planner/plan.h"

namespace slipway {

/// Estimates a step of a config without errors. Unknown peaks or bandwidths give NaN.
StepEstimate estimateStep(const RunConfig& config, const ClusterSpec& cluster, const PipelineSchedule& schedule, bool withTimeline);

/// Largest number of passes that is simulated one by one; longer schedules go on at the steady rate of their last
/// part, and their timeline shows the first part.
constexpr std::int64_t kMaxSimulatedPasses = 20000;

/// Micro-batches to simulate for a schedule of this size: all, or a multiple of pp that keeps the limit.
std::int64_t simulatedMicroBatches(std::int64_t pp, std::int64_t virtualStages, std::int64_t numMicroBatches);

}  // namespace slipway
