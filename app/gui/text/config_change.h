// A change of a config in the window's words.
//   configChangeText(before, after) == "Pipeline (pp) 2 → 1, Data parallel (dp) 1 → 2"
#pragma once

#include "core/spec/run_config.h"

#include <QString>

namespace slipway::gui {

/// What differs between two configs, fields and values translated; empty where no field does. Fields that no longer apply are left out.
QString configChangeText(const RunConfig& before, const RunConfig& after);

}  // namespace slipway::gui
