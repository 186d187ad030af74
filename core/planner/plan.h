// The plan of a training run: memory, time and cost of a config on a cluster, before any start.
//   Plan plan = makePlan(config, cluster);   plan.step.stepSeconds, plan.memoryPeakBytes, plan.issues
#pragma once

#include "core/base/json.h"
#include "core/planner/count/flops.h"
#include "core/planner/count/parameters.h"
#include "core/planner/values/forecast.h"

namespace slipway {

/// Plans a run. Pure; well under 5 ms. A config with errors yields a Plan with the reasons as issues and NaN figures.
Plan makePlan(const RunConfig& config, const ClusterSpec& cluster);

/// The forecast in documents (plan.json, `slipway plan --json`, trials[].forecast). Unknown figures are null.
Json forecastJson(const Plan& plan);

}  // namespace slipway
