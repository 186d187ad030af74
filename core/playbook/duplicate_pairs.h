// Experiment L15: pairs of synthetic documents of known similarity, searched by the corpus's own MinHash.
//   caughtShare({.similarity = 0.8, .shape = {.bands = 9, .rows = 13}, .pairs = 4000}, 1)   // 0.40: most pairs at 0.8 are missed
#pragma once

#include "core/corpus/min_hash.h"

namespace slipway {

struct DuplicatePairs {
    double similarity = 0.8;
    MinHashShape shape;
    int pairs = 1000;
    int shingles = 400;  ///< of both documents together; the similarity is exact to one of them
};

/// Share of the pairs whose second document is found similar to the first. The same seed gives the same share on any machine.
double caughtShare(const DuplicatePairs& question, std::uint64_t seed);

}  // namespace slipway
