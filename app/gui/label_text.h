// What an estimate rests on, for people.
#pragma once

#include <QString>

#include <string>
#include <string_view>

namespace slipway::gui {

/// StepEstimate::label as a word: "textbook", "calibrated", "measured".
QString labelText(std::string_view label);
/// The same as a sentence, for tool tips; empty for other words.
QString labelHelp(std::string_view label);
/// A word for a forecast with what it rests on: "Forecast, textbook"; the word alone when the document does not say.
QString withForecastLabel(const QString& word, const std::string& forecastJson);

}  // namespace slipway::gui
