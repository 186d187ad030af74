// The piece of the token stream that is the n-th sample of a run. A pure function of (seed, number of samples): the
// same in every layout and after every resume, without stored state.
#pragma once

#include <cstdint>

namespace slipway::trainer {

/// A permutation of 0 .. size-1 chosen by a key, evaluated point by point in constant memory: a four-round Feistel
/// network over the next even power of two, walked until it lands inside (Black and Rogaway 2002, cycle walking).
class Permutation {
public:
    Permutation(std::uint64_t size, std::uint64_t key);
    [[nodiscard]] std::uint64_t operator()(std::uint64_t index) const;

private:
    std::uint64_t m_size;
    std::uint64_t m_key;
    std::uint32_t m_halfBits;
};

/// One sample: `length` inputs from `offset`, and the same shifted by one as targets.
struct SampleSpan {
    std::int64_t offset = 0;
    std::int64_t length = 0;  ///< seqLen, except for the last piece of the stream
    bool operator==(const SampleSpan&) const = default;
};

/// Cuts a stream of tokens into samples and orders them by (seed, epoch). In one epoch every token except the first is
/// a target exactly once.
class Sampler {
public:
    /// numTokens >= 2
    Sampler(std::int64_t numTokens, std::int64_t seqLen, std::int64_t seed);

    [[nodiscard]] std::int64_t samplesPerEpoch() const { return m_samples; }
    /// @param index position in the infinite order of the run; step k starts at BatchSizes::before(k)
    [[nodiscard]] SampleSpan sample(std::int64_t index) const;

private:
    std::int64_t m_tokens;
    std::int64_t m_seqLen;
    std::int64_t m_samples;
    std::uint64_t m_seed;
};

}  // namespace slipway::trainer
