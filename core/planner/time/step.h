// The time of one optimizer step: passes, communication, schedule, optimizer.
#pragma once

#include "core/planner/plan.h"
#include "core/planner/schedule/played_schedule.h"

namespace slipway {

/// Estimates a step of a config without errors. Unknown peaks or bandwidths give NaN. The timeline shows the played
/// part of a long schedule.
StepEstimate estimateStep(const RunConfig& config, const ClusterSpec& cluster, const PlayedSchedule& played,
                          bool withTimeline);

}  // namespace slipway
