// Findings about a plan: what does not fit, what is slow, what is left over. Codes are stable; the window translates.
#pragma once

#include "core/planner/plan.h"
#include "core/planner/sentence.h"

namespace slipway {

/// An issue whose sentence can be said in other languages; a name where it cannot yet.
struct Advice {
    Severity severity = Severity::Info;
    const char* code;
    const char* field;
    Sentence sentence;
};
using Advices = std::vector<Advice>;

/// The advice with its sentence in English, ASCII.
Issue issueOf(const Advice& advice);

/// A rule looks at a finished plan and adds at most one piece of advice.
struct AdviceRule {
    const char* code;
    void (*check)(const Plan& plan, Advices& all);
};

/// All rules in the order they are shown.
const std::vector<AdviceRule>& adviceRules();

/// What is wrong with the cluster as such, or with this config on it (too few devices, no peak for the precision).
Advices clusterAdvice(const RunConfig& config, const ClusterSpec& cluster);

/// Runs every rule over the plan.
Advices advise(const Plan& plan);

/// Both, as they stand in plan.issues behind what is wrong with the config.
Advices allAdvice(const Plan& plan);

}  // namespace slipway
