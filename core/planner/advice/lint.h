// Mistakes of launch scripts, collected from training sources that make them.
//   for (const Issue& issue : lint(script)) ...
#pragma once

#include "core/planner/advice/advice.h"
#include "core/planner/advice/run_script.h"

#include <vector>

namespace slipway {

/// A rule looks at a script's facts and adds at most one piece of advice.
struct LintRule {
    const char* code;
    const char* evidence;  ///< location or cost of the mistake
    void (*check)(const RunScript& script, Advices& all);
};

/// All rules, the twenty of the inventory in its order, then those added by its rows.
const std::vector<LintRule>& lintRules();
/// Evidence of a rule's code, or null.
const char* evidenceOf(std::string_view code);
/// Runs every rule.
Issues lint(const RunScript& script);

}  // namespace slipway
