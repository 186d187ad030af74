// The axes of a search on a config: value, neighbours, and the config with another value.
//   axisValue(config, SearchAxis::Tp) == 8;  withAxis(config, SearchAxis::Tp, 4)
#pragma once

#include "core/planner/search/layout_search.h"

#include <optional>
#include <vector>

namespace slipway {

/// The axis of a config as its number in SearchLimits; -1 for a partition of layers that is not a LayerSplit.
std::int64_t axisValue(const RunConfig& config, SearchAxis axis);
/// Sets one axis and nothing else.
void setAxis(RunConfig& config, SearchAxis axis, std::int64_t value);

/// Values next to the config's on one axis; empty where the axis has no effect.
std::vector<std::int64_t> axisNeighbours(const LayoutRequest& request, const RunConfig& config, SearchAxis axis);

/// The config with one axis changed; degrees trade against dp, and fields without effect are reset to their defaults.
/// Empty when impossible.
std::optional<RunConfig> withAxis(const RunConfig& config, SearchAxis axis, std::int64_t value);

}  // namespace slipway
