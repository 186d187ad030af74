#include "core/base/units.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace slipway {
namespace {

const std::string kThin = "\xE2\x80\xAF";   // U+202F
const std::string kMinus = "\xE2\x88\x92";  // U+2212

bool nonFinite(double value, std::string& out) {
    if (std::isfinite(value)) return false;
    out = std::isnan(value) ? "NaN" : value > 0 ? "inf" : kMinus + "inf";
    return true;
}

std::string typographic(std::string text) {
    if (text.empty() || text.front() != '-') return text;
    text.erase(0, 1);
    // Values that round to zero have no sign.
    return text.find_first_of("123456789") == std::string::npos ? text : kMinus + text;
}

std::string fixed(double value, int decimals) {
    char buffer[400];
    std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
    return typographic(buffer);
}

// Three significant digits of a value in [1, 1000) or any other.
std::string threeDigits(double value) {
    const double magnitude = std::fabs(value);
    if (magnitude >= 99.95) return fixed(value, 0);
    if (magnitude >= 9.995) return fixed(value, 1);
    return fixed(value, 2);
}

struct Scale {
    double factor;
    const char* name;
};

template <std::size_t N>
std::string scaled(double value, const std::array<Scale, N>& scales) {
    for (const Scale& scale : scales)
        if (std::fabs(value) >= scale.factor * 0.9995) return threeDigits(value / scale.factor) + kThin + scale.name;
    return threeDigits(value / scales.back().factor) + kThin + scales.back().name;
}

}  // namespace

std::string formatBytes(double bytes) {
    std::string out;
    if (nonFinite(bytes, out)) return out;
    const double magnitude = std::fabs(bytes);
    if (magnitude < kKiB) return fixed(bytes, 0) + kThin + "B";
    if (magnitude < kMiB) return fixed(bytes / kKiB, 1) + kThin + "KiB";
    if (magnitude < kGiB) return fixed(bytes / kMiB, 1) + kThin + "MiB";
    if (magnitude < 10 * kTiB) return fixed(bytes / kGiB, 1) + kThin + "GiB";
    return fixed(bytes / kTiB, 1) + kThin + "TiB";
}

std::string formatSeconds(double seconds, Language language) {
    std::string out;
    if (nonFinite(seconds, out)) return out;
    const bool korean = language == Language::Korean;
    // "3.23분" has no space before its unit; SI symbols keep theirs.
    const auto withUnit = [korean](const std::string& number, const char* symbol, const char* word) {
        return korean && *word != '\0' ? number + word : number + kThin + symbol;
    };
    const double magnitude = std::fabs(seconds);
    if (magnitude == 0) return withUnit("0", "s", "초");
    if (magnitude < 1e-3) return withUnit(threeDigits(seconds * 1e6), "µs", "");
    if (magnitude < 1) return withUnit(threeDigits(seconds * 1e3), "ms", "");
    if (magnitude < 120) return withUnit(threeDigits(seconds), "s", "초");
    if (magnitude < 7200) return withUnit(threeDigits(seconds / 60), "min", "분");
    if (magnitude < 172800) return withUnit(threeDigits(seconds / 3600), "h", "시간");
    const double days = std::floor(magnitude / 86400);
    const double hours = std::round((magnitude - days * 86400) / 3600);
    const std::string sign = seconds < 0 ? kMinus : "";
    return sign + withUnit(formatCount(days), "d", "일") + " " + withUnit(fixed(hours, 0), "h", "시간");
}

std::string formatCount(double count) {
    std::string out;
    if (nonFinite(count, out)) return out;
    char buffer[400];
    std::snprintf(buffer, sizeof buffer, "%.0f", std::fabs(count));
    const std::string digits = buffer;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
        out += digits[i];
    }
    return count < 0 && digits != "0" ? kMinus + out : out;
}

std::string formatShort(double count, Language language) {
    std::string out;
    if (nonFinite(count, out)) return out;
    if (language == Language::Korean) {
        static constexpr std::array<Scale, 3> scales{{{1e12, "조"}, {1e8, "억"}, {1e4, "만"}}};
        for (const Scale& scale : scales)
            if (const double value = count / scale.factor; std::fabs(value) >= 0.99995)
                return (std::fabs(value) >= 1000 ? formatCount(value) : threeDigits(value)) + scale.name;
        return formatCount(count);
    }
    if (std::fabs(count) < 1e5) return formatCount(count);
    static constexpr std::array<Scale, 4> scales{{{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "k"}}};
    return scaled(count, scales);
}

std::string formatPercent(double fraction) {
    std::string out;
    if (nonFinite(fraction, out)) return out;
    return fixed(fraction * 100, 1) + kThin + "%";
}

std::string formatFixed(double value, int decimals) {
    std::string out;
    return nonFinite(value, out) ? out : fixed(value, decimals);
}

std::string formatSignificant(double value, int digits) {
    std::string out;
    if (nonFinite(value, out)) return out;
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    // 1030 hours are more readable than 1.03e+03; insignificant digits become zeros.
    const double rounded = std::strtod(buffer, nullptr);
    if (std::fabs(rounded) >= 1000 && std::fabs(rounded) < 1e7) return formatCount(rounded);
    return typographic(buffer);
}

std::string formatFlops(double flopsPerSecond) {
    std::string out;
    if (nonFinite(flopsPerSecond, out)) return out;
    static constexpr std::array<Scale, 5> scales{
        {{1e15, "PFLOP/s"}, {1e12, "TFLOP/s"}, {1e9, "GFLOP/s"}, {1e6, "MFLOP/s"}, {1, "FLOP/s"}}};
    return scaled(flopsPerSecond, scales);
}

std::string formatBandwidth(double bytesPerSecond) {
    std::string out;
    if (nonFinite(bytesPerSecond, out)) return out;
    static constexpr std::array<Scale, 5> scales{
        {{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "kB/s"}, {1, "B/s"}}};
    return scaled(bytesPerSecond, scales);
}

std::string formatMoney(double amount, const std::string& currency) {
    std::string out;
    if (nonFinite(amount, out)) return out;
    return currency + kThin +
           (std::fabs(amount) < 1000  ? threeDigits(amount)
            : std::fabs(amount) < 1e5 ? threeDigits(amount / 1e3) + kThin + "k"
                                      : formatShort(amount));
}

std::string asciiText(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        if (text.compare(i, kThin.size(), kThin) == 0) {
            out += ' ';
            i += kThin.size();
        } else if (text.compare(i, kMinus.size(), kMinus) == 0) {
            out += '-';
            i += kMinus.size();
        } else {
            out += text[i++];
        }
    }
    return out;
}

}  // namespace slipway
