// Each rank's facts about a step, gathered to all: the metrics of the step and the common decision to stop.
#pragma once

#include "core/spec/metric_line.h"
#include "trainer/comm/mesh.h"
#include "trainer/pipeline/executor.h"
#include "trainer/telemetry/device_memory.h"
#include "trainer/telemetry/device_sampler.h"

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace slipway::trainer {

/// One rank's share. Times in seconds; firstPass and lastPass since the start of the step (all ranks start a step together).
struct StepFacts {
    double stepSeconds = 0;
    double forwardSeconds = 0, backwardSeconds = 0, optimizerSeconds = 0, dataSeconds = 0;
    double busySeconds = 0, firstPass = 0, lastPass = 0;
    double commBytes = 0, commSeconds = 0, commExposedSeconds = 0, pipelineWaitSeconds = 0;
    double tensorPeakBytes = 0, rssBytes = 0;
    double stop = 0;               ///< 1: a stop was requested
    double failure = 0;            ///< TrainerExit of a failure on this rank, 0 for none
    double checkpointWritten = 0;  ///< 1: this rank's part of the checkpoint in progress is written
    /// Of the rank's GPU; NaN without one or where it does not report.
    double deviceClockHertz = kUnknown, devicePowerWatts = kUnknown, deviceTemperatureCelsius = kUnknown;
    double deviceMemoryUsedBytes = kUnknown,
           deviceThrottled = kUnknown;  ///< the last is 1 for a throttled device
    double reservedPeakBytes = kUnknown, allocatorRetries = kUnknown;
    /// Of commExposedSeconds, by axis; then waits of the collectives over all ranks, which are excluded from it.
    double tpExposedSeconds = 0, cpExposedSeconds = 0, dpExposedSeconds = 0, epExposedSeconds = 0;
    double worldExposedSeconds = 0;
    /// Of all these, during optimizerSeconds, and before the first pass or after the last; a GPU's waits come later.
    double updateExposedSeconds = kUnknown, edgeExposedSeconds = kUnknown;

    /// The rank's waits for others: collectives and pipeline neighbours.
    [[nodiscard]] double waitSeconds() const { return commExposedSeconds + worldExposedSeconds + pipelineWaitSeconds; }

    static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    static constexpr std::size_t kNumFields = 31;
    [[nodiscard]] std::array<double, kNumFields> pack() const;
    static StepFacts unpack(const double* fields);
};

/// Counters of the groups of the parallel axes; pp separate, because its waits are the pipeline's bubble.
struct CommTotals {
    double bytes = 0, seconds = 0, pipelineWaitSeconds = 0;
    double tpExposedSeconds = 0, cpExposedSeconds = 0, dpExposedSeconds = 0, epExposedSeconds = 0;
    double worldExposedSeconds = 0;  ///< of the group of all ranks, whose bytes and seconds are not counted
    [[nodiscard]] double exposedSeconds() const {
        return tpExposedSeconds + cpExposedSeconds + dpExposedSeconds + epExposedSeconds;
    }
    static CommTotals of(const ProcessMesh& mesh);
};

/// Adds traffic and waits between two states of the counters.
void addCommunication(StepFacts& facts, const CommTotals& before, const CommTotals& after);

/// Adds the part of it during the update and, of `edge` seconds, before the first pass and after the last, when ranks agree on tokens and
/// loss. Counters before the step and before its update; for a CPU, whose waits are counted at their end.
void addLateWaits(StepFacts& facts, const CommTotals& before, const CommTotals& beforeUpdate, double edge);

/// Adds pass times from the executor's spans. @param offset of the executor's start from the step's
void addSpans(StepFacts& facts, const std::vector<Span>& spans, double offset);

/// Adds the sample of the rank's GPU.
void addDevice(StepFacts& facts, const DeviceSample& sample);
/// Adds the memory of the step. @param memory with its peak reset at the start of the step
void addMemory(StepFacts& facts, const DeviceMemory& memory);

/// All ranks' facts in rank order, on every rank. A collective over `world`.
std::vector<StepFacts> gatherFacts(const StepFacts& mine, const ProcessMesh& mesh, at::Device device);

/// Idle share of the pipeline ranks between the first and the last pass of the step: 1 - busy / (pp * window), mean
/// over the pipelines. 0 without a pipeline.
double observedBubble(const std::vector<StepFacts>& ranks, const ParallelLayout& layout);

/// Lead of ranks over the slowest one of their stage in seconds, mean over ranks. A rank's own time is its step without
/// its waits.
double imbalance(const std::vector<StepFacts>& ranks, const ParallelLayout& layout);

/// Reduced values under the names of kStepMetrics. Those of GPUs only where a rank has them, those of waits by axis
/// only with more than one rank, or with the axis.
std::vector<std::pair<std::string, double>> factMetrics(const std::vector<StepFacts>& ranks,
                                                        const ParallelLayout& layout);

}  // namespace slipway::trainer
