// The basis of an estimate, for people.
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slipway::gui {

/// StepEstimate::label as a word: "textbook", "typical", "calibrated", "extrapolated", "measured".
QString labelText(std::string_view label);
/// The same with the software of the forecast: "Megatron-Core"; empty: unknown.
QString labelText(std::string_view label, std::string_view software);
/// The same as a sentence, for tool tips; empty for other labels.
QString labelHelp(std::string_view label);
/// The interval of a forecast by its label: "80 %: 24.4 GiB – 40.9 GiB", for a textbook one "Range: ...".
QString intervalText(const std::pair<double, double>& ends, std::string_view label,
                     QString (*format)(std::optional<double>));

}  // namespace slipway::gui
