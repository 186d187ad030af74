// The time of one optimizer step: passes, communication, schedule, optimizer. Three parts, so that a search repeats
// only the affected ones:
//   const TimeTable table = makeTimeTable(config, cluster);      // one layer on one rank
//   passPart(config, pipeline, table, part);                     // layers assigned to stages, the schedule
//   finishStep(config, shares, table, part);                     // ZeRO, offload, optimizer
#pragma once

#include "core/planner/memory/memory.h"
#include "core/planner/schedule/schedule_sample.h"
#include "core/planner/time/compute.h"
#include "core/planner/time/group_traffic.h"
#include "core/planner/time/step_parts.h"
#include "core/planner/values/forecast.h"

#include <vector>

namespace slipway {

/// One micro-batch through one layer or end on one rank: passes, and seconds and bytes of its collectives by axis.
struct PassCosts {
    PassSeconds compute;
    double tpForwardSeconds = 0, tpBackwardSeconds = 0;
    double tpForwardExposed = 0, tpBackwardExposed = 0;  ///< of these, not hidden by any product (async_tp)
    double cpForwardSeconds = 0, cpBackwardSeconds = 0;  ///< before overlap
    double cpHomeSeconds =
        0;  ///< of these, the last message of a ring exchange, which returns the sums and is always exposed
    double epForwardSeconds = 0, epBackwardSeconds = 0;
    double commBytes = 0;   ///< sent on all three axes
    double savedBytes = 0;  ///< saved activations of blocks, which offload moves to the host and back
    [[nodiscard]] double tpExposedSeconds() const { return tpForwardExposed + tpBackwardExposed; }
    void add(const PassCosts& other, double times);
};

/// Components of a step independent of the partition of layers into stages, of schedule, ZeRO stage and offload.
struct TimeTable {
    RankSpeed speed;
    GroupLink tpLink, ppLink, dpLink, worldLink;
    GroupLink cpLink, expertLink;      ///< where such groups exist
    GroupLink shardLink, replicaLink;  ///< dpLink, unless dp_shard splits it (setShardLinks)
    PassCosts dense, moe, embedding, head;
    double messageBytes = 0, transferSeconds = 0;  ///< of one pipeline message
    bool ringExchange = false;                     ///< context-parallel exchange overlaps the attention
    bool overlapIsFree = false;                    ///< the copies of a reduction use no computing cores
    double modelFlopsPerToken = 0, hardwareFlopsPerToken = 0;
    std::optional<double> runPeakFlops;
    double stepSpread = 0;         ///< standard deviation of the logarithm of stepSeconds
    double slotSeconds = 0;        ///< lost per slot of the pipeline: announcements
    double graphSavedSeconds = 0;  ///< of a micro-batch replayed from a CUDA graph (repeated_passes.h)
    double waitSeconds = 0;        ///< for the messages of one of a rank's chunks, in a step of a waiting run
    double waitChance = 0;         ///< that a run waits (stack/stack_links.h)
    /// waitSeconds of the likelier outcome.
    [[nodiscard]] double likelyWaitSeconds() const { return waitChance > 0.5 ? waitSeconds : 0; }
    std::string label;
    [[nodiscard]] const GroupLink& link(TrafficGroup group) const;
};
TimeTable makeTimeTable(const RunConfig& config, const ClusterSpec& cluster);
/// The same without waits, and of a stack without spread and label.
TimeTable makePassTable(const RunConfig& config, const ClusterSpec& cluster);
/// Adds a stack's waits.
/// @param chance of them: waitChance(), which is dear to find
void addWaits(const RunConfig& config, const ClusterSpec& cluster, double chance, TimeTable& table);
/// The links of the config's dp_shard, in its table.
void setShardLinks(const RunConfig& config, const ClusterSpec& cluster, TimeTable& table);
/// Seconds of a part of a rank's traffic in a step: its gradients, including those among sharding groups and those of
/// experts; its weights; the rest (tied embedding, parts of gradients, scalars).
double stepSeconds(StepPart part, const StepTraffic& traffic, const TimeTable& table);

/// The part of a step independent of ZeRO and offload; its storage is reused.
struct PassPart {
    StepParts<double> parts;  ///< compute, exposed TP, CP, EP, PP, bubble of the busiest rank; the rest 0
    double bubbleTheoretical = 0;
    double commBytes = 0;    ///< of passes and pipeline, all pipeline ranks together
    double commSeconds = 0;  ///< of passes, all pipeline ranks together
    std::vector<double>
        windowSeconds;  ///< per pipeline rank: backward of one micro-batch, under which buckets hide (share_seconds.h)
    std::vector<PassCosts> stages;
    std::vector<StageSeconds> seconds;  ///< per stage
    double hostWaitSeconds = 0;         ///< time that copies of activations would add with offload
    double scheduleSeconds = 0;         ///< length of the schedule
    double freeScheduleSeconds = 0;     ///< the same with free messages
    std::vector<double> busySeconds;    ///< per pipeline rank in passes, where pairs of them overlap; else empty
    double ranksBusySeconds = 0;        ///< of all pipeline ranks together
    std::int64_t busiestRank = 0;
    std::vector<TimeSpan> timeline;
};

/// Seconds of each stage.
void fillStageSeconds(const RunConfig& config, const Pipeline& pipeline, const TimeTable& table,
                      std::vector<StageSeconds>& seconds);

/// Fills part.stages and part.seconds.
void fillStages(const RunConfig& config, const Pipeline& pipeline, const TimeTable& table, PassPart& part);

/// Seconds of one micro-batch in which a stage's passes wait for activations on the way to the host and back. A block's copies overlap
/// the next block's products, so a pass takes its compute or its copies, whichever is longer (vDNN, Rhu et al. 2016, arXiv 1602.08124,
/// sec. 3.2). A split backward pass offloads the inputs of its weight pass again, so it moves three times as much.
double hostWaitSeconds(const PassCosts& stage, const StageSeconds& seconds, bool splitBackward);

/// Lower bound on the step under any ZeRO stage and offload, from partitioned stages: a rank waits until the first
/// micro-batch has passed the stages before it, then runs its passes in sequence; where backward passes are whole and
/// stages in loop order, the ranks before it end later by their own and by the way back. Exact for equal stages and
/// free transfers under 1F1B and its relatives.
double stepLowerBound(const Pipeline& pipeline, const TimeTable& table, const PassPart& part);

/// Known properties of all pipelines covered by a bound.
struct PipelineKinds {
    bool pairs = true;        ///< DualPipe may be among them and may hide all communication of a pass
    bool isOrdered = false;   ///< all have a recursion (hasRecursion): their backward passes are not split
    bool isOneChunk = false;  ///< ranks have one chunk each
    double leastBefore = 0;   ///< lower bound on layers of any stage before the last rank's first one
};

/// Lower bound on the step in any pipeline of config.parallel.pp ranks, for any schedule and partition of layers: the
/// busiest rank has at least the mean of all work.
/// @param pipelines covered
double stepLowerBound(const RunConfig& config, const TimeTable& table, const PipelineKinds& pipelines);

/// Lower bound on hostWaitSeconds() of all micro-batches on the rank that waits longest, for any partition of layers.
double hostWaitLowerBound(const RunConfig& config, const TimeTable& table);

/// passPart() with a lower bound in place of the schedule's length: finishedSeconds() is then one of the step.
void passBound(const RunConfig& config, const Pipeline& pipeline, const TimeTable& table, PassPart& part);
/// True when passBound() is valid; where pairs of passes overlap, the critical rank is unknown before simulation.
bool hasPassBound(const Pipeline& pipeline, const TimeTable& table);

/// Partitions the layers into stages and simulates the schedule.
/// @param withTimeline fills part.timeline; needs pipeline.sample
void passPart(const RunConfig& config, const Pipeline& pipeline, const TimeTable& table, bool withTimeline,
              PassPart& part);

/// @param shares of all pipeline ranks
StepEstimate finishStep(const RunConfig& config, const std::vector<RankShare>& shares, const TimeTable& table,
                        const PassPart& part);
/// finishStep().stepSeconds.
double finishedSeconds(const RunConfig& config, const std::vector<RankShare>& shares, const TimeTable& table,
                       const PassPart& part);

/// The parts of a config's step with their derivation.
/// @param rank the pipeline rank of the parts; without one, each part's slowest
StepParts<Term> stepTerms(const RunConfig& config, const ClusterSpec& cluster, std::optional<std::int64_t> rank = {});

/// All three. Estimates a step of a config without errors. Unknown peaks or bandwidths give NaN. The timeline shows the
/// simulated part of a long schedule.
StepEstimate estimateStep(const RunConfig& config, const ClusterSpec& cluster, const ScheduleSample& sample,
                          bool withTimeline);
/// The same without a timeline, for schedules with a recursion.
StepEstimate estimateStep(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline);

}  // namespace slipway
