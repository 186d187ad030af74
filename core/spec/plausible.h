// Values of metrics that no run can measure, whoever reports them: a log, a metric stream, a table.
//   if (const std::string why = impossibleValue("step_seconds", -1); !why.empty()) ...   // "step_seconds is negative"
#pragma once

#include <string>
#include <string_view>

namespace slipway {

/// Why no run can measure this value of the metric of this name, in its unit; empty where one can. Times, bytes and rates are
/// not negative, and a utilisation is at most 1. NaN and infinities are data, whatever they say.
std::string impossibleValue(std::string_view metric, double value);

}  // namespace slipway
