#include "core/planner/plan.h"

#include "core/base/units.h"
#include "core/planner/advice/advice.h"
#include "core/planner/cost/cost.h"
#include "core/planner/memory/memory.h"
#include "core/planner/stack/calibrated_range.h"
#include "core/planner/stack/chosen_stack.h"
#include "core/planner/time/step.h"
#include "core/spec/trainer_notes.h"

#include <algorithm>

namespace slipway {

/// Smaller chances of waiting are not mentioned.
constexpr double kWorthSaying = 0.05;

Plan makePlan(const RunConfig& config, const ClusterSpec& cluster) {
    Plan plan;
    plan.config = config;
    plan.cluster = cluster;
    plan.issues = validate(config);
    if (auto issue = softwareIssue(config, cluster)) plan.issues.push_back(std::move(*issue));
    if (hasErrors(plan.issues)) return plan;
    plan.parameters = countParameters(config.model);
    for (const Advice& advice : clusterAdvice(config, cluster)) plan.issues.push_back(issueOf(advice));
    const auto schedule = sampleSchedule(config.parallel.schedule, config.parallel.pp, config.numMicroBatches(),
                                         config.parallel.virtualStages);
    if (!schedule) {
        plan.issues.push_back({Severity::Error, schedule.error().code, schedule.error().where, schedule.error().message,
                               schedule.error().source});
        return plan;
    }
    plan.memory = stageMemory(config, cluster, *schedule);
    const auto worst = std::max_element(
        plan.memory.begin(), plan.memory.end(),
        [](const StageMemory& a, const StageMemory& b) { return a.bytes.totalBytes() < b.bytes.totalBytes(); });
    plan.worstStage = static_cast<std::size_t>(worst - plan.memory.begin());
    plan.memoryPeakBytes = worst->bytes.totalBytes();
    plan.memoryCapacityBytes = capacityPerRank(config, cluster);
    plan.step = estimateStep(config, cluster, *schedule, true);
    plan.cost = estimateCost(config, cluster, plan.step.stepSeconds);
    if (cluster.stack)
        if (const auto axis = extrapolation(*cluster.stack, config, cluster))
            plan.issues.push_back(issueOf(Severity::Info, "extrapolated", "cluster.stack",
                                          "The forecast is extrapolated; %1."_text(*axis)));
    if (plan.step.waitChance > kWorthSaying)
        plan.issues.push_back(issueOf(
            Severity::Info, "may_wait", "parallel.pp",
            "With a chance of %1 this run waits %2 a step for its pipeline messages, as some runs of its software did; "
            "the layout does not predict which."_text(formatPercent(plan.step.waitChance),
                                                      formatSeconds(plan.step.waitSeconds))));
    for (const Advice& advice : advise(plan)) plan.issues.push_back(issueOf(advice));
    if (auto issue = plainAttentionNote(config)) plan.issues.push_back(std::move(*issue));
    return plan;
}

}  // namespace slipway
