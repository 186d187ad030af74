#include "core/planner/evidence/measured_run.h"

namespace slipway {

StageSplit computeBalancedSplit(const ModelSpec& model, std::int64_t pp) {
    const auto h = static_cast<double>(model.hiddenSize), f = static_cast<double>(model.ffnHiddenSize);
    const double layer = 4 * h * h + 3 * f * h, head = static_cast<double>(model.vocabSize) * h;
    const double total = static_cast<double>(model.numLayers) * layer + head;
    StageSplit split;
    split.layers.assign(static_cast<std::size_t>(pp), 0);
    std::int64_t stage = 0;
    double sum = 0;
    const auto isFull = [&] { return sum >= total * (static_cast<double>(stage + 1) / static_cast<double>(pp)); };
    for (std::int64_t i = 0; i < model.numLayers; ++i) {
        ++split.layers[static_cast<std::size_t>(stage)];
        sum += layer;
        if (stage + 1 < pp && isFull()) ++stage;
    }
    split.bareStages = pp - 1 - stage;  // the head's stage is the last with parameters
    return split;
}

}  // namespace slipway
