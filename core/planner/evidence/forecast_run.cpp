#include "core/planner/evidence/forecast_run.h"

#include "core/base/real.h"
#include "core/planner/stack/calibrated_range.h"
#include "core/planner/time/step.h"

#include <cmath>

namespace slipway {

namespace {

/// Hardware with the run's software's storage, and only the part of its allocator that the meter counts.
ClusterSpec meteredCluster(const MeasuredRun& run) {
    ClusterSpec cluster = run.cluster;
    if (!run.facts) return cluster;
    if (!cluster.stack) cluster.stack.emplace();
    SoftwareStack& stack = *cluster.stack;
    stack.facts = *run.facts;
    if (run.meter == MemoryMeter::Allocated) {
        stack.allocatorFactor.value = 1;
        stack.fixedBytes.value = stack.extraHiddenBytes.value = 0;
    }
    return cluster;
}

/// Bytes of each pipeline rank; empty when the schedule cannot be built.
/// @param keeps gathered inputs; empty: as forecast
std::vector<double> memoryOf(const MeasuredRun& run, std::optional<bool> keeps = {}) {
    const ClusterSpec cluster = meteredCluster(run);
    Pipeline pipeline = makePipeline(run.config);
    std::optional<ScheduleSample> sample;
    if (!hasRecursion(pipeline.shape)) {
        const ParallelLayout& p = run.config.parallel;
        auto made = sampleSchedule(p.schedule, p.pp, run.config.numMicroBatches(), p.virtualStages);
        if (!made) return {};
        sample = std::move(*made);
        pipeline = makePipeline(run.config, *sample);
    }
    if (!keeps) keeps = cluster.stack && keepsGathers(run.config, cluster, pipeline);
    const MemoryTable table = makeMemoryTable(run.config, cluster, *keeps);
    std::vector<RankContents> contents;
    rankContents(run.config, pipeline, table, contents);
    std::vector<double> bytes;
    for (const RankContents& held : contents) bytes.push_back(rankBytes(run.config, cluster, table, held).totalBytes());
    return bytes;
}

double worst(const std::vector<double>& ranks) {
    double most = kUnknown;
    for (const double bytes : ranks) most = std::fmax(most, bytes);
    return most;
}

/// Extra step time of attention without a fused kernel. Per score at 16 bit, forward: written by the product, read and
/// written by softmax and by dropout (with its mask), read by the second product, 13 bytes; backward 19: the gradient
/// of the probabilities written and read, dropout and softmax undone, read by three products (Korthikanti 2022, arXiv
/// 2205.05198, fig. 3, lists the tensors). Recomputation repeats the forward part; causal masks save nothing.
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
    const double seconds = bytes / (run.cluster.device.memoryBytesPerSecond * kMemoryEfficiency);
    // Tensor cores take rows of a multiple of 16 bytes (NVIDIA, Matrix Multiplication Background, "Tensor Core
    // Requirements"). Other head sizes use the device's fp32 units: two products forward, four backward.
    constexpr std::int64_t kAlignedElements = 8;
    constexpr double kGemmEfficiency = 0.62;
    if (c.model.headSize() % kAlignedElements == 0) return seconds;
    const double flops = scores * real(c.model.headSize()) * 4 * (times + 2) * layers * slots;
    return seconds + flops / (run.cluster.device.peakFp32Flops.value_or(kUnknown) * kGemmEfficiency);
}

}  // namespace

StepForecast forecastStep(const MeasuredRun& run) {
    const Pipeline pipeline = makePipeline(run.config);
    const double scores = run.writesScores ? scoreSeconds(run, pipeline.shape) : 0;
    StepEstimate step;
    if (hasRecursion(pipeline.shape)) {
        step = estimateStep(run.config, run.cluster, pipeline);
    } else {
        const ParallelLayout& p = run.config.parallel;
        const auto sample = sampleSchedule(p.schedule, p.pp, run.config.numMicroBatches(), p.virtualStages);
        if (sample) step = estimateStep(run.config, run.cluster, *sample, false);
    }
    StepForecast forecast;
    forecast.seconds = step.stepSeconds + scores;
    forecast.low = forecast.seconds * (step.stepSecondsLow / step.stepSeconds);
    forecast.high = forecast.seconds * (step.stepSecondsHigh / step.stepSeconds);
    const double first = forecast.seconds - (step.waitChance > 0.5 ? step.waitSeconds : 0);
    // Without a stack the ends are a range; its middle 80 % are used instead.
    const double spread = run.cluster.stack ? stepSpread(*run.cluster.stack, run.config, run.cluster)
                                            : std::log(forecast.high / forecast.low) / (2 * kInterval80);
    forecast.ways = {first, first + step.waitSeconds, step.waitChance, spread};
    return forecast;
}

namespace {

double measuredRank(const MeasuredRun& run, const std::vector<double>& ranks) {
    return run.firstRankMemory && !ranks.empty() ? ranks.front() : worst(ranks);
}

}  // namespace

double forecastMemory(const MeasuredRun& run) {
    return measuredRank(run, memoryOf(run));
}

PeakBytes forecastRankBytes(const MeasuredRun& run) {
    const double live = measuredRank(run, memoryOf(run, false));
    const bool keeps = run.cluster.stack && run.cluster.stack->facts.keepsGathered;
    return {keeps ? measuredRank(run, memoryOf(run, true)) : live, live};
}

double forecastPeak(const MeasuredRun& run, bool gathersSaved) {
    return worst(gathersSaved ? memoryOf(run) : memoryOf(run, false));
}

bool forecastFits(const MeasuredRun& run) {
    if (run.bareStages > kBareStagesThatRun) return false;
    return forecastPeak(run, false) <= capacityPerRank(run.config, run.cluster);
}

}  // namespace slipway
