#include "core/playbook/duplicate_pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slipway {
namespace {

/// A permutation of 64-bit numbers that looks random (splitmix64, Steele 2014).
std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

std::uint64_t least(std::uint64_t first, int count, std::uint64_t salt) {
    std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
    for (int i = 0; i < count; ++i)
        smallest = std::min(smallest, mixed((first + static_cast<std::uint64_t>(i)) ^ salt));
    return smallest;
}

}  // namespace

double caughtShare(const DuplicatePairs& q, std::uint64_t seed) {
    const int shared = static_cast<int>(std::lround(q.similarity * q.shingles));
    const int own = (q.shingles - shared) / 2;  // of each document
    int caught = 0;
    for (int pair = 0; pair < q.pairs; ++pair) {
        // Shingles are numbers of which no pair has those of another.
        const std::uint64_t first =
            mixed(seed) + static_cast<std::uint64_t>(pair) * static_cast<std::uint64_t>(q.shingles);
        bool found = false;
        for (int band = 0; band < q.bands && !found; ++band) {
            found = true;
            for (int row = 0; row < q.rows && found; ++row) {
                const std::uint64_t salt = mixed(static_cast<std::uint64_t>(band * q.rows + row) + (seed << 32));
                const std::uint64_t common = least(first, shared, salt);
                const std::uint64_t a = least(first + static_cast<std::uint64_t>(shared), own, salt);
                const std::uint64_t b = least(first + static_cast<std::uint64_t>(shared + own), own, salt);
                found = common < std::min(a, b);  // else the signatures differ in this hash
            }
        }
        caught += found ? 1 : 0;
    }
    return static_cast<double>(caught) / q.pairs;
}

}  // namespace slipway
