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

double real(std::int64_t value) {
    return static_cast<double>(value);
}

/// What attention without a fused kernel adds to a step. Per score at 16 bit, forward: written by the product, read and
/// written by softmax and by dropout (with its mask), read by the second product, 13 bytes; backward 19: the gradient of
/// the probabilities written and read, dropout and softmax undone, read by three products (Korthikanti 2022, arXiv
/// 2205.05198, fig. 3, lists the tensors). Recomputation makes the forward part again; causal masks save nothing.
double scoreSeconds(const MeasuredRun& run, const PipelineShape& shape) {
    constexpr double kForwardBytes = 13, kBackwardBytes = 19, kMemoryEfficiency = 0.8;
    const RunConfig& c = run.config;
    const double seq = real(c.train.seqLen);
    const double scores = real(c.model.numHeads) / real(c.parallel.tp * c.parallel.cp) * seq * seq *
                          real(c.train.microBatchSize);
    const double times = c.train.recompute.policy == RecomputePolicy::None ? 1 : 2;
    const double layers = real(c.model.numLayers) / real(shape.pp);
    const double slots = real(shape.numMicroBatches) + real(shape.pp - 1) / real(shape.numChunks());
    return scores * (times * kForwardBytes + kBackwardBytes) * layers * slots /
           (run.cluster.device.memoryBytesPerSecond * kMemoryEfficiency * run.cluster.stackEfficiency);
}

}  // namespace

double forecastStepSeconds(const MeasuredRun& run) {
    const Pipeline pipeline = makePipeline(run.config);
    const double scores = run.writesScores ? scoreSeconds(run, pipeline.shape) : 0;
    if (hasRecursion(pipeline.shape)) return scores + estimateStep(run.config, run.cluster, pipeline).stepSeconds;
    const ParallelLayout& p = run.config.parallel;
    const auto played = makePlayedSchedule(p.schedule, p.pp, run.config.numMicroBatches(), p.virtualStages);
    return played ? scores + estimateStep(run.config, run.cluster, *played, false).stepSeconds : kUnknown;
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
