// Checkpoint arithmetic: size, stall and the best interval between checkpoints.
#pragma once

#include "core/spec/run_config.h"

#include <cmath>

namespace slipway {

/// A full checkpoint of a mixed-precision run: 16-bit weights, fp32 master copy, two moments.
constexpr double kCheckpointBytesPerParameter = 14;
constexpr double checkpointFileBytes(double parameters, double bytesPerParameter = kCheckpointBytesPerParameter) {
    return parameters * bytesPerParameter;
}

/// Bytes of one checkpoint of the bundled trainer, for any layout: each element of the state once
/// (trainer/checkpoint/write_plan.h), weights in their update format and the optimizer's moments. Headers and manifest
/// come on top, some 250 bytes for each piece of a tensor.
double checkpointStateBytes(const RunConfig& config);
/// Bytes per element of the state there; under Muon, matrices between hidden layers have one moment less.
double checkpointBytesPerParameter(const RunConfig& config);
/// Elements of the matrices between hidden layers.
double hiddenMatrixParameters(const ModelSpec& model);

/// Mean time between failures of a cluster of independent nodes.
constexpr double clusterMtbfSeconds(double nodeMtbfSeconds, double nodes) {
    return nodeMtbfSeconds / nodes;
}

/// Interval with the least loss: sqrt(2 * stall * MTBF) (Young 1974; Daly 2006, first order).
inline double bestCheckpointInterval(double stallSeconds, double mtbfSeconds) {
    return std::sqrt(2 * stallSeconds * mtbfSeconds);
}

/// Share of time with progress: the remainder after stalls, and after redoing half an interval and restarting per failure.
inline double goodput(double intervalSeconds, double stallSeconds, double restartSeconds, double mtbfSeconds) {
    const double stalls = intervalSeconds / (intervalSeconds + stallSeconds);
    return stalls * std::fmax(0, 1 - (intervalSeconds / 2 + restartSeconds) / mtbfSeconds);
}

}  // namespace slipway
