// A run of a small model on two nodes of H100s, for tests that need one with a known truth.
#pragma once

#include "core/planner/evidence/forecast_run.h"
#include "core/planner/presets.h"

namespace slipway {

inline double forecastStepSeconds(const MeasuredRun& run) {
    return forecastStep(run).seconds;
}

inline MeasuredRun toyRun(std::int64_t tp, std::int64_t microBatch, std::int64_t dp) {
    MeasuredRun run;
    run.source = "toy";
    run.stack = "toy | H100 | 16 bit";
    run.model = "toy";
    run.cell = "toy";
    RunConfig& c = run.config;
    c.model.numLayers = 24;
    c.model.hiddenSize = 2048;
    c.model.ffnHiddenSize = 5632;
    c.model.numHeads = 16;
    c.model.vocabSize = 32000;
    c.train.seqLen = c.model.maxSeqLen = 2048;
    c.train.microBatchSize = microBatch;
    c.train.precision = Precision::Bf16;
    c.train.device = DeviceKind::Gpu;
    c.parallel.tp = tp;
    c.parallel.dp = dp;
    c.parallel.sequenceParallel = tp > 1;
    c.train.globalBatchSize = microBatch * dp * 4;
    run.cluster = *findDevicePreset("NVIDIA H100 SXM 80 GB");
    run.cluster.numNodes = 2;
    return run;
}

}  // namespace slipway
