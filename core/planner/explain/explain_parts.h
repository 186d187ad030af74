// One builder per explained figure; private to this folder.
#pragma once

#include "core/planner/count/flops.h"
#include "core/planner/explain/explain.h"
#include "core/planner/explain/ledger.h"

namespace slipway {

/// "a + b + c" over the names of the inputs.
std::string sumOf(const std::vector<ExplainedNumber>& inputs);

/// Source of the figures of the plan's device.
Message deviceSource(const Plan& plan);

/// A term's figure, formula and operands.
Explanation explanationOf(const Term& term, std::vector<Message> source);

Explanation explainStep(Ledger& ledger);
Explanation explainTokensPerSecond(const Plan& plan);
Explanation explainTokensPerSecondPerDevice(const Plan& plan);
Explanation explainMfu(const Plan& plan, FlopsRule rule);
Explanation explainHfu(const Plan& plan, FlopsRule rule);
Explanation explainFlopsPerToken(const Plan& plan, FlopsRule rule);
Explanation explainHardwareFlops(const Plan& plan, FlopsRule rule);
Explanation explainBubbleTheoretical(const Plan& plan);
Explanation explainBubbleSimulated(Ledger& ledger);
Explanation explainCommBytes(Ledger& ledger);
Explanation explainTrainingSeconds(const Plan& plan);
Explanation explainDeviceHours(const Plan& plan);
Explanation explainMoney(const Plan& plan);
Explanation explainComputeSeconds(Ledger& ledger);
Explanation explainGraphSavedSeconds(Ledger& ledger);
Explanation explainGraphBytes(Ledger& ledger);
Explanation explainTpSeconds(Ledger& ledger);
Explanation explainBubbleSeconds(Ledger& ledger);
Explanation explainDpSeconds(Ledger& ledger);
Explanation explainCpSeconds(Ledger& ledger);
Explanation explainEpSeconds(Ledger& ledger);
Explanation explainPpSeconds(Ledger& ledger);
Explanation explainOptimizerSeconds(Ledger& ledger);
Explanation explainFixedSeconds(Ledger& ledger);
Explanation explainCommSeconds(Ledger& ledger);

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

Explanation explainMemory(Ledger& ledger);
Explanation explainWeightBytes(Ledger& ledger);
Explanation explainGradientBytes(Ledger& ledger);
Explanation explainOptimizerBytes(Ledger& ledger);
Explanation explainActivationBytes(Ledger& ledger);
Explanation explainLogitsBytes(Ledger& ledger);
Explanation explainBufferBytes(Ledger& ledger);
Explanation explainReserveBytes(Ledger& ledger);
Explanation explainCapacity(const Plan& plan);
Explanation explainHostMemory(Ledger& ledger);
Explanation explainStagingBytes(Ledger& ledger);
Explanation explainHostOptimizerBytes(Ledger& ledger);
Explanation explainHostActivationBytes(Ledger& ledger);
Explanation explainNodeHostBytes(const Plan& plan);
Explanation explainNodeTensorBytes(const Plan& plan);
Explanation explainNodeCapacity(const Plan& plan);

}  // namespace slipway
