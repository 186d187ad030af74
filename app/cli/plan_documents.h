// What `slipway plan --json` prints.
#pragma once

#include "core/base/json.h"
#include "core/planner/explain/explain.h"
#include "core/planner/memory/listed_hosts.h"
#include "core/planner/plan.h"
#include "core/planner/variants/gain.h"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace slipway {

/// The system whose node is planned with; null for a CPU, which is its own, and where none is known.
const ListedHost* listedNode(const Plan& plan);

/// A plan with its findings, and what following each piece of advice would bring.
Json planJson(const Plan& plan, const std::vector<AdviceGain>& gains);

/// The fields and figures that differ between two plans.
Json differencesJson(const Plan& baseline, const Plan& plan);

/// A figure with its formula, inputs and source.
Json explanationJson(const Explanation& e);

}  // namespace slipway
