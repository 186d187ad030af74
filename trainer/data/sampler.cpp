#include "trainer/data/sampler.h"

#include "core/base/hash.h"

#include <algorithm>
#include <bit>

namespace slipway::trainer {

Permutation::Permutation(std::uint64_t size, std::uint64_t key) : m_size(size), m_key(key) {
    const auto bits = static_cast<std::uint32_t>(std::bit_width(size > 1 ? size - 1 : 1));
    m_halfBits = (bits + 1) / 2;
}

std::uint64_t Permutation::operator()(std::uint64_t index) const {
    const std::uint64_t mask = (std::uint64_t{1} << m_halfBits) - 1;
    do {
        std::uint64_t left = index >> m_halfBits, right = index & mask;
        for (std::uint64_t round = 0; round < 4; ++round) {
            const std::uint64_t next = left ^ (splitMix64(right ^ splitMix64(m_key + round)) & mask);
            left = right;
            right = next;
        }
        index = (left << m_halfBits) | right;
    } while (index >= m_size);
    return index;
}

Sampler::Sampler(std::int64_t numTokens, std::int64_t seqLen, std::int64_t seed)
    : m_tokens(numTokens),
      m_seqLen(seqLen),
      m_samples((numTokens - 1 + seqLen - 1) / seqLen),
      m_seed(static_cast<std::uint64_t>(seed)) {}

SampleSpan Sampler::sample(std::int64_t index) const {
    const std::int64_t epoch = index / m_samples;
    const Permutation order(static_cast<std::uint64_t>(m_samples),
                            splitMix64(m_seed) ^ splitMix64(static_cast<std::uint64_t>(epoch) + 0x5851f42d4c957f2dULL));
    const auto place = static_cast<std::int64_t>(order(static_cast<std::uint64_t>(index % m_samples)));
    return {place * m_seqLen, std::min(m_seqLen, m_tokens - 1 - place * m_seqLen)};
}

}  // namespace slipway::trainer
