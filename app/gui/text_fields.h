// The table behind fieldLabel() and fieldHelp().
#pragma once

#include <string_view>

namespace slipway::gui {

struct FieldText {
    std::string_view path;
    const char* label;  ///< English; translation context "Field"
    const char* help;   ///< as in the field table of core
};

/// The row of a field path, or null.
const FieldText* findFieldText(std::string_view path);

}  // namespace slipway::gui
