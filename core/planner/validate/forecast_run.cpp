#include "core/planner/validate/forecast_run.h"

#include "core/base/real.h"
#include "core/planner/time/step.h"

#include <cmath>

namespace slipway {

namespace {

std::vector<double> bytesOf(const MeasuredRun& run, const ClusterSpec& cluster, const Pipeline& pipeline) {
    if (run.software != nullptr)
        return softwareRankBytes(run.config, cluster, pipeline, *run.software,
                                 run.allocator.value_or(textbookAllocator(run.software->meter)));
    std::vector<double> bytes;
    for (const StageMemory& stage : stageMemory(run.config, cluster, pipeline))
        bytes.push_back(stage.bytes.totalBytes());
    return bytes;
}

/// Of each pipeline rank; none when the schedule cannot be built.
std::vector<double> memoryOf(const MeasuredRun& run, const ClusterSpec& cluster) {
    const Pipeline pipeline = makePipeline(run.config);
    if (hasRecursion(pipeline.shape)) return bytesOf(run, cluster, pipeline);
    const ParallelLayout& p = run.config.parallel;
    const auto played = makePlayedSchedule(p.schedule, p.pp, run.config.numMicroBatches(), p.virtualStages);
    return played ? bytesOf(run, cluster, makePipeline(run.config, *played)) : std::vector<double>{};
}

double worst(const std::vector<double>& ranks) {
    double most = kUnknown;
    for (const double bytes : ranks) most = std::fmax(most, bytes);
    return most;
}

/// What attention without a fused kernel adds to a step. Per score at 16 bit, forward: written by the product, read and
/// written by softmax and by dropout (with its mask), read by the second product, 13 bytes; backward 19: the gradient of
/// the probabilities written and read, dropout and softmax undone, read by three products (Korthikanti 2022, arXiv
/// 2205.05198, fig. 3, lists the tensors). Recomputation makes the forward part again; causal masks save nothing.
double scoreSeconds(const MeasuredRun& run, const PipelineShape& shape) {
    constexpr double kForwardBytes = 13, kBackwardBytes = 19, kMemoryEfficiency = 0.8;
    const RunConfig& c = run.config;
    const double seq = real(c.train.seqLen);
    const double scores =
        real(c.model.numHeads) / real(c.parallel.tp * c.parallel.cp) * seq * seq * real(c.train.microBatchSize);
    const double times = c.train.recompute.policy == RecomputePolicy::None ? 1 : 2;
    const double layers = real(c.model.numLayers) / real(shape.pp);
    const double slots = real(shape.numMicroBatches) + real(shape.pp - 1) / real(shape.numChunks());
    const double bytes = scores * (times * kForwardBytes + kBackwardBytes) * layers * slots;
    const double seconds =
        bytes / (run.cluster.device.memoryBytesPerSecond * kMemoryEfficiency * run.cluster.stackEfficiency);
    // Tensor cores take rows of a multiple of 16 bytes (NVIDIA, Matrix Multiplication Background, "Tensor Core
    // Requirements"). Heads of another size go through the device's fp32 units: two products forward, four backward.
    constexpr std::int64_t kAlignedElements = 8;
    constexpr double kGemmEfficiency = 0.62;
    if (c.model.headSize() % kAlignedElements == 0) return seconds;
    const double flops = scores * real(c.model.headSize()) * 4 * (times + 2) * layers * slots;
    return seconds + flops / (run.cluster.device.peakFp32Flops.value_or(kUnknown) * kGemmEfficiency *
                              run.cluster.stackEfficiency);
}

}  // namespace

double forecastStepSeconds(const MeasuredRun& run) {
    return forecastStepRange(run).seconds;
}

StepRange forecastStepRange(const MeasuredRun& run) {
    const Pipeline pipeline = makePipeline(run.config);
    const double scores = run.writesScores ? scoreSeconds(run, pipeline.shape) : 0;
    StepEstimate step;
    if (hasRecursion(pipeline.shape)) {
        step = estimateStep(run.config, run.cluster, pipeline);
    } else {
        const ParallelLayout& p = run.config.parallel;
        const auto played = makePlayedSchedule(p.schedule, p.pp, run.config.numMicroBatches(), p.virtualStages);
        if (played) step = estimateStep(run.config, run.cluster, *played, false);
    }
    const double seconds = step.stepSeconds + scores;
    return {seconds, seconds * (step.stepSecondsLow / step.stepSeconds),
            seconds * (step.stepSecondsHigh / step.stepSeconds)};
}

double forecastMemory(const MeasuredRun& run) {
    const std::vector<double> ranks = memoryOf(run, run.cluster);
    return run.firstRankMemory && !ranks.empty() ? ranks.front() : worst(ranks);
}

double forecastPeak(const MeasuredRun& run, bool gathersKept) {
    if (gathersKept || !run.cluster.stack) return worst(memoryOf(run, run.cluster));
    ClusterSpec tight = run.cluster;
    tight.device.memoryBytes = 0;  // nobody fits, so that every layout gathers again
    return worst(memoryOf(run, tight));
}

bool forecastFits(const MeasuredRun& run) {
    if (run.bareStages > kBareStagesThatRun) return false;
    return forecastPeak(run, false) <= capacityPerRank(run.config, run.cluster);
}

}  // namespace slipway
