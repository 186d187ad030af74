// Non-cryptographic hashes: a short name for equal texts, and random-looking bits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace slipway {

/// FNV-1a, 64 bits (Fowler, Noll and Vo, draft-eastlake-fnv).
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t basis = 14695981039346656037ULL) {
    for (const char c : text) basis = (basis ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    return basis;
}

constexpr std::uint64_t kSplitMix64Step = 0x9e3779b97f4a7c15ULL;

/// The output of SplitMix64 (Steele, Lea and Flood 2014) at a state: every input bit changes every output bit. The next
/// state is kSplitMix64Step further.
constexpr std::uint64_t splitMix64(std::uint64_t state) {
    std::uint64_t z = state + kSplitMix64Step;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

/// 16 hex digits that name equal texts. The basis is not FNV's own: run folders and indexes contain names made with it.
inline std::string hashText(std::string_view text) {
    std::uint64_t hash = fnv1a(text, 1469598103934665603ULL);
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string out(16, '0');
    for (int i = 15; i >= 0; --i, hash >>= 4) out[static_cast<std::size_t>(i)] = kDigits[hash & 15];
    return out;
}

}  // namespace slipway
