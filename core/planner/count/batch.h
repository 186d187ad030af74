// Batch arithmetic: sequences, tokens and steps.
#pragma once

#include <cmath>
#include <cstdint>

namespace slipway {

/// Replicas that remain when the other axes divide a number of devices.
constexpr std::int64_t dataParallelDegree(std::int64_t devices, std::int64_t tp, std::int64_t pp, std::int64_t cp = 1) {
    return devices / (tp * pp * cp);
}
/// Micro-batches per replica and optimizer step.
constexpr std::int64_t accumulationSteps(std::int64_t globalBatch, std::int64_t microBatch, std::int64_t dp) {
    return globalBatch / (microBatch * dp);
}
/// Sequences per optimizer step over all replicas.
constexpr std::int64_t globalBatch(std::int64_t microBatch, std::int64_t accumulation, std::int64_t dp) {
    return microBatch * accumulation * dp;
}
constexpr double tokensOf(double sequences, double seqLen) {
    return sequences * seqLen;
}
/// Number of steps, rounded up, for this many tokens.
inline double stepsForTokens(double tokens, double tokensPerStep) {
    return std::ceil(tokens / tokensPerStep);
}
/// Steps as a real number, for warm-ups given in tokens.
constexpr double stepsAsReal(double tokens, double tokensPerStep) {
    return tokens / tokensPerStep;
}
/// Steps of a warm-up given as a fraction of the run.
inline std::int64_t warmupSteps(double steps, double fraction) {
    return std::llround(steps * fraction);
}

}  // namespace slipway
