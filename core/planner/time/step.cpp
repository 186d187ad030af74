#include "core/planner/time/step.h"

#include "core/base/real.h"
#include "core/planner/count/flops.h"
#include "core/planner/memory/activations.h"
#include "core/planner/memory/graph_passes.h"
#include "core/planner/schedule/bubble.h"
#include "core/planner/stack/stack_constants.h"
#include "core/planner/stack/two_point.h"
#include "core/planner/time/communication.h"
#include "core/planner/time/share_seconds.h"
#include "core/planner/time/step_account.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

/// Costs of a stage's layers and ends.
PassCosts stageCosts(const RunConfig& config, const Pipeline& pipeline, const TimeTable& table, std::size_t stage) {
    const StageRange& range = pipeline.ranges[stage];
    const std::int64_t numDense = denseLayers(config.model, range);
    PassCosts c;
    if (numDense > 0) c.add(table.dense, real(numDense));
    if (numDense < range.count) c.add(table.moe, real(range.count - numDense));
    if (stage == 0) c.add(table.embedding, 1);
    if (stage + 1 == pipeline.ranges.size()) c.add(table.head, 1);
    return c;
}

StageSeconds stageSeconds(const PassCosts& c, const TimeTable& table, bool first, bool last) {
    const auto cpExposed = [&](double seconds, double homeSeconds, double computeSeconds) {
        return table.ringExchange ? ringExposed(seconds, homeSeconds, computeSeconds) : seconds;
    };
    StageSeconds s;
    s.forward = c.compute.forward + c.tpForwardExposed + cpExposed(c.cpForwardSeconds, 0, c.compute.forward) +
                c.epForwardSeconds;
    s.backwardInput = c.compute.backwardInput + c.tpBackwardExposed +
                      cpExposed(c.cpBackwardSeconds, c.cpHomeSeconds, c.compute.backwardInput) + c.epBackwardSeconds;
    s.backwardWeight = c.compute.backwardWeight;
    s.sendForward = last ? 0 : table.transferSeconds;
    s.sendBackward = first ? 0 : table.transferSeconds;
    if (table.overlapIsFree) {
        s.forwardCommSeconds = s.forward - c.compute.forward;
        s.backwardCommSeconds = s.backwardInput - c.compute.backwardInput;
    }
    return s;
}

bool pairsOverlap(const PipelineShape& shape) {
    return shape.pp > 1 && (shape.kind == ScheduleKind::DualPipe || shape.kind == ScheduleKind::DualPipeV);
}

/// Length of the pipeline's part of the step.
/// @param busySeconds per rank in passes, where pairs of them overlap; else untouched
double makespan(const Pipeline& pipeline, const std::vector<StageSeconds>& seconds, bool withTransfers,
                std::vector<double>& busySeconds) {
    if (hasRecursion(pipeline.shape)) return pipelineSeconds(pipeline.shape, seconds, withTransfers);
    std::vector<StageSeconds> stages = seconds;
    if (!withTransfers)
        for (StageSeconds& s : stages) s.sendForward = s.sendBackward = 0;
    SimulatedSchedule whole = simulateSchedule(pipeline.sample->schedule, stages, false);
    if (pipeline.sample->shorter) {
        const SimulatedSchedule part = simulateSchedule(*pipeline.sample->shorter, stages, false);
        whole.totalSeconds = pipeline.sample->extrapolate(whole.totalSeconds, part.totalSeconds);
        for (std::size_t rank = 0; rank < whole.busySeconds.size(); ++rank)
            whole.busySeconds[rank] = pipeline.sample->extrapolate(whole.busySeconds[rank], part.busySeconds[rank]);
    }
    const bool hides = std::any_of(seconds.begin(), seconds.end(), [](const StageSeconds& s) {
        return s.forwardCommSeconds > 0 || s.backwardCommSeconds > 0;
    });
    if (pairsOverlap(pipeline.shape) && hides) busySeconds = std::move(whole.busySeconds);
    return whole.totalSeconds;
}

/// Upper bound on a step's saving by graphs; a bound ignores whether they are captured.
double mostSaved(const TimeTable& table, std::int64_t numMicroBatches) {
    return table.graphSavedSeconds > 0 ? table.graphSavedSeconds * real(std::max<std::int64_t>(0, numMicroBatches - 2))
                                       : 0;
}

/// Lower bound on the passes of a schedule, see stepLowerBound().
double passesLowerBound(const Pipeline& pipeline, const PassPart& part) {
    const PipelineShape& shape = pipeline.shape;
    const bool wholeBackward = hasRecursion(shape), pairs = pairsOverlap(shape);
    const auto forward = [&](const StageSeconds& s) {
        return s.forward - (pairs ? s.forwardCommSeconds : 0) + s.sendForward;
    };
    const auto forwardBefore = [&](std::int64_t stage) {
        double sum = 0;
        for (std::int64_t s = 0; s < stage; ++s) sum += forward(part.seconds[static_cast<std::size_t>(s)]);
        return sum;
    };
    double most = 0, before = 0;
    for (std::int64_t rank = 0; rank < shape.pp; ++rank) {
        const StageSeconds& own = part.seconds[static_cast<std::size_t>(rank)];
        double busy = 0;
        for (std::int64_t chunk = 0; chunk < shape.numChunks(); ++chunk) {
            const StageSeconds& s = part.seconds[static_cast<std::size_t>(shape.stageOf(rank, chunk))];
            busy += passSeconds(s) - (pairs ? s.forwardCommSeconds + s.backwardCommSeconds : 0);
        }
        // Every kind begins with stage `rank`; DualPipe may begin with its other direction's stage.
        const double wait = shape.pp > 1 && shape.kind == ScheduleKind::DualPipe
                                ? std::min(before, forwardBefore(shape.stageOf(rank, 1)))
                                : before;
        most = std::max(most, shape.microBatchesPerChunk() * busy + wait);
        before += forward(own);
        if (wholeBackward && rank + 1 < shape.pp)
            before +=
                own.backwardInput + own.backwardWeight + part.seconds[static_cast<std::size_t>(rank + 1)].sendBackward;
    }
    return most;
}

/// Number of rank boundaries that a micro-batch crosses.
double boundaries(const PipelineShape& shape) {
    // A V hands over between its two chunks on the last rank.
    const bool v = shape.kind == ScheduleKind::ZbV || shape.kind == ScheduleKind::DualPipeV;
    return real(shape.numStages() - (v ? 2 : 1));
}

/// Speed figures derived from the length of the step.
void rates(const RunConfig& config, const TimeTable& table, StepEstimate& e) {
    e.tokensPerSecond = real(config.tokensPerStep()) / e.stepSeconds;
    e.tokensPerSecondPerDevice = e.tokensPerSecond / real(config.parallel.worldSize());
    e.mfuRule = std::string(wordOf(kDefaultFlopsRule));
    e.mfu = mfu(table.modelFlopsPerToken, e.tokensPerSecond, table.runPeakFlops, 1);
    e.hfu = mfu(table.hardwareFlopsPerToken, e.tokensPerSecond, table.runPeakFlops, 1);
    e.label = table.label;
    e.waitSeconds = waitSecondsOfRank(config, table.waitSeconds);
    e.waitChance = table.waitChance;
    // Of a stack, whose constants and waits are uncertain, spreadByConstants() finds the interval.
    const double width = std::exp(kInterval80 * table.stepSpread);
    e.stepSecondsLow = e.stepSeconds / width;
    e.stepSecondsHigh = e.stepSeconds * width;
}

}  // namespace

double stepSeconds(StepPart part, const StepTraffic& traffic, const TimeTable& table) {
    double seconds = 0;
    eachStepTraffic(traffic, [&](StepPart of, TrafficGroup group, const Traffic& t) {
        if (of == part) seconds += t.seconds(table.link(group));
    });
    return seconds;
}

double hostWaitSeconds(const PassCosts& stage, const StageSeconds& seconds, bool splitBackward) {
    const double copy = stage.savedBytes / kHostLinkBytesPerSecond;
    return std::max(0.0, copy - seconds.forward) +
           std::max(0.0, (splitBackward ? 3 : 1) * copy - seconds.backwardInput - seconds.backwardWeight);
}

namespace {

/// Most inner stages equal the previous one.
bool likeTheOneBefore(const ModelSpec& model, const Pipeline& pipeline, std::size_t stage) {
    if (stage < 2 || stage + 1 == pipeline.ranges.size()) return false;
    const StageRange &a = pipeline.ranges[stage], &b = pipeline.ranges[stage - 1];
    return a.count == b.count && (!model.moe || denseLayers(model, a) == denseLayers(model, b));
}

}  // namespace

void fillStageSeconds(const RunConfig& config, const Pipeline& pipeline, const TimeTable& table,
                      std::vector<StageSeconds>& seconds) {
    const std::size_t numStages = pipeline.ranges.size();
    seconds.resize(numStages);
    for (std::size_t stage = 0; stage < numStages; ++stage)
        seconds[stage] =
            likeTheOneBefore(config.model, pipeline, stage)
                ? seconds[stage - 1]
                : stageSeconds(stageCosts(config, pipeline, table, stage), table, stage == 0, stage + 1 == numStages);
}

void fillStages(const RunConfig& config, const Pipeline& pipeline, const TimeTable& table, PassPart& part) {
    const std::size_t numStages = pipeline.ranges.size();
    part.stages.resize(numStages);
    for (std::size_t stage = 0; stage < numStages; ++stage)
        part.stages[stage] = likeTheOneBefore(config.model, pipeline, stage)
                                 ? part.stages[stage - 1]
                                 : stageCosts(config, pipeline, table, stage);
    fillStageSeconds(config, pipeline, table, part.seconds);
}

double stepLowerBound(const Pipeline& pipeline, const TimeTable& table, const PassPart& part) {
    // With a margin for rounding of additions in a different order.
    const double passes = passesLowerBound(pipeline, part) - mostSaved(table, pipeline.shape.numMicroBatches);
    return (passes + table.speed.constants.stepFixedSeconds) * (1 - 1e-9);
}

namespace {

/// Lower bound on one micro-batch's passes through a layer; the exposed part of a ring is unknown before its stage.
double leastLayerSeconds(const ModelSpec& model, const TimeTable& table) {
    const auto seconds = [&](PassCosts c) {
        if (table.ringExchange) c.cpForwardSeconds = c.cpBackwardSeconds = c.cpHomeSeconds = 0;
        return passSeconds(stageSeconds(c, table, true, true));
    };
    const std::int64_t numDense = denseLayers(model, {0, model.numLayers});
    return numDense == 0                 ? seconds(table.moe)
           : numDense == model.numLayers ? seconds(table.dense)
                                         : std::min(seconds(table.dense), seconds(table.moe));
}

}  // namespace

double stepLowerBound(const RunConfig& config, const TimeTable& table, const PipelineKinds& pipelines) {
    const ParallelLayout& p = config.parallel;
    const double m = real(config.numMicroBatches()), pp = real(p.pp);
    // Exposed exchange is a maximum: for all layers together it is at most the sum over stages.
    const Pipeline whole{{ScheduleKind::OneFOneB, 1, config.numMicroBatches(), 1}, {{0, config.model.numLayers}}};
    const StageSeconds s = stageSeconds(stageCosts(config, whole, table, 0), table, true, true);
    const double hidden = pipelines.pairs && p.pp > 1 ? s.forwardCommSeconds + s.backwardCommSeconds : 0;
    double passes = m * (passSeconds(s) - hidden) / pp;
    if (pipelines.isOrdered && p.pp > 1) {
        // Rank r takes m w(r) after all w before it, w its passes of one micro-batch through its first chunk
        // (passesLowerBound): the longest takes at least their mean, and no less than the rank with the most layers.
        const double layer = leastLayerSeconds(config.model, table);
        const std::int64_t mostLayers = (config.model.numLayers + p.pp - 1) / p.pp;
        passes = std::max(passes + (pp - 1) / 2 * pipelines.leastBefore * layer, m * real(mostLayers) * layer);
        // With one chunk, the rest of T after rank r is at least 1 - 1 / m of the rest before it: T >= W / (1 - (1 - 1 / m)^pp).
        if (pipelines.isOneChunk) passes = std::max(passes, passSeconds(s) / (1 - std::pow(1 - 1 / m, pp)));
    }
    passes -= mostSaved(table, config.numMicroBatches());
    return (passes + table.speed.constants.stepFixedSeconds) * (1 - 1e-9);
}

double hostWaitLowerBound(const RunConfig& config, const TimeTable& table) {
    // Lower bound over all stages: a maximum of sums is at most the sum of maxima. Parts of a longer stage may expose
    // the exchange that it hides, so single parts have the longest passes. The longest wait is at least the mean.
    StageSeconds passes;
    PassCosts all;
    const auto add = [&](const PassCosts& part, std::int64_t times) {
        const StageSeconds s = stageSeconds(part, table, true, true);
        passes.forward += real(times) * s.forward;
        passes.backwardInput += real(times) * s.backwardInput;
        passes.backwardWeight += real(times) * s.backwardWeight;
        all.savedBytes += real(times) * part.savedBytes;
    };
    const std::int64_t layers = config.model.numLayers, numDense = denseLayers(config.model, {0, layers});
    if (numDense > 0) add(table.dense, numDense);
    if (numDense < layers) add(table.moe, layers - numDense);
    add(table.embedding, 1);
    add(table.head, 1);
    const double wait = hostWaitSeconds(all, passes, false);
    return real(config.numMicroBatches()) * wait / real(config.parallel.pp) * (1 - 1e-9);
}

bool hasPassBound(const Pipeline& pipeline, const TimeTable& table) {
    return !pairsOverlap(pipeline.shape) || !table.overlapIsFree;
}

namespace {

/// Fills a PassPart, given its schedule's length and busySeconds.
void fillPart(const RunConfig& config, const Pipeline& pipeline, const TimeTable& table, PassPart& part) {
    const PipelineShape& shape = pipeline.shape;
    const double m = real(shape.numMicroBatches), times = shape.microBatchesPerChunk();
    // The critical rank is the busiest; ties go to the first.
    double most = -1;
    part.windowSeconds.clear();
    part.commBytes = part.commSeconds = part.hostWaitSeconds = part.ranksBusySeconds = 0;
    part.busiestRank = 0;
    const bool split = shape.pp > 1 && (shape.kind == ScheduleKind::ZbH1 || shape.kind == ScheduleKind::ZbV ||
                                        shape.kind == ScheduleKind::DualPipe || shape.kind == ScheduleKind::DualPipeV);
    for (std::int64_t rank = 0; rank < shape.pp; ++rank) {
        double busy = 0, window = 0, hostWait = 0;
        for (std::int64_t chunk = 0; chunk < shape.numChunks(); ++chunk) {
            const auto stage = static_cast<std::size_t>(shape.stageOf(rank, chunk));
            const PassCosts& c = part.stages[stage];
            busy += times * passSeconds(part.seconds[stage]);
            window += part.seconds[stage].backwardInput + part.seconds[stage].backwardWeight;
            hostWait += times * hostWaitSeconds(c, part.seconds[stage], split);
            part.commBytes += times * c.commBytes;
            part.commSeconds += times * (c.tpForwardSeconds + c.tpBackwardSeconds + c.cpForwardSeconds +
                                         c.cpBackwardSeconds + c.epForwardSeconds + c.epBackwardSeconds);
        }
        part.windowSeconds.push_back(window);
        part.hostWaitSeconds = std::max(part.hostWaitSeconds, hostWait);
        if (!part.busySeconds.empty()) busy = part.busySeconds[static_cast<std::size_t>(rank)];
        part.ranksBusySeconds += busy;
        if (busy <= most) continue;
        most = busy;
        part.busiestRank = rank;
    }
    // Pipeline messages have no seconds here: they overlap the passes, and waits for them are exposed or bubble. The
    // trainer counts in the same way.
    if (shape.pp > 1) part.commBytes += 2 * m * boundaries(shape) * table.messageBytes;
    part.parts = passParts<double>(config, pipeline, table, part, part.busiestRank);
    part.bubbleTheoretical =
        shape.pp > 1 ? bubbleFraction(shape.kind, real(shape.pp), m, real(shape.virtualStages)) : 0;
}

}  // namespace

void passBound(const RunConfig& config, const Pipeline& pipeline, const TimeTable& table, PassPart& part) {
    part.scheduleSeconds = part.freeScheduleSeconds = passesLowerBound(pipeline, part) * (1 - 1e-9);
    part.busySeconds.clear();
    fillPart(config, pipeline, table, part);
}

void passPart(const RunConfig& config, const Pipeline& pipeline, const TimeTable& table, bool withTimeline,
              PassPart& part) {
    fillStages(config, pipeline, table, part);
    part.busySeconds.clear();
    part.scheduleSeconds = makespan(pipeline, part.seconds, true, part.busySeconds);
    part.freeScheduleSeconds =
        pipeline.shape.pp > 1 ? makespan(pipeline, part.seconds, false, part.busySeconds) : part.scheduleSeconds;
    fillPart(config, pipeline, table, part);
    part.timeline.clear();
    if (withTimeline) part.timeline = simulateSchedule(pipeline.sample->schedule, part.seconds, true).spans;
}

namespace {

/// Most ranks have the same contents and times as their neighbour.
bool likeTheOneBefore(const std::vector<RankShare>& shares, const PassPart& part, std::size_t rank) {
    if (rank == 0) return false;
    const RankShare &a = shares[rank], &b = shares[rank - 1];
    return a.parameters == b.parameters && a.experts == b.experts && a.numLayers == b.numLayers && a.first == b.first &&
           a.last == b.last && part.windowSeconds[rank] == part.windowSeconds[rank - 1];
}

/// Draws the replayed micro-batches of a rank with the full model, whose passes follow each other.
void drawRepeated(std::vector<TimeSpan>& spans, double numMicroBatches, double savedSeconds) {
    double each = 0, at = spans.empty() ? 0 : spans.front().startSeconds;
    for (const TimeSpan& span : spans)
        if (span.microBatch == 1) each += span.endSeconds - span.startSeconds;
    for (TimeSpan& span : spans) {
        const bool repeated = span.microBatch > 0 && real(span.microBatch) < numMicroBatches - 1;
        const double seconds =
            (span.endSeconds - span.startSeconds) * (repeated ? std::max(0.0, 1 - savedSeconds / each) : 1);
        span.startSeconds = at;
        at = span.endSeconds = at + seconds;
    }
}

StepParts<double> finishedParts(const RunConfig& config, const std::vector<RankShare>& shares, const TimeTable& table,
                                const PassPart& part) {
    StepParts<double> s = part.parts;
    finishCompute(config, table, part, s);
    finishParts(
        config, shares, table, part, {}, s.compute,
        [&](std::size_t rank) { return likeTheOneBefore(shares, part, rank); }, s);
    return s;
}

}  // namespace

double finishedSeconds(const RunConfig& config, const std::vector<RankShare>& shares, const TimeTable& table,
                       const PassPart& part) {
    return finishedParts(config, shares, table, part).step;
}

StepEstimate finishStep(const RunConfig& config, const std::vector<RankShare>& shares, const TimeTable& table,
                        const PassPart& part) {
    const StepParts<double> s = finishedParts(config, shares, table, part);
    StepEstimate e;
    e.computeSeconds = s.compute;
    e.tpExposedSeconds = s.tp;
    e.cpExposedSeconds = s.cp;
    e.epExposedSeconds = s.ep;
    e.ppExposedSeconds = s.pp;
    e.bubbleSeconds = s.bubble;
    e.dpExposedSeconds = s.dp;
    e.optimizerSeconds = s.optimizer;
    e.fixedSeconds = s.fixed;
    e.stepSeconds = s.step;
    e.bubbleTheoretical = part.bubbleTheoretical;
    e.bubbleSimulated = s.bubbleSimulated;
    e.commBytes = s.commBytes;
    e.commSeconds = s.commSeconds;
    e.timeline = part.timeline;
    if (table.graphSavedSeconds > 0 && repeatedMicroBatches(config) > 0)
        drawRepeated(e.timeline, real(config.numMicroBatches()), table.graphSavedSeconds);
    rates(config, table, e);
    return e;
}

namespace {

/// Inputs of the parts of a step.
struct StepSources {
    TimeTable table;
    std::vector<RankShare> shares;
    PassPart part;
    StepSources(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline, bool withTimeline)
        : table(makeTimeTable(config, cluster)) {
        const MemoryTable memory = makeMemoryTable(config);
        for (std::int64_t rank = 0; rank < pipeline.shape.pp; ++rank)
            shares.push_back(rankShare(config, pipeline, memory, rank));
        passPart(config, pipeline, table, withTimeline, part);
    }
};

/// Widens the interval by the uncertainty of the stack's constants, each separately one standard error up or down (a
/// step's length changes asymmetrically where host and device alternate in being ahead).
void spreadByConstants(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline,
                       const StepSources& from, StepEstimate& step) {
    const auto seconds = [&](const SoftwareStack& stack) {
        ClusterSpec other = cluster;
        other.stack = stack;
        const TimeTable table = makeTimeTable(config, other);
        PassPart part;
        fillStages(config, pipeline, table, part);
        passBound(config, pipeline, table, part);
        return finishedSeconds(config, from.shares, table, part);
    };
    const double middle = seconds(*cluster.stack), base = from.table.stepSpread * from.table.stepSpread;
    double up = base, down = base;
    for (const ConstantInfo& info : stackConstants()) {
        const StackConstant& own = (*cluster.stack).*info.member;
        if (info.ofMemory || info.member == &SoftwareStack::waitChance || !(own.uncertainty > 0)) continue;
        double longest = 0, shortest = 0;
        for (const double sign : {-1.0, 1.0}) {
            SoftwareStack moved = *cluster.stack;
            (moved.*info.member).value = std::clamp(own.value * std::exp(sign * own.uncertainty), info.low, info.high);
            const double change = std::log(seconds(moved) / middle);
            longest = std::max(longest, change);
            shortest = std::min(shortest, change);
        }
        up += longest * longest;
        down += shortest * shortest;
    }
    const double first = step.stepSeconds - waitSecondsOfRank(config, from.table.likelyWaitSeconds());
    const double second = first + step.waitSeconds, chance = from.table.waitChance;
    step.stepSecondsLow = TwoPoint{first, second, chance, std::sqrt(down)}.quantile(0.1);
    step.stepSecondsHigh = TwoPoint{first, second, chance, std::sqrt(up)}.quantile(0.9);
}

StepEstimate estimateStep(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline,
                          bool withTimeline) {
    const StepSources from(config, cluster, pipeline, withTimeline);
    StepEstimate step = finishStep(config, from.shares, from.table, from.part);
    if (cluster.stack) spreadByConstants(config, cluster, pipeline, from, step);
    return step;
}

}  // namespace

StepEstimate estimateStep(const RunConfig& config, const ClusterSpec& cluster, const ScheduleSample& sample,
                          bool withTimeline) {
    return estimateStep(config, cluster, makePipeline(config, sample), withTimeline);
}

StepEstimate estimateStep(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline) {
    return estimateStep(config, cluster, pipeline, false);
}

StepParts<Term> stepTerms(const RunConfig& config, const ClusterSpec& cluster, std::optional<std::int64_t> rank) {
    const auto sample = sampleSchedule(config.parallel.schedule, config.parallel.pp, config.numMicroBatches(),
                                       config.parallel.virtualStages);
    const Pipeline pipeline = sample ? makePipeline(config, *sample) : makePipeline(config);
    const StepSources from(config, cluster, pipeline, false);
    StepParts<Term> busiest = passParts<Term>(config, pipeline, from.table, from.part, from.part.busiestRank);
    finishCompute(config, from.table, from.part, busiest);
    StepParts<Term> s = busiest;
    if (rank && *rank != busiest.rank) {
        s = passParts<Term>(config, pipeline, from.table, from.part, *rank);
        finishCompute(config, from.table, from.part, s);
    }
    finishParts(
        config, from.shares, from.table, from.part, rank, busiest.compute,
        [&](std::size_t at) { return likeTheOneBefore(from.shares, from.part, at); }, s);
    return s;
}

}  // namespace slipway
