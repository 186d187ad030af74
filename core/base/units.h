// The one formatter of numbers for people (look.md 4): GUI, CLI and reports look the same.
//   formatBytes(29098942464) == "27.1 GiB"      formatSeconds(0.0042) == "4.20 ms"
#pragma once

#include "core/base/language.h"

#include <cstdint>
#include <string>

namespace slipway {

constexpr double kKiB = 1024.0;
constexpr double kMiB = 1024.0 * kKiB;
constexpr double kGiB = 1024.0 * kMiB;
constexpr double kTiB = 1024.0 * kGiB;
constexpr double kGB = 1e9;

// Every function: NaN gives "NaN", infinities "inf" / "−inf". Spaces before units are thin no-break spaces
// (U+202F), minus is U+2212. `asciiText` turns both back for terminals and files.

/// Binary units with one decimal: "512 B", "1.5 KiB", "27.1 GiB".
std::string formatBytes(double bytes);
/// Three digits; ms below 1 s, s below 120 s, min below 120 min, h below 48 h, then "3 d 4 h". In Korean "3일 4시간".
std::string formatSeconds(double seconds, Language language);
inline std::string formatSeconds(double seconds) {
    return formatSeconds(seconds, Language::English);
}
/// A whole number with separators: "7,889".
std::string formatCount(double count);
/// k M B T from 1e5 on with three digits: "8.03 B", "505 k"; below that formatCount. In Korean 만 억 조 from 1e4 on: "80.3억".
std::string formatShort(double count, Language language);
inline std::string formatShort(double count) {
    return formatShort(count, Language::English);
}
/// A fraction as percent with one decimal: 0.411 -> "41.1 %".
std::string formatPercent(double fraction);
/// Fixed decimals, typographic minus: formatFixed(-1.5, 3) -> "−1.500".
std::string formatFixed(double value, int decimals);
/// n significant digits without exponent where readable, else "1.23e+24".
std::string formatSignificant(double value, int digits);
/// Operations per second: "87.0 GFLOP/s".
std::string formatFlops(double flopsPerSecond);
/// "436 GB/s" (1000-based, as links are sold).
std::string formatBandwidth(double bytesPerSecond);
/// Money with its currency: "USD 10.4 k".
std::string formatMoney(double amount, const std::string& currency);
/// Replaces U+202F by a space and U+2212 by '-', for copies, files and terminals without UTF-8.
std::string asciiText(const std::string& text);

}  // namespace slipway
