// Findings about a plan: memory overruns, slow parts, unused resources. Codes are stable.
#pragma once

#include "core/base/message.h"
#include "core/planner/values/forecast.h"

namespace slipway {

/// An issue with an untranslated message.
struct Advice {
    Severity severity = Severity::Info;
    const char* code;
    const char* field;
    Message sentence;
};
using Advices = std::vector<Advice>;

/// The advice as an issue.
Issue issueOf(const Advice& advice);

/// A rule looks at a finished plan and adds at most one piece of advice.
struct AdviceRule {
    const char* code;
    void (*check)(const Plan& plan, Advices& all);
};

/// Idle share of a pipeline's time above which another layout is advised.
constexpr double kMostBubble = 0.2;

/// All rules in display order.
const std::vector<AdviceRule>& adviceRules();

/// Problems of the cluster itself, or of this config on it (too few devices, no peak for the precision).
Advices clusterAdvice(const RunConfig& config, const ClusterSpec& cluster);

/// Runs every rule over the plan.
Advices advise(const Plan& plan);

}  // namespace slipway
