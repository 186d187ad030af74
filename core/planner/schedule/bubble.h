// Bubble formulas and the event simulation of a pipeline schedule.
#pragma once

#include "core/planner/values/forecast.h"
#include "core/spec/pipeline_schedule.h"

#include <vector>

namespace slipway {

/// Idle time of a pipeline with equal stages and free transfers, in units of one micro-batch's total work on a rank (F
/// + B + W of all its chunks = 1, F = B = W). Sources: Narayanan 2021 (arXiv 2104.04473, sec. 2.2) for AFAB, 1F1B and
/// interleaved; Qi 2023 (arXiv 2401.10241, table 1) for zero bubble; deepseek-ai/DualPipe README. The zero-bubble paper
/// counts a rank's time from its first pass to its last (longestSpanSeconds), which lets ranks begin the next step in
/// turn; where a step begins on all ranks together, ZB-V also waits (p - 1) / 6 for the pipeline to fill.
double bubbleUnits(ScheduleKind kind, double pp, double virtualStages);
/// Idle over ideal time: (p - 1) / (v m) for 1F1B and its relatives.
double bubbleOverhead(ScheduleKind kind, double pp, double microBatches, double virtualStages = 1);
/// Idle over total time: (p - 1) / (v m + p - 1).
double bubbleFraction(ScheduleKind kind, double pp, double microBatches, double virtualStages = 1);

/// Durations of the passes of one stage (model order) for one micro-batch.
struct StageSeconds {
    double forward = 0;
    double backwardInput = 0;
    double backwardWeight = 0;
    double sendForward = 0;   ///< from the end of the pass to the arrival at the next stage
    double sendBackward = 0;  ///< to the previous stage
    /// Communication in these passes that another micro-batch's computing can hide.
    double forwardCommSeconds = 0, backwardCommSeconds = 0;
};

/// Time saved by a pair of one micro-batch's forward and another's backward pass in DualPipe and DualPipeV: each one's
/// communication overlaps the other's computing, for the computing's length (DeepSeek-V3, arXiv 2412.19437, sec. 3.2.1,
/// fig. 4). Communication never overlaps its own micro-batch's computing.
double pairOverlapSeconds(const StageSeconds& forward, const StageSeconds& backward);

struct SimulatedSchedule {
    std::vector<TimeSpan> spans;      ///< passes and the waits before them, by rank and time
    std::vector<double> busySeconds;  ///< per rank, in passes
    double totalSeconds = 0;
    double longestSpanSeconds = 0;  ///< longest time from a rank's first pass to its last
    /// Mean over ranks of the time outside passes, over the total time.
    [[nodiscard]] double bubble() const;
};

/// Simulates the schedule: each rank runs its actions in order; a receive waits for its message; sends do not wait.
/// Pairs of DualPipe overlap (pairOverlapSeconds()).
/// @param stages one entry per stage of the schedule
/// @param keepSpans false omits the list of spans
SimulatedSchedule simulateSchedule(const PipelineSchedule& schedule, const std::vector<StageSeconds>& stages,
                                   bool keepSpans = true);

}  // namespace slipway
