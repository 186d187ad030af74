// Near-duplicates by MinHash with locality-sensitive hashing (Broder 1997; Leskovec, Rajaraman, Ullman, section 3.4): documents whose
// signatures agree in a whole band of rows are called alike.
//   NearDuplicates index({.bands = 14, .rows = 8}, 1);   if (index.add(text)) ...   // like a document that was added before
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace slipway {

struct MinHashShape {
    int bands = 9, rows = 13;
    int shingleWords = 13;
};

/// Hashes of all runs of `words` words, without those of the same words twice; of a shorter text the whole of it. Words end at white
/// space; ASCII letters count as small ones.
std::vector<std::uint64_t> shinglesOf(std::string_view text, int words);

/// Shared shingles over all shingles of both texts; 1 for two texts without words.
double jaccardSimilarity(std::string_view a, std::string_view b, int shingleWords);

class NearDuplicates {
public:
    /// @param seed of the hash functions: the same seed gives the same answers on any machine
    NearDuplicates(const MinHashShape& shape, std::uint64_t seed) : m_shape(shape), m_seed(seed) {}

    /// Adds a document. @return the place, from 0, of the first one added before that shares a band; empty for a new one
    std::optional<std::size_t> add(std::string_view text);

private:
    [[nodiscard]] std::uint64_t bandOf(const std::vector<std::uint64_t>& shingles, int band) const;

    MinHashShape m_shape;
    std::uint64_t m_seed;
    std::size_t m_documents = 0;
    std::unordered_map<std::uint64_t, std::size_t> m_firstOf;  ///< band with its number -> first document that has it
};

}  // namespace slipway
