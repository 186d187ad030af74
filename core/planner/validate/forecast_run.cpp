#include "core/planner/validate/forecast_run.h"

#include "core/planner/time/step.h"

#include <cmath>

namespace slipway {

namespace {

std::vector<StageMemory> memoryOf(const RunConfig& config, const ClusterSpec& cluster) {
    const Pipeline pipeline = makePipeline(config);
    if (hasRecursion(pipeline.shape)) return stageMemory(config, cluster, pipeline);
    const ParallelLayout& p = config.parallel;
    const auto played = makePlayedSchedule(p.schedule, p.pp, config.numMicroBatches(), p.virtualStages);
    return played ? stageMemory(config, cluster, *played) : std::vector<StageMemory>{};
}

double worst(const std::vector<StageMemory>& stages) {
    double most = kUnknown;
    for (const StageMemory& stage : stages) most = std::fmax(most, stage.bytes.totalBytes());
    return most;
}

}  // namespace

double forecastStepSeconds(const MeasuredRun& run) {
    const Pipeline pipeline = makePipeline(run.config);
    if (hasRecursion(pipeline.shape)) return estimateStep(run.config, run.cluster, pipeline).stepSeconds;
    const ParallelLayout& p = run.config.parallel;
    const auto played = makePlayedSchedule(p.schedule, p.pp, run.config.numMicroBatches(), p.virtualStages);
    return played ? estimateStep(run.config, run.cluster, *played, false).stepSeconds : kUnknown;
}

double forecastMemory(const MeasuredRun& run) {
    const std::vector<StageMemory> stages = memoryOf(run.config, run.cluster);
    return run.firstRankMemory && !stages.empty() ? stages.front().bytes.totalBytes() : worst(stages);
}

double forecastPeak(const MeasuredRun& run, bool gathersKept) {
    if (gathersKept || !run.cluster.stack) return worst(memoryOf(run.config, run.cluster));
    ClusterSpec tight = run.cluster;
    tight.stack->gatherLimitBytes = 0;  // nobody fits, so that every layout gathers again
    return worst(memoryOf(run.config, tight));
}

bool forecastFits(const MeasuredRun& run) {
    if (run.bareStages > kBareStagesThatRun) return false;
    return forecastPeak(run, false) <= capacityPerRank(run.config, run.cluster);
}

}  // namespace slipway
