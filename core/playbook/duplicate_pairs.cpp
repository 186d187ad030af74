#include "core/playbook/duplicate_pairs.h"

#include <cmath>
#include <string>

namespace slipway {
namespace {

/// Adds words unique to this call.
void addWords(std::string& text, int count, std::uint64_t& next) {
    for (int i = 0; i < count; ++i) text += " w" + std::to_string(next++);
}

}  // namespace

double caughtShare(const DuplicatePairs& q, std::uint64_t seed) {
    const int shared = static_cast<int>(std::lround(q.similarity * q.shingles));
    const int own = (q.shingles - shared) / 2;  // of each document: one per trailing word
    std::uint64_t next = seed << 40;
    int caught = 0;
    for (int pair = 0; pair < q.pairs; ++pair) {
        std::string common, a, b;
        addWords(common, shared + q.shape.shingleWords - 1, next);
        addWords(a, own, next);
        addWords(b, own, next);
        NearDuplicates index(q.shape, seed + static_cast<std::uint64_t>(pair));
        (void)index.add(common + a);
        caught += index.add(common + b) ? 1 : 0;
    }
    return static_cast<double>(caught) / q.pairs;
}

}  // namespace slipway
