// A change of a config in the window's words.
//   configChangeText(before, after) == "Pipeline (pp) 2 → 1, Data parallel (dp) 1 → 2"
#pragma once

#include "core/spec/run_config.h"

#include <QString>

namespace slipway::gui {

/// Differences between two configs, with translated fields and values; empty if none. Fields that no longer apply are omitted.
QString configChangeText(const RunConfig& before, const RunConfig& after);

}  // namespace slipway::gui
