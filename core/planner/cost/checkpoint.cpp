#include "core/planner/cost/checkpoint.h"

#include "core/planner/count/parameters.h"
#include "core/planner/memory/policy.h"

namespace slipway {

double checkpointBytesPerParameter(const RunConfig& config) {
    const StatePolicy policy = trainerStatePolicy(config.train, config.optimizer);
    // 16-bit weights with an fp32 master copy are not written: the copy is, and counts among the optimizer's bytes.
    const bool master =
        policy.weightBytes < 4 && !(config.train.precision == Precision::Bf16 && config.train.stochasticRounding);
    return (master ? 0 : policy.weightBytes) + policy.optimizerBytes;
}

double hiddenMatrixParameters(const ModelSpec& model) {
    double sum = 0;
    for (std::int64_t layer = 0; layer < model.numLayers; ++layer) {
        const LayerParameters p = countLayer(model, layer);
        sum += p.attention + p.ffn + p.router - p.vectors;
    }
    return sum;
}

double checkpointStateBytes(const RunConfig& config) {
    const double bytes = countParameters(config.model).total * checkpointBytesPerParameter(config);
    if (config.optimizer.kind != OptimizerKind::Muon) return bytes;
    return bytes - hiddenMatrixParameters(config.model) * momentBytes(config.train, config.optimizer);
}

}  // namespace slipway
