// UTF-8, one sequence at a time.
#pragma once

#include <cstddef>
#include <string_view>

namespace slipway {

/// What replaces a byte outside of every valid sequence.
constexpr char32_t kReplacementCharacter = 0xFFFD;

/// Bytes that the sequence at `at` takes, 0 when it is not valid (Unicode 15, table 3-7).
std::size_t utf8Length(std::string_view text, std::size_t at);

/// The code point at `at`, which is moved behind it; kReplacementCharacter for a byte that belongs to no valid sequence.
char32_t nextCodePoint(std::string_view text, std::size_t& at);

/// Code points of a text; a byte that belongs to no valid sequence counts as one.
std::size_t countCodePoints(std::string_view text);

}  // namespace slipway
