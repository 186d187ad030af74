// MinHash with locality-sensitive hashing on synthetic pairs of documents whose Jaccard similarity is known.
//   caughtShare({.similarity = 0.8, .bands = 9, .rows = 13, .pairs = 4000}, 1)   // 0.40: most pairs at 0.8 are missed
#pragma once

#include <cstdint>

namespace slipway {

struct DuplicatePairs {
    double similarity = 0.8;
    int bands = 9, rows = 13;
    int pairs = 1000;
    int shingles = 400;  ///< of both documents together; the similarity is met to one of them
};

/// Share of the pairs that agree in a whole band of their MinHash signatures. The same seed gives the same share on any machine.
double caughtShare(const DuplicatePairs& question, std::uint64_t seed);

}  // namespace slipway
