// What an estimate rests on, for people.
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slipway::gui {

/// StepEstimate::label as a word: "textbook", "calibrated", "measured".
QString labelText(std::string_view label);
/// The same as a sentence, for tool tips; empty for other words.
QString labelHelp(std::string_view label);
/// The interval of a forecast: "80 %: 24.4 GiB – 40.9 GiB".
QString intervalText(const std::pair<double, double>& ends, QString (*format)(std::optional<double>));

}  // namespace slipway::gui
