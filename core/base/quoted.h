// Values in the files of other programs: one function for each language, and one check of the permitted characters.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace slipway {

/// A word quoted so that a POSIX shell reads it back unchanged.
std::string shellQuoted(std::string_view word);

/// A double-quoted YAML scalar (a JSON string, which YAML 1.2 contains); read back unchanged, never as a number or a
/// boolean. The text is UTF-8.
std::string yamlQuoted(std::string_view text);

/// "bad_value" for text that a quoted value cannot carry through every parser: a line break of any kind, another
/// control character, a direction mark, bytes that are not UTF-8. @param field its name in the message
Result<void> checkOneLine(std::string_view text, const std::string& field);

}  // namespace slipway
