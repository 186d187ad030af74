// Near-duplicates by MinHash with locality-sensitive hashing: the probability of detecting a pair, in closed form.
//   caughtProbability(0.8, 9, 13) == 0.3988   // at the nominal threshold six of ten pairs are missed
#pragma once

#include <cstdint>

namespace slipway {

/// Probability that two documents of Jaccard similarity s share a complete band: 1 - (1 - s^rows)^bands.
double caughtProbability(double similarity, double bands, double rows);
/// The similarity at which half of the pairs are detected: (1 - 2^(-1/bands))^(1/rows).
double halfCaughtSimilarity(double bands, double rows);

struct LshBands {
    std::int64_t bands = 1, rows = 1;
};
/// Bands and rows of at most `permutations` hashes with the least sum of both errors: the area of detected pairs below the threshold and
/// of missed pairs above it, weighted equally (datasketch, MinHashLSH). @param threshold Jaccard similarity
LshBands bestLshBands(std::int64_t permutations, double threshold);

}  // namespace slipway
