#include "core/base/quoted.h"

#include "core/base/untrusted_text.h"
#include "core/base/utf8.h"

#include <nlohmann/json.hpp>

namespace slipway {

std::string shellQuoted(std::string_view word) {
    if (!word.empty() &&
        word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%") ==
            std::string_view::npos)
        return std::string(word);
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

std::string yamlQuoted(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<void> checkOneLine(std::string_view text, const std::string& field) {
    constexpr char32_t kLineSeparator = 0x2028, kParagraphSeparator = 0x2029;
    for (std::size_t at = 0; at < text.size();) {
        const bool isCharacter = utf8Length(text, at) > 0;
        const char32_t c = nextCodePoint(text, at);
        if (isCharacter && !steersText(c) && c != kLineSeparator && c != kParagraphSeparator) continue;
        return fail("bad_value",
                    "%1 holds a line break or another character that cannot be shown; remove it."_text(field), field);
    }
    return {};
}

}  // namespace slipway
