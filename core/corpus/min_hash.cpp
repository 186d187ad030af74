#include "core/corpus/min_hash.h"

#include "core/base/hash.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>

namespace slipway {
namespace {

bool isBlank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Hash of each word, in order.
std::vector<std::uint64_t> wordHashes(std::string_view text) {
    std::vector<std::uint64_t> words;
    for (std::size_t at = 0; at < text.size();) {
        if (isBlank(text[at])) {
            ++at;
            continue;
        }
        std::string word;
        for (; at < text.size() && !isBlank(text[at]); ++at)
            word += text[at] >= 'A' && text[at] <= 'Z' ? static_cast<char>(text[at] - 'A' + 'a') : text[at];
        words.push_back(fnv1a(word));
    }
    return words;
}

}  // namespace

std::vector<std::uint64_t> shinglesOf(std::string_view text, int words) {
    const std::vector<std::uint64_t> hashes = wordHashes(text);
    std::vector<std::uint64_t> shingles;
    if (hashes.empty()) return shingles;
    const std::size_t width = std::min(static_cast<std::size_t>(std::max(words, 1)), hashes.size());
    for (std::size_t first = 0; first + width <= hashes.size(); ++first) {
        std::uint64_t shingle = width;
        for (std::size_t i = 0; i < width; ++i) shingle = splitMix64(shingle ^ hashes[first + i]);
        shingles.push_back(shingle);
    }
    std::sort(shingles.begin(), shingles.end());
    shingles.erase(std::unique(shingles.begin(), shingles.end()), shingles.end());
    return shingles;
}

double jaccardSimilarity(std::string_view a, std::string_view b, int shingleWords) {
    const auto one = shinglesOf(a, shingleWords), other = shinglesOf(b, shingleWords);
    std::vector<std::uint64_t> shared;
    std::set_intersection(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(shared));
    const std::size_t all = one.size() + other.size() - shared.size();
    return all == 0 ? 1 : static_cast<double>(shared.size()) / static_cast<double>(all);
}

// The minima of the band's rows under as many hash functions, as one number that differs from band to band.
std::uint64_t NearDuplicates::bandOf(const std::vector<std::uint64_t>& shingles, int band) const {
    std::uint64_t key = splitMix64(m_seed) ^ static_cast<std::uint64_t>(band);
    for (int row = 0; row < m_shape.rows; ++row) {
        const std::uint64_t salt = splitMix64((m_seed << 32) + static_cast<std::uint64_t>(band * m_shape.rows + row));
        std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
        for (const std::uint64_t shingle : shingles) least = std::min(least, splitMix64(shingle ^ salt));
        key = splitMix64(key ^ least);
    }
    return key;
}

std::optional<std::size_t> NearDuplicates::add(std::string_view text) {
    const std::vector<std::uint64_t> shingles = shinglesOf(text, m_shape.shingleWords);
    std::optional<std::size_t> first;
    for (int band = 0; band < m_shape.bands; ++band) {
        const auto [found, isNew] = m_firstOf.try_emplace(bandOf(shingles, band), m_documents);
        if (!isNew) first = std::min(first.value_or(found->second), found->second);
    }
    ++m_documents;
    return first;
}

}  // namespace slipway
