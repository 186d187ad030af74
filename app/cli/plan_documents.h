// The output of `slipway plan --json`.
#pragma once

#include "core/base/json.h"
#include "core/planner/explain/explain.h"
#include "core/planner/memory/listed_hosts.h"
#include "core/planner/plan.h"
#include "core/planner/variants/gain.h"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace slipway {

/// The system of the planned node; null for a CPU, which is its own host, and where unknown.
const ListedHost* listedNode(const Plan& plan);

/// A plan with its findings, and the gain of each piece of advice.
Json planJson(const Plan& plan, const std::vector<AdviceGain>& gains);

/// The differing fields and figures of two plans.
Json differencesJson(const Plan& baseline, const Plan& plan);

/// A figure with its formula, inputs and source.
Json explanationJson(const Explanation& e);

}  // namespace slipway
