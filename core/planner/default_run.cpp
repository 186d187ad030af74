#include "core/planner/default_run.h"

#include "core/planner/count/parameters.h"

#include <algorithm>
#include <cmath>

namespace slipway {

std::int64_t ownSeqLen(const ModelSpec& model) {
    if (!model.ropeScaling || model.ropeScaling->kind == RopeScalingKind::Linear) return model.maxSeqLen;
    return std::min(model.maxSeqLen, model.ropeScaling->originalMaxSeqLen);
}

RunConfig defaultRun(const ModelSpec& model, const DeviceSpec& device) {
    constexpr std::int64_t kBatchTokens = 1 << 22;
    constexpr double kTokensPerParameter = 20;
    RunConfig run;
    run.model = model;
    run.train.seqLen = ownSeqLen(model);
    run.train.device = device.kind;
    if (device.kind == DeviceKind::Cpu) return run;
    run.train.precision = !device.peakBf16Flops && device.peakFp16Flops ? Precision::Fp16 : Precision::Bf16;
    run.train.microBatchSize = 1;
    run.train.globalBatchSize = std::max<std::int64_t>(1, kBatchTokens / run.train.seqLen);
    const double tokens = kTokensPerParameter * countParameters(model).total;
    const double steps = std::ceil(tokens / static_cast<double>(run.tokensPerStep()));
    run.train.numSteps = static_cast<std::int64_t>(std::clamp(steps, 1.0, 1e9));
    return run;
}

}  // namespace slipway
