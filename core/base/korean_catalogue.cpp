#include "core/base/korean_catalogue.h"

#include <algorithm>
#include <array>

namespace slipway {
namespace {

constexpr auto kRows = std::to_array<KoreanRow>({
#include "translations/korean.inc"
});
static_assert(std::ranges::is_sorted(kRows, {}, &KoreanRow::english));

}  // namespace

std::span<const KoreanRow> koreanRows() {
    return kRows;
}

std::string_view koreanOf(std::string_view english) {
    const auto found = std::ranges::lower_bound(kRows, english, {}, &KoreanRow::english);
    return found != kRows.end() && found->english == english ? found->korean : english;
}

}  // namespace slipway
