// Position of a value in the text of a JSON document, for showing a problem at its line.
//   lineOf(text, "/axes/0/values/2")   // 1-based
#pragma once

#include <string_view>

namespace slipway::gui {

/// The line of the value at a JSON pointer; of the nearest enclosing value where it does not exist. The text must be
/// valid JSON; 1 otherwise.
int lineOf(std::string_view text, std::string_view pointer);

}  // namespace slipway::gui
