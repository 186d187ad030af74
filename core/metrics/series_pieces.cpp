#include "core/metrics/series_pieces.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace slipway {
namespace {

/// A number that grows with the value, as an unsigned integer.
std::uint64_t orderedKey(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return bits >> 63 != 0 ? ~bits : bits | std::uint64_t{1} << 63;
}
double valueOfKey(std::uint64_t key) {
    return std::bit_cast<double>(key >> 63 != 0 ? key & ~(std::uint64_t{1} << 63) : ~key);
}

template <class EachPiece, class Take>
void eachFinite(const EachPiece& eachPiece, Take&& take) {
    eachPiece([&](std::span<const double> values) {
        for (const double value : values)
            if (std::isfinite(value)) take(value);
    });
}

}  // namespace

double medianOfPieces(const std::function<void(const std::function<void(std::span<const double>)>&)>& eachPiece,
                      std::size_t mostHeld) {
    std::size_t count = 0;
    std::vector<double> held;
    const auto hold = [&](double value) {
        if (held.size() < mostHeld) held.push_back(value);
    };
    eachFinite(eachPiece, [&](double value) {
        ++count;
        hold(value);
    });
    if (count <= mostHeld) return median(std::move(held));
    // The upper middle value, found 16 bits of its key at a time: the values that share the known bits become fewer
    // until they fit in memory.
    std::uint64_t known = 0;
    int unknownBits = 64;
    std::size_t rank = count / 2, numShared = count;
    while (numShared > mostHeld && unknownBits > 0) {
        const int shift = unknownBits - 16;
        std::vector<std::size_t> counts(std::size_t{1} << 16);
        eachFinite(eachPiece, [&](double value) {
            const std::uint64_t key = orderedKey(value);
            if (unknownBits == 64 || key >> unknownBits == known) ++counts[(key >> shift) & 0xffff];
        });
        std::uint64_t digit = 0;
        while (digit < 0xffff && rank >= counts[digit]) rank -= counts[digit++];
        known = unknownBits == 64 ? digit : known << 16 | digit;
        numShared = counts[digit];
        unknownBits = shift;
    }
    double upper = valueOfKey(known);
    if (unknownBits > 0) {
        held.clear();
        eachFinite(eachPiece, [&](double value) {
            if (orderedKey(value) >> unknownBits == known) hold(value);
        });
        const auto at = held.begin() + static_cast<std::ptrdiff_t>(rank);
        std::nth_element(held.begin(), at, held.end());
        upper = *at;
    }
    if (count % 2 == 1) return upper;
    std::size_t numBelow = 0;
    double below = -std::numeric_limits<double>::infinity();
    eachFinite(eachPiece, [&](double value) {
        if (value >= upper) return;
        ++numBelow;
        below = std::max(below, value);
    });
    return numBelow == count / 2 ? (below + upper) / 2 : upper;
}

}  // namespace slipway
