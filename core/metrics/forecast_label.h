// The basis of a forecast, read from its document (written by core/planner, stored as text).
//   forecastLabel(run.forecastJson) == "calibrated"
#pragma once

#include <string>

namespace slipway {

/// "textbook", "typical", "calibrated", "extrapolated" or "measured"; empty when the document has none.
std::string forecastLabel(const std::string& forecastJson);

/// Name of the forecast's software stack; empty: none, or a document of an earlier version.
std::string forecastSoftware(const std::string& forecastJson);

}  // namespace slipway
