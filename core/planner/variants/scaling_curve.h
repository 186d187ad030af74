// Scaling of a run with more devices: strong (constant batch) or weak (the batch grows with the replicas).
//   for (const ScalingPoint& p : scalingCurve(config, cluster, ScalingMode::Strong, 4)) ...
#pragma once

#include "core/planner/values/forecast.h"

#include <array>
#include <vector>

namespace slipway {

enum class ScalingMode { Strong, Weak };
constexpr auto enumNames(ScalingMode) {
    return std::array{EnumName<ScalingMode>{ScalingMode::Strong, "strong", "same batch, more devices"_text},
                      EnumName<ScalingMode>{ScalingMode::Weak, "weak", "batch grows with the devices"_text}};
}

struct ScalingPoint {
    std::int64_t dp = 1, devices = 1, globalBatchSize = 1;
    double stepSeconds = kUnknown, tokensPerSecond = kUnknown;
    double efficiency = kUnknown;  ///< tokens/s per device over those of the first point
    std::optional<double> mfu;
    bool fits = false;
    std::string obstacle;  ///< first error, when the layout is not legal
};

/// The config with dp, 2 dp, 4 dp ... replicas, `points` in all; nodes are added as needed. The first point is the
/// config's own. Impossible layouts, such as a batch that no longer divides, stay in the list with their obstacle.
std::vector<ScalingPoint> scalingCurve(const RunConfig& config, const ClusterSpec& cluster, ScalingMode mode,
                                       int points);

}  // namespace slipway
