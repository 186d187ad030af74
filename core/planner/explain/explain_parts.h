// One builder per explained figure; private to this folder.
#pragma once

#include "core/planner/count/flops.h"
#include "core/planner/explain/explain.h"
#include "core/planner/time/step.h"

namespace slipway {

/// "a + b + c" over the names of the inputs.
std::string sumOf(const std::vector<ExplainedNumber>& inputs);

/// Where the figures of the plan's device come from.
Message deviceSource(const Plan& plan);

/// The pipeline rank whose passes are the step's compute: number of dense and other layers, embedding, head.
struct CriticalRank {
    double dense = 0, moe = 0, embedding = 0, head = 0;
    /// Of one micro-batch.
    [[nodiscard]] double computeSeconds(const TimeTable& table) const;
};
CriticalRank criticalRank(const Plan& plan, const TimeTable& table);
/// Micro-batches that pass each chunk of a rank.
double passesPerChunk(const Plan& plan);

Explanation explainStep(const Plan& plan);
Explanation explainTokensPerSecond(const Plan& plan);
Explanation explainTokensPerSecondPerDevice(const Plan& plan);
Explanation explainMfu(const Plan& plan, FlopsRule rule);
Explanation explainHfu(const Plan& plan, FlopsRule rule);
Explanation explainFlopsPerToken(const Plan& plan, FlopsRule rule);
Explanation explainHardwareFlops(const Plan& plan, FlopsRule rule);
Explanation explainBubbleTheoretical(const Plan& plan);
Explanation explainBubbleSimulated(const Plan& plan);
Explanation explainCommBytes(const Plan& plan);
Explanation explainTrainingSeconds(const Plan& plan);
Explanation explainDeviceHours(const Plan& plan);
Explanation explainMoney(const Plan& plan);
Explanation explainComputeSeconds(const Plan& plan);
Explanation explainGraphSavedSeconds(const Plan& plan);
Explanation explainGraphBytes(const Plan& plan);
Explanation explainTpSeconds(const Plan& plan);
Explanation explainBubbleSeconds(const Plan& plan);
Explanation explainDpSeconds(const Plan& plan);
Explanation explainCpSeconds(const Plan& plan);
Explanation explainEpSeconds(const Plan& plan);
Explanation explainPpSeconds(const Plan& plan);
Explanation explainOptimizerSeconds(const Plan& plan);
Explanation explainFixedSeconds(const Plan& plan);
Explanation explainCommSeconds(const Plan& plan);

Explanation explainParameters(const Plan& plan);
Explanation explainEmbeddingParameters(const Plan& plan);
Explanation explainHeadParameters(const Plan& plan);
Explanation explainAttentionParameters(const Plan& plan);
Explanation explainFfnParameters(const Plan& plan);
Explanation explainNormParameters(const Plan& plan);
Explanation explainRouterParameters(const Plan& plan);
Explanation explainActiveParameters(const Plan& plan);
Explanation explainMatmulParameters(const Plan& plan);
Explanation explainCheckpointBytes(const Plan& plan);

Explanation explainMemory(const Plan& plan);
Explanation explainWeightBytes(const Plan& plan);
Explanation explainGradientBytes(const Plan& plan);
Explanation explainOptimizerBytes(const Plan& plan);
Explanation explainActivationBytes(const Plan& plan);
Explanation explainLogitsBytes(const Plan& plan);
Explanation explainBufferBytes(const Plan& plan);
Explanation explainReserveBytes(const Plan& plan);
Explanation explainCapacity(const Plan& plan);
Explanation explainHostMemory(const Plan& plan);
Explanation explainStagingBytes(const Plan& plan);
Explanation explainHostOptimizerBytes(const Plan& plan);
Explanation explainHostActivationBytes(const Plan& plan);
Explanation explainNodeHostBytes(const Plan& plan);
Explanation explainNodeTensorBytes(const Plan& plan);
Explanation explainNodeCapacity(const Plan& plan);

}  // namespace slipway
