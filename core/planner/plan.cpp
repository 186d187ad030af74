#include "core/planner/plan.h"

#include "core/planner/advice/advice.h"
#include "core/planner/cost/cost.h"
#include "core/planner/memory/memory.h"
#include "core/planner/time/step.h"

#include <algorithm>

namespace slipway {

namespace {

/// The schedule the simulation plays: the config's, or for kinds that cannot be built here the nearest that can.
Result<PlayedSchedule> playableSchedule(const RunConfig& config, Issues& issues) {
    const ParallelLayout& p = config.parallel;
    auto schedule = makePlayedSchedule(p.schedule, p.pp, config.numMicroBatches(), p.virtualStages);
    if (schedule || schedule.error().code != "schedule_not_available") return schedule;
    issues.push_back({Severity::Warning, "schedule_approximated", "parallel.schedule",
                      "Time and memory of " + std::string(wordOf(p.schedule)) +
                          " are those of 1f1b; only the theoretical bubble is its own."});
    return makePlayedSchedule(ScheduleKind::OneFOneB, p.pp, config.numMicroBatches(), 1);
}

}  // namespace

Plan makePlan(const RunConfig& config, const ClusterSpec& cluster) {
    Plan plan;
    plan.config = config;
    plan.cluster = cluster;
    plan.issues = validate(config);
    if (hasErrors(plan.issues)) return plan;
    plan.parameters = countParameters(config.model);
    const Issues ofCluster = clusterIssues(config, cluster);
    plan.issues.insert(plan.issues.end(), ofCluster.begin(), ofCluster.end());
    const auto schedule = playableSchedule(config, plan.issues);
    if (!schedule) {
        plan.issues.push_back(
            {Severity::Error, schedule.error().code, schedule.error().where, schedule.error().message});
        return plan;
    }
    RunConfig played = config;
    if (schedule->schedule.virtualStages != config.parallel.virtualStages) {
        played.parallel.virtualStages = schedule->schedule.virtualStages;
        played.parallel.layersPerStage.clear();
    }
    plan.memory = stageMemory(played, cluster, *schedule);
    const auto worst = std::max_element(
        plan.memory.begin(), plan.memory.end(),
        [](const StageMemory& a, const StageMemory& b) { return a.bytes.totalBytes() < b.bytes.totalBytes(); });
    plan.worstStage = static_cast<std::size_t>(worst - plan.memory.begin());
    plan.memoryPeakBytes = worst->bytes.totalBytes();
    plan.memoryCapacityBytes = capacityPerRank(config, cluster);
    plan.step = estimateStep(played, cluster, *schedule, true);
    plan.cost = estimateCost(config, cluster, plan.step.stepSeconds);
    const Issues advice = advise(plan);
    plan.issues.insert(plan.issues.end(), advice.begin(), advice.end());
    return plan;
}

}  // namespace slipway
