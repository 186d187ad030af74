// The values of a forecast: memory, step, cost and issues of a config on a cluster, filled by makePlan() (core/planner/plan.h).
//   plan.step.stepSeconds, plan.memoryPeakBytes, plan.issues
#pragma once

#include "core/spec/cluster_spec.h"
#include "core/spec/pipeline_schedule.h"
#include "core/spec/run_config.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// An unknown figure.
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Standard deviations from the middle to either end of an 80 % interval.
constexpr double kInterval80 = 1.2815515655446004;

/// Elements (not bytes) by part. `active`: parameters used by one token; `matmul`: weights of the matrix products one
/// token passes, output head once, without embedding lookup, norms and biases (the N of FLOPs rules B and C).
struct ParameterCount {
    double embedding = 0;  ///< token and position tables; a tied output head is here, not in `head`
    double attention = 0;
    double ffn = 0;
    double norm = 0;
    double head = 0;
    double router = 0;
    double total = 0;
    double active = 0;
    double matmul = 0;
};

/// Tensor bytes of one rank at its peak. On a GPU `reserveBytes` covers context, libraries and fragmentation; on a CPU
/// it is zero, because the trainer counts tensors.
struct MemoryBreakdown {
    double weightBytes = 0;
    double gradientBytes = 0;
    double optimizerBytes = 0;
    double activationBytes = 0;
    double logitsBytes = 0;
    double bufferBytes = 0;  ///< communication buffers, transient copies, cached constants
    double reserveBytes = 0;
    [[nodiscard]] double totalBytes() const {
        return weightBytes + gradientBytes + optimizerBytes + activationBytes + logitsBytes + bufferBytes +
               reserveBytes;
    }
};

/// A rank's memory in a later step, at the fullest moment of each part; each moment has its own tensors.
struct StepMoments {
    MemoryBreakdown rest;      ///< between steps
    MemoryBreakdown forward;   ///< of the last stage while it computes the loss
    MemoryBreakdown backward;  ///< of a layer, the head's weight gradient or the embedding's
    MemoryBreakdown update;    ///< of the optimizer
    [[nodiscard]] const MemoryBreakdown& fullest() const {
        const MemoryBreakdown& passes = forward.totalBytes() > backward.totalBytes() ? forward : backward;
        return update.totalBytes() > passes.totalBytes() ? update : passes;
    }
};

/// Memory of one pipeline rank with all its chunks.
struct StageMemory {
    std::int64_t stage = 0;       ///< pipeline rank
    std::int64_t firstLayer = 0;  ///< of its first chunk
    std::int64_t numLayers = 0;   ///< over all its chunks
    MemoryBreakdown bytes;        ///< at its fullest moment
    StepMoments moments;
};

/// One bar of the schedule drawing.
struct TimeSpan {
    std::int64_t rank = 0;  ///< pipeline rank
    ActionKind kind = ActionKind::Forward;
    std::int64_t microBatch = 0;
    std::int64_t chunk = 0;
    double startSeconds = 0;
    double endSeconds = 0;
};

/// One optimizer step. The parts are the critical rank's and add up to stepSeconds.
struct StepEstimate {
    double computeSeconds = kUnknown;
    double tpExposedSeconds = kUnknown, cpExposedSeconds = kUnknown, epExposedSeconds = kUnknown;
    double ppExposedSeconds = kUnknown;
    double bubbleSeconds = kUnknown;
    double dpExposedSeconds = kUnknown;
    double optimizerSeconds = kUnknown;
    double fixedSeconds = kUnknown;  ///< per-step overhead outside the above
    double stepSeconds = kUnknown;
    double stepSecondsLow = kUnknown, stepSecondsHigh = kUnknown;  ///< 80 % interval
    double waitChance = 0;   ///< that the run waits for its messages; above 0.5 stepSeconds includes the wait
    double waitSeconds = 0;  ///< in such a step
    double tokensPerSecond = kUnknown;
    double tokensPerSecondPerDevice = kUnknown;
    double bubbleTheoretical = kUnknown;  ///< idle share of the pipeline's time, equal stages and free transfers
    double bubbleSimulated = kUnknown;    ///< the same share from the event simulation, mean over pipeline ranks
    double commBytes = kUnknown;          ///< sent per rank and step, mean over ranks; ring algorithms
    double commSeconds = kUnknown;        ///< of collectives, overlapped or not; mean over ranks
    std::optional<double> mfu, hfu;       ///< empty when the peak is unknown
    std::string mfuRule = "C";            ///< FlopsRule of mfu and hfu
    std::string label = "textbook";       ///< textbook, typical, calibrated, extrapolated or measured
    std::vector<TimeSpan> timeline;       ///< passes and transfers of all pipeline ranks
};

struct CostEstimate {
    double deviceHours = kUnknown;
    double trainingSeconds = kUnknown;
    std::optional<double> money;  ///< empty when the price is unknown
    std::string currency = "USD";
};

struct Plan {
    RunConfig config;
    ClusterSpec cluster;
    ParameterCount parameters;
    std::vector<StageMemory> memory;  ///< per pipeline rank; empty when the config has errors
    std::size_t worstStage = 0;       ///< index into memory
    double memoryPeakBytes = kUnknown;
    double memoryCapacityBytes = kUnknown;  ///< usable by one rank; NaN when unknown
    StepEstimate step;
    CostEstimate cost;
    Issues issues;  ///< from validate(), the cluster, the memory check, advice
};

/// A legal layout with its figures.
struct LayoutChoice {
    ParallelLayout parallel;
    std::int64_t microBatchSize = 1;
    RecomputePolicy recompute = RecomputePolicy::None;
    double stepSeconds = kUnknown;
    double tokensPerSecond = kUnknown;
    double memoryPeakBytes = kUnknown;
};

}  // namespace slipway
