// Findings about a plan: what does not fit, what is slow, what is left over. Codes are stable; the window translates.
#pragma once

#include "core/planner/plan.h"

namespace slipway {

/// A rule looks at a finished plan and adds at most one issue.
struct AdviceRule {
    const char* code;
    void (*check)(const Plan& plan, Issues& issues);
};

/// All rules in the order they are shown.
const std::vector<AdviceRule>& adviceRules();

/// What is wrong with the cluster as such, or with this config on it (too few devices, no peak for the precision).
Issues clusterIssues(const RunConfig& config, const ClusterSpec& cluster);

/// Runs every rule over the plan.
Issues advise(const Plan& plan);

}  // namespace slipway
