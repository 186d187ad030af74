// Titles of all columns, curves and comparison figures of runs: one table for the window, the command and reports.
//   textOf(titleOf("memory_peak_bytes")) == "Memory, worst rank"     titleOf("forecast.mfu"): "MFU, forecast"
#pragma once

#include "core/base/message.h"

#include <string_view>

namespace slipway {

/// The title of a run field, a figure, a metric or a field of a config by its key; the key itself where there is none.
Message titleOf(std::string_view name);

}  // namespace slipway
