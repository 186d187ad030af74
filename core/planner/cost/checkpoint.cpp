#include "core/planner/cost/checkpoint.h"

#include "core/planner/count/parameters.h"
#include "core/planner/memory/policy.h"

namespace slipway {

double checkpointStateBytes(const RunConfig& config) {
    const StatePolicy policy = trainerStatePolicy(config.train, config.optimizer);
    // 16-bit weights are not written where they have an fp32 master copy: it is, and counts among the optimizer's bytes.
    const bool master =
        policy.weightBytes < 4 && !(config.train.precision == Precision::Bf16 && config.train.stochasticRounding);
    const double weightBytes = master ? 0 : policy.weightBytes;
    double bytes = static_cast<double>(countParameters(config.model).total) * (weightBytes + policy.optimizerBytes);
    if (config.optimizer.kind != OptimizerKind::Muon) return bytes;
    for (std::int64_t layer = 0; layer < config.model.numLayers; ++layer) {  // matrices have no second moment
        const LayerParameters p = countLayer(config.model, layer);
        bytes -= momentBytes(config.train, config.optimizer) * (p.attention + p.ffn + p.router - p.vectors);
    }
    return bytes;
}

}  // namespace slipway
