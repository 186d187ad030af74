#include "core/planner/cost/checkpoint.h"

#include "core/planner/count/parameters.h"
#include "core/planner/memory/policy.h"

namespace slipway {

double checkpointStateBytes(const RunConfig& config) {
    const StatePolicy policy = trainerStatePolicy(config.train.precision, config.train.gradDtype);
    // 16-bit weights are not written: their fp32 master copy is, which counts among the optimizer's bytes.
    const double weightBytes = policy.weightBytes < 4 ? 0 : policy.weightBytes;
    return static_cast<double>(countParameters(config.model).total) * (weightBytes + policy.optimizerBytes);
}

}  // namespace slipway
