#include "core/planner/time/repeated_passes.h"

#include "core/planner/terms/term.h"
#include "core/planner/time/compute.h"

#include <algorithm>

namespace slipway {

template <class Number>
Number graphSavedSeconds(const RunConfig& config, const RankSpeed& speed) {
    if (!config.train.cudaGraphs || !speed.constants.hidesOperations || config.model.moe) return {};
    constexpr double kKernelGapSeconds = 0.5e-6;
    RankSpeed repeated = speed;
    repeated.constants.operationSeconds = std::min(speed.constants.operationSeconds, kKernelGapSeconds);
    const auto seconds = [&](std::string_view name, const RankSpeed& s) {
        return quantity<Number>(name,
                                static_cast<double>(config.model.numLayers) * layerSeconds(config, s, false).total() +
                                    embeddingSeconds(config, s).total() + headSeconds(config, s).total(),
                                "s");
    };
    return larger(0.0, seconds("micro_batch_seconds", speed) - seconds("repeated_micro_batch_seconds", repeated) -
                           quantity<Number>("launch_seconds", speed.constants.operationSeconds, "s"));
}

template double graphSavedSeconds(const RunConfig&, const RankSpeed&);
template Term graphSavedSeconds(const RunConfig&, const RankSpeed&);

}  // namespace slipway
