// What a forecast rests on, read from its document (core/planner writes it, the store keeps it as text).
//   forecastLabel(run.forecastJson) == "calibrated"
#pragma once

#include <string>

namespace slipway {

/// "textbook", "typical", "calibrated", "extrapolated" or "measured"; empty when the document has none.
std::string forecastLabel(const std::string& forecastJson);

/// Name of the software stack that the forecast is of; empty: none, or a document of an earlier version.
std::string forecastSoftware(const std::string& forecastJson);

}  // namespace slipway
