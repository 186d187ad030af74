// translations/korean.inc as a table.
#pragma once

#include <span>
#include <string_view>

namespace slipway {

struct KoreanRow {
    std::string_view english, korean;
};

/// All rows, sorted by the bytes of the English.
std::span<const KoreanRow> koreanRows();

/// The Korean of a text; the English where there is none.
std::string_view koreanOf(std::string_view english);

}  // namespace slipway
