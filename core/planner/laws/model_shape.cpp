#include "core/planner/laws/model_shape.h"

#include "core/base/units.h"
#include "core/planner/count/parameters.h"

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

constexpr double kWidthPerLayer = 128;
constexpr double kFfnWidth = 3.5;
std::int64_t toSteps(double width, std::int64_t step) {
    return std::max<std::int64_t>(1, std::llround(width / static_cast<double>(step))) * step;
}

}  // namespace

Result<ModelSpec> modelOfSize(double parameters) {
    if (!(parameters >= kSmallestShape && parameters <= kLargestShape))
        return fail("out_of_range",
                    "A model of %1 parameters has no usual shape; choose a size from %2 to %3."_text(
                        ShortCount{parameters}, ShortCount{kSmallestShape}, ShortCount{kLargestShape}),
                    "parameters");
    ModelSpec best;
    double least = INFINITY;
    const std::int64_t headSize = parameters < 4e9 ? 64 : 128;
    const std::int64_t step = 2 * headSize;  // of the feed-forward width
    for (std::int64_t heads = 8; heads <= 1024; heads += 8) {
        ModelSpec m;
        m.family = Family::Llama;
        m.hiddenSize = heads * headSize;
        m.numHeads = heads;
        m.numKvHeads = 8;
        m.vocabSize = parameters < 1e9 ? 32000 : 128256;
        m.tieEmbeddings = parameters < 4e9;
        m.maxSeqLen = 8192;
        const double hidden = static_cast<double>(m.hiddenSize);
        m.ffnHiddenSize = toSteps(kFfnWidth * hidden, step);
        m.numLayers = 2;
        const double perLayer = countLayer(m, 0).total();
        const double ends = countParameters(m).total - 2 * perLayer;
        m.numLayers = std::max<std::int64_t>(2, 2 * std::llround((parameters - ends) / perLayer / 2));
        // The remainder goes to the feed-forward layers, whose three matrices grow with their width.
        const double layers = static_cast<double>(m.numLayers);
        const double missing = parameters - ends - layers * perLayer;
        m.ffnHiddenSize = toSteps(static_cast<double>(m.ffnHiddenSize) + missing / (3 * hidden * layers), step);
        const double ratio = hidden / layers / kWidthPerLayer;
        const double miss = countParameters(m).total / parameters;
        const double cost = std::fabs(std::log(ratio)) + 20 * std::fabs(std::log(miss));
        if (cost < least) {
            least = cost;
            best = m;
        }
        if (ends > parameters) break;
    }
    return best;
}

}  // namespace slipway
