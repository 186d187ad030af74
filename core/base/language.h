// The languages of Slipway's texts. Files, JSON, codes and field names have none: they are the same everywhere.
#pragma once

#include <string_view>

namespace slipway {

enum class Language { English, Korean };

/// The language of a locale's name or a language code: "ko" and "ko_KR.UTF-8" are Korean, all others English.
[[nodiscard]] constexpr Language languageOf(std::string_view locale) {
    const bool korean = locale.starts_with("ko") && (locale.size() == 2 || locale[2] == '_' || locale[2] == '.');
    return korean ? Language::Korean : Language::English;
}

}  // namespace slipway
