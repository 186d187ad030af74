// The axes of a search on a config: what one is, what its neighbours are, and the config with another value.
//   axisValue(config, SearchAxis::Tp) == 8;  withAxis(config, SearchAxis::Tp, 4)
#pragma once

#include "core/planner/search/layout_search.h"

#include <optional>
#include <vector>

namespace slipway {

/// The axis of a config as the number SearchLimits knows it by; -1 for layers dealt in a way that is no LayerSplit.
std::int64_t axisValue(const RunConfig& config, SearchAxis axis);
/// Sets one axis and nothing else.
void setAxis(RunConfig& config, SearchAxis axis, std::int64_t value);

/// Values next to the config's on one axis; empty where the axis has no effect.
std::vector<std::int64_t> axisNeighbours(const LayoutRequest& request, const RunConfig& config, SearchAxis axis);

/// The config with one axis changed; degrees trade against dp, and what has no effect any more goes back to its default.
/// Nothing when it cannot be.
std::optional<RunConfig> withAxis(const RunConfig& config, SearchAxis axis, std::int64_t value);

}  // namespace slipway
