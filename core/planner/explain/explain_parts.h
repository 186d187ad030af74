// One builder per explained figure; private to this folder.
#pragma once

#include "core/planner/explain/explain.h"

namespace slipway {

/// "a + b + c" over the names of the inputs.
std::string sumOf(const std::vector<ExplainedNumber>& inputs);

Explanation explainStep(const Plan& plan);
Explanation explainTokensPerSecond(const Plan& plan);
Explanation explainTokensPerSecondPerDevice(const Plan& plan);
Explanation explainMfu(const Plan& plan);
Explanation explainFlopsPerToken(const Plan& plan);
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

Explanation explainMemory(const Plan& plan);
Explanation explainWeightBytes(const Plan& plan);
Explanation explainGradientBytes(const Plan& plan);
Explanation explainOptimizerBytes(const Plan& plan);
Explanation explainActivationBytes(const Plan& plan);
Explanation explainLogitsBytes(const Plan& plan);
Explanation explainHostMemory(const Plan& plan);
Explanation explainStagingBytes(const Plan& plan);
Explanation explainHostOptimizerBytes(const Plan& plan);
Explanation explainHostActivationBytes(const Plan& plan);

}  // namespace slipway
