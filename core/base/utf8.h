// UTF-8, one sequence at a time.
#pragma once

#include <cstddef>
#include <string_view>

namespace slipway {

/// Replacement for a byte outside any valid sequence.
constexpr char32_t kReplacementCharacter = 0xFFFD;

/// Length in bytes of the sequence at `at`, 0 when it is invalid (Unicode 15, table 3-7).
std::size_t utf8Length(std::string_view text, std::size_t at);

/// The code point at `at`, which is moved past it; kReplacementCharacter for a byte outside any valid sequence.
char32_t nextCodePoint(std::string_view text, std::size_t& at);

/// Code points of a text; a byte outside any valid sequence counts as one.
std::size_t countCodePoints(std::string_view text);

}  // namespace slipway
