// Near-duplicates by MinHash with locality-sensitive hashing (Broder 1997; Leskovec, Rajaraman, Ullman, section 3.4):
// documents whose signatures agree in a whole band of rows count as near-duplicates.
//   NearDuplicates index({.bands = 14, .rows = 8}, 1);   if (index.add(text)) ...   // a near-duplicate of an earlier document
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

/// Distinct hashes of all runs of `words` words; of a shorter text one hash of all of it. Words end at white space;
/// ASCII letters count as lower case.
std::vector<std::uint64_t> shinglesOf(std::string_view text, int words);

/// Shared shingles over all shingles of both texts; 1 for two texts without words.
double jaccardSimilarity(std::string_view a, std::string_view b, int shingleWords);

class NearDuplicates {
public:
    /// @param seed of the hash functions: the same seed gives the same answers on any machine
    NearDuplicates(const MinHashShape& shape, std::uint64_t seed) : m_shape(shape), m_seed(seed) {}

    /// Adds a document. @return the place, from 0, of the first earlier document that shares a band; empty for a new one
    std::optional<std::size_t> add(std::string_view text);

private:
    [[nodiscard]] std::uint64_t bandOf(const std::vector<std::uint64_t>& shingles, int band) const;

    MinHashShape m_shape;
    std::uint64_t m_seed;
    std::size_t m_documents = 0;
    std::unordered_map<std::uint64_t, std::size_t> m_firstOf;  ///< band with its number -> first document with it
};

}  // namespace slipway
