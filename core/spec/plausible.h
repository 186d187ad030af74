// Impossible values of metrics, from any source: a log, a metric stream, a table.
//   if (const SourceText why = impossibleValue("step_seconds", -1); !why.empty()) ...   // "%1 is negative"
#pragma once

#include "core/base/message.h"

#include <string_view>

namespace slipway {

/// The reason why the value is impossible for the metric of this name, %1, in its unit; empty where it is possible.
/// Times, bytes and rates are not negative, a utilisation is at most 1, and a rank's memory is at most that of its
/// device, or of its computer on a CPU (0: unknown). NaN and infinities are always valid data.
SourceText impossibleValue(std::string_view metric, double value, double deviceMemoryBytes = 0);

}  // namespace slipway
