// What changed between two plans: fields of config and hardware, and all figures side by side.
//   for (const FieldDifference& d : fieldDifferences(before, after)) d.path, d.left, d.right
#pragma once

#include "core/planner/values/forecast.h"

#include <string>
#include <vector>

namespace slipway {

/// Differing fields: of the configs (diffConfigs), then of the hardware ("cluster.num_nodes").
std::vector<FieldDifference> fieldDifferences(const Plan& before, const Plan& after);

/// Unit of a figure, for its formatting.
enum class FigureUnit { Seconds, Bytes, Share, PerSecond, Count, Hours, Money };

struct FigureDifference {
    std::string name;  ///< of the forecast document: "step_seconds", "memory.weight_bytes"
    FigureUnit unit = FigureUnit::Seconds;
    double before = kUnknown, after = kUnknown;
    int better = 0;                       ///< +1 more is better, -1 less is better, 0 neither
    std::string labelBefore, labelAfter;  ///< measured, calibrated, textbook

    /// (after - before) / before; NaN when either is unknown or before is 0.
    [[nodiscard]] double change() const;
};

/// All figures of the forecast in its order: answers, parts of the step, parts of the fullest rank's memory.
std::vector<FigureDifference> figureDifferences(const Plan& before, const Plan& after);

}  // namespace slipway
