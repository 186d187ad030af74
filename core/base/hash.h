// A short name for equal texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace slipway {

/// FNV-1a, 64 bits, as 16 hex digits. Names equal texts; guards nothing against a forger.
inline std::string hashText(std::string_view text) {
    std::uint64_t hash = 1469598103934665603ULL;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string out(16, '0');
    for (int i = 15; i >= 0; --i, hash >>= 4) out[static_cast<std::size_t>(i)] = kDigits[hash & 15];
    return out;
}

}  // namespace slipway
