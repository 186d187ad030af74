// Where a value of a JSON document is in its text, so that a problem is shown at its line.
//   lineOf(text, "/axes/0/values/2")   // 1-based
#pragma once

#include <string_view>

namespace slipway::gui {

/// The line of the value a JSON pointer names; of the nearest value around it where it does not exist. The text must be
/// valid JSON; 1 otherwise.
int lineOf(std::string_view text, std::string_view pointer);

}  // namespace slipway::gui
