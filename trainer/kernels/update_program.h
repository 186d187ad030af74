// The arithmetic of an optimizer's step on a device: bodies of CUDA kernels like those of row_programs.h, which tests
// run on a CPU. All parameters of a rank are one launch: a table of segments, divided into chunks, one block each. The
// step's conditions (the clipping factor, whether the norm is finite) are computed and read on the device, so that the
// host need not wait for them.
#pragma once

#include "trainer/kernels/row_programs.h"

#include <cmath>
#include <cstring>

namespace slipway::trainer {

/// Elements of one block.
constexpr std::int64_t kUpdateChunk = 8192;

/// Adjacent elements of one parameter: a row of the table, in device memory.
struct UpdateSegment {
    void* weights;         ///< the model's working weights; written
    void* master;          ///< in the format of sums; null: the weights themselves
    const void* gradient;  ///< main gradient
    void *first, *second;  ///< moments
    std::int64_t length, firstChunk;
    double decay;
    /// For random rounding: element i has index p / local * global + shift + p % local in the full parameter, p =
    /// offset + i.
    std::uint64_t name;  ///< hash
    std::int64_t offset, local, global, shift;
};

/// Gradients included in the norm: a row of another table.
struct SquaresSegment {
    const void* gradient;
    std::int64_t length, firstChunk;
};

/// One update of AdamW (Loshchilov and Hutter 2019, algorithm 2).
struct AdamScalars {
    double lr, beta1, beta2, eps;
    double stepSize;        ///< lr / (1 - beta1^n)
    double rootCorrection;  ///< sqrt(1 - beta2^n)
    bool rounds;            ///< stochastically, without a master copy
    std::uint64_t key;      ///< of this run and update
};

/// The step's figures on the device: [0] the gradients' norm without the loss scale, [1] the factor of the gradients,
/// [2] 1 if weights may change, else 0.
constexpr std::int64_t kStepFactors = 3;

/// The last segment that begins at or before `chunk`.
template <class Segment>
SLIPWAY_DEVICE const Segment& segmentOf(const Segment* table, std::int64_t segments, std::int64_t chunk) {
    std::int64_t low = 0, high = segments - 1;
    while (low < high) {
        const std::int64_t middle = (low + high + 1) / 2;
        if (table[middle].firstChunk <= chunk)
            low = middle;
        else
            high = middle - 1;
    }
    return table[low];
}

/// splitMix64() of core/base/hash.h, for devices.
SLIPWAY_DEVICE std::uint64_t mixBits(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

/// The bf16 digits of `value` rounded stochastically: bf16 is the upper half of fp32, and adding 0 .. 65535 to the
/// lower half before it is cut off carries with probability lower / 65536, away from zero for both signs. Not for NaN
/// and infinities.
SLIPWAY_DEVICE std::uint16_t roundedBits(float value, std::uint64_t random) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return static_cast<std::uint16_t>((bits + static_cast<std::uint32_t>(random & 0xffffU)) >> 16);
}
SLIPWAY_DEVICE bool isFiniteBits(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return (bits & 0x7f800000U) != 0x7f800000U;
}

/// Elements of one chunk: gradient G, moments M, weights W; intermediate values in the sum format of W.
template <class W, class G, class M, class Lanes>
SLIPWAY_DEVICE void adamChunk(Lanes& lanes, const UpdateSegment& s, std::int64_t chunk, const AdamScalars& a,
                              const double* factors) {
    using S = Sum<W>;
    if (factors[2] == 0) return;
    const S factor = static_cast<S>(factors[1]), keep = static_cast<S>(1 - a.lr * s.decay);
    const S pull = static_cast<S>(1 - a.beta1), beta2 = static_cast<S>(a.beta2), square = static_cast<S>(1 - a.beta2);
    const S root = static_cast<S>(a.rootCorrection), eps = static_cast<S>(a.eps), step = static_cast<S>(-a.stepSize);
    W* weights = static_cast<W*>(s.weights);
    S* master = static_cast<S*>(s.master);
    M* first = static_cast<M*>(s.first);
    M* second = static_cast<M*>(s.second);
    const std::int64_t begin = (chunk - s.firstChunk) * kUpdateChunk;
    const std::int64_t end = begin + kUpdateChunk < s.length ? begin + kUpdateChunk : s.length;
    for (std::int64_t i = begin + lanes.rank(); i < end; i += lanes.size()) {
        const S g = static_cast<S>(static_cast<const G*>(s.gradient)[i]) * factor;
        S w = (master != nullptr ? master[i] : static_cast<S>(weights[i])) * keep;
        S m = static_cast<S>(first[i]), v = static_cast<S>(second[i]);
        // Like torch's lerp: from the nearer end, so that beta1 = 0 yields the gradient itself. Products added
        // unrounded are written as fma: the same ones as in libtorch's vector code, so that both yield the same bits on
        // a CPU.
        m = pull < S(0.5) ? std::fma(pull, g - m, m) : std::fma(pull - S(1), g - m, g);
        v = std::fma(square * g, g, v * beta2);
        w += step * m / (std::sqrt(v) / root + eps);
        first[i] = static_cast<M>(m);
        second[i] = static_cast<M>(v);
        if (master != nullptr) master[i] = w;
        if (master == nullptr && a.rounds && isFiniteBits(static_cast<float>(w))) {
            const std::int64_t p = s.offset + i, index = p / s.local * s.global + s.shift + p % s.local;
            const std::uint64_t random = mixBits(mixBits(a.key ^ s.name) ^ static_cast<std::uint64_t>(index));
            const std::uint16_t bits = roundedBits(static_cast<float>(w), random);
            std::memcpy(weights + i, &bits, sizeof bits < sizeof(W) ? sizeof bits : sizeof(W));
        } else {
            weights[i] = static_cast<W>(w);
        }
    }
}

/// Sum of the squares of one chunk, in fp64.
template <class G, class Lanes>
SLIPWAY_DEVICE void squaresChunk(Lanes& lanes, const SquaresSegment& s, std::int64_t chunk, double* partial) {
    const std::int64_t begin = (chunk - s.firstChunk) * kUpdateChunk;
    const std::int64_t end = begin + kUpdateChunk < s.length ? begin + kUpdateChunk : s.length;
    double sum = 0;
    for (std::int64_t i = begin + lanes.rank(); i < end; i += lanes.size()) {
        const auto g = static_cast<double>(static_cast<Sum<G>>(static_cast<const G*>(s.gradient)[i]));
        sum += g * g;
    }
    sum = lanes.sum(sum);
    if (lanes.rank() == 0) partial[chunk] = sum;
}

/// sum = all of `partial`, in an order that depends only on their number.
template <class Lanes>
SLIPWAY_DEVICE void addPartials(Lanes& lanes, const double* partial, std::int64_t count, double* sum) {
    double mine = 0;
    for (std::int64_t i = lanes.rank(); i < count; i += lanes.size()) mine += partial[i];
    mine = lanes.sum(mine);
    if (lanes.rank() == 0) *sum = mine;
}

/// The squares of all ranks -> kStepFactors numbers. @param loss of the step; null: no check
SLIPWAY_DEVICE void findFactors(const double* squares, std::int64_t ranks, double lossScale, double clipNorm,
                                const double* loss, double* factors) {
    double total = 0;
    for (std::int64_t rank = 0; rank < ranks; ++rank) total += squares[rank];
    const double norm = std::sqrt(total) / lossScale;
    const bool finite = norm - norm == 0 && (loss == nullptr || *loss - *loss == 0);
    factors[0] = norm;
    factors[1] = (clipNorm > 0 && norm > clipNorm ? clipNorm / norm : 1.0) / lossScale;
    factors[2] = finite ? 1 : 0;
}

}  // namespace slipway::trainer
