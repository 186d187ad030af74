// The work of one block's threads on one row of a tensor: the bodies of the CUDA kernels (cuda_rows.cu), written over a
// group of `Lanes` so that tests can run the same code on a CPU. Lanes has rank(), size(), sum(v) and max(v); sum and
// max give every lane the result over all lanes, in an order that depends only on size(). 16-bit formats are computed
// in fp32. kWhole: wholePacks() of the rows.
#pragma once

#include "trainer/kernels/cuda_rows.h"
#include "trainer/kernels/row_packs.h"

#include <cmath>
#include <cstdint>

namespace slipway::trainer {

/// The format of sums: fp64 for fp64, else fp32.
template <class T>
struct SumOf {
    using Type = float;
};
template <>
struct SumOf<double> {
    using Type = double;
};
template <class T>
using Sum = typename SumOf<T>::Type;

/// e^x, and a / b for b up to 2^126: on a GPU with fast instructions for 16-bit values (relative error below
/// 1e-5).
template <class T>
SLIPWAY_DEVICE Sum<T> quickExp(Sum<T> x) {
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(T) == 2) return __expf(x);
#endif
    return std::exp(x);
}
template <class T>
SLIPWAY_DEVICE Sum<T> quickRatio(Sum<T> a, Sum<T> b) {
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(T) == 2) return __fdividef(a, b);
#endif
    return a / b;
}

/// y [H] = x rstd w, rstd = 1 / sqrt(mean(x^2) + eps).
template <class T, bool kWhole, class Lanes>
SLIPWAY_DEVICE void rmsRow(Lanes& lanes, const T* x, const T* w, Sum<T> eps, T* y, Sum<T>* rstd, std::int64_t width) {
    using S = Sum<T>;
    S squares = 0;
    eachPack<T, kWhole>(lanes, width, [&](std::int64_t i, std::int64_t n) {
        const Pack<T> in = loadPack<kWhole>(x + i, n);
        for (std::int64_t j = 0; j < n; ++j) {
            const S v = static_cast<S>(in.at[j]);
            squares += v * v;
        }
    });
    const S scale = S(1) / std::sqrt(lanes.sum(squares) / static_cast<S>(width) + eps);
    eachPack<T, kWhole>(lanes, width, [&](std::int64_t i, std::int64_t n) {
        const Pack<T> in = loadPack<kWhole>(x + i, n), by = loadPack<kWhole>(w + i, n);
        Pack<T> to;
        for (std::int64_t j = 0; j < n; ++j)
            to.at[j] = static_cast<T>(static_cast<S>(in.at[j]) * scale * static_cast<S>(by.at[j]));
        storePack<kWhole>(y + i, to, n);
    });
    if (lanes.rank() == 0) *rstd = scale;
}

/// branch <- branch + x, rounded to T; then rmsRow of it, to the same bits as rmsRow of the stored sum.
template <class T, bool kWhole, class Lanes>
SLIPWAY_DEVICE void residualRmsRow(Lanes& lanes, T* branch, const T* x, const T* w, Sum<T> eps, T* y, Sum<T>* rstd,
                                   std::int64_t width) {
    using S = Sum<T>;
    eachPack<T, kWhole>(lanes, width, [&](std::int64_t i, std::int64_t n) {
        Pack<T> sum = loadPack<kWhole>(branch + i, n);
        const Pack<T> more = loadPack<kWhole>(x + i, n);
        for (std::int64_t j = 0; j < n; ++j)
            sum.at[j] = static_cast<T>(static_cast<S>(sum.at[j]) + static_cast<S>(more.at[j]));
        storePack<kWhole>(branch + i, sum, n);
    });
    // Each lane reads its own writes, from its cache.
    rmsRow<T, kWhole>(lanes, static_cast<const T*>(branch), w, eps, y, rstd, width);
}

/// With n = x rstd and g = dy w: dx = rstd (g - n mean(g n)), plus the residual stream's gradient if any (else
/// null).
template <class T, bool kWhole, class Lanes>
SLIPWAY_DEVICE void rmsGradRow(Lanes& lanes, const T* dy, const T* x, const T* w, Sum<T> rstd, const T* residual, T* dx,
                               std::int64_t width) {
    using S = Sum<T>;
    S products = 0;
    eachPack<T, kWhole>(lanes, width, [&](std::int64_t i, std::int64_t n) {
        const Pack<T> d = loadPack<kWhole>(dy + i, n), in = loadPack<kWhole>(x + i, n), by = loadPack<kWhole>(w + i, n);
        for (std::int64_t j = 0; j < n; ++j)
            products += static_cast<S>(d.at[j]) * static_cast<S>(by.at[j]) * static_cast<S>(in.at[j]);
    });
    const S along = lanes.sum(products) * rstd * rstd / static_cast<S>(width);
    eachPack<T, kWhole>(lanes, width, [&](std::int64_t i, std::int64_t n) {
        const Pack<T> d = loadPack<kWhole>(dy + i, n), in = loadPack<kWhole>(x + i, n), by = loadPack<kWhole>(w + i, n);
        Pack<T> to{};
        if (residual != nullptr) to = loadPack<kWhole>(residual + i, n);
        for (std::int64_t j = 0; j < n; ++j) {
            const S grad =
                (static_cast<S>(d.at[j]) * static_cast<S>(by.at[j]) - static_cast<S>(in.at[j]) * along) * rstd;
            to.at[j] = static_cast<T>(residual == nullptr ? grad : grad + static_cast<S>(to.at[j]));
        }
        storePack<kWhole>(dx + i, to, n);
    });
}

/// One lane's columns [column, column + n), a pack, of the sum over rows [begin, end) of dy x rstd.
template <class T, bool kWhole>
SLIPWAY_DEVICE void rmsWeightColumns(const T* dy, const T* x, const Sum<T>* rstd, Sum<T>* sums, std::int64_t column,
                                     std::int64_t width, std::int64_t begin, std::int64_t end) {
    using S = Sum<T>;
    const std::int64_t n = kWhole || width - column > kPack<T> ? kPack<T> : width - column;
    S sum[kPack<T>] = {};
    for (std::int64_t row = begin; row < end; ++row) {
        const Pack<T> d = loadPack<kWhole>(dy + row * width + column, n),
                      in = loadPack<kWhole>(x + row * width + column, n);
        for (std::int64_t j = 0; j < kPack<T>; ++j)
            sum[j] += static_cast<S>(d.at[j]) * static_cast<S>(in.at[j]) * rstd[row];
    }
    for (std::int64_t j = 0; j < n; ++j) sums[column + j] = sum[j];
}

/// Lanes that share the sum of a column over chunks of rows.
constexpr std::int64_t kChunkLanes = 8;
/// The contribution of one of them; the sum adds all in order.
template <class S>
SLIPWAY_DEVICE S chunkShare(const S* partial, std::int64_t column, std::int64_t width, std::int64_t chunks,
                            std::int64_t lane) {
    S sum = 0;
    for (std::int64_t chunk = lane; chunk < chunks; chunk += kChunkLanes) sum += partial[chunk * width + column];
    return sum;
}

/// silu(gate) up of one pack.
template <class T, bool kWhole>
SLIPWAY_DEVICE void swiGluPack(const T* gate, const T* up, T* y, std::int64_t n) {
    using S = Sum<T>;
    const Pack<T> gates = loadPack<kWhole>(gate, n), ups = loadPack<kWhole>(up, n);
    Pack<T> to;
    for (std::int64_t j = 0; j < n; ++j) {
        const S g = static_cast<S>(gates.at[j]);
        to.at[j] = static_cast<T>(quickRatio<T>(g, S(1) + quickExp<T>(-g)) * static_cast<S>(ups.at[j]));
    }
    storePack<kWhole>(y, to, n);
}

/// Its gradients.
template <class T, bool kWhole>
SLIPWAY_DEVICE void swiGluGradPack(const T* dy, const T* gate, const T* up, T* dGate, T* dUp, std::int64_t n) {
    using S = Sum<T>;
    const Pack<T> ds = loadPack<kWhole>(dy, n), gates = loadPack<kWhole>(gate, n), ups = loadPack<kWhole>(up, n);
    Pack<T> toGate, toUp;
    for (std::int64_t j = 0; j < n; ++j) {
        const S g = static_cast<S>(gates.at[j]), d = static_cast<S>(ds.at[j]);
        const S s = quickRatio<T>(S(1), S(1) + quickExp<T>(-g));
        toUp.at[j] = static_cast<T>(d * g * s);
        toGate.at[j] = static_cast<T>(d * static_cast<S>(ups.at[j]) * s * (S(1) + g * (S(1) - s)));
    }
    storePack<kWhole>(dGate, toGate, n);
    storePack<kWhole>(dUp, toUp, n);
}

/// wholePacks() of the halves of all heads.
template <class T>
bool wholeHeads(const RotateStrides& z, std::initializer_list<const void*> places) {
    bool whole = wholePacks<T>(z.half, places);
    for (const std::int64_t stride : z.from) whole = whole && stride % kPack<T> == 0;
    for (const std::int64_t stride : z.to) whole = whole && stride % kPack<T> == 0;
    return whole;
}

/// One head of one position: (x1, x2) -> (x1 cos - x2 sin, x2 cos + x1 sin), `half` of each. y may be x.
template <class T, bool kWhole, class Lanes>
SLIPWAY_DEVICE void rotateRow(Lanes& lanes, const T* x, const Sum<T>* cos, const Sum<T>* sin, Sum<T> direction, T* y,
                              std::int64_t half) {
    using S = Sum<T>;
    eachPack<T, kWhole>(lanes, half, [&](std::int64_t i, std::int64_t n) {
        Pack<T> firsts = loadPack<kWhole>(x + i, n), seconds = loadPack<kWhole>(x + half + i, n);
        const Pack<S, kPack<T>> cosines = loadPack<kWhole, S, kPack<T>>(cos + i, n);
        const Pack<S, kPack<T>> sines = loadPack<kWhole, S, kPack<T>>(sin + i, n);
        for (std::int64_t j = 0; j < n; ++j) {
            const S first = static_cast<S>(firsts.at[j]), second = static_cast<S>(seconds.at[j]);
            const S turn = sines.at[j] * direction;
            firsts.at[j] = static_cast<T>(first * cosines.at[j] - second * turn);
            seconds.at[j] = static_cast<T>(second * cosines.at[j] + first * turn);
        }
        storePack<kWhole>(y + i, firsts, n);
        storePack<kWhole>(y + half + i, seconds, n);
    });
}

/// Head number `one` of all positions and sequences.
template <class T, bool kWhole, class Lanes>
SLIPWAY_DEVICE void rotateHead(Lanes& lanes, const T* x, const Sum<T>* cos, const Sum<T>* sin, Sum<T> direction, T* y,
                               const RotateStrides& z, std::int64_t one) {
    const std::int64_t h = one % z.heads, b = one / z.heads % z.batch, s = one / z.heads / z.batch;
    rotateRow<T, kWhole>(lanes, x + s * z.from[0] + b * z.from[1] + h * z.from[2], cos + s * z.half, sin + s * z.half,
                         direction, y + s * z.to[0] + b * z.to[1] + h * z.to[2], z.half);
}

/// The largest logit of the row; NaN when one is.
template <class T, bool kWhole, class Lanes>
SLIPWAY_DEVICE void maximumRow(Lanes& lanes, const T* logits, Sum<T>* maximum, std::int64_t width) {
    using S = Sum<T>;
    S most = static_cast<S>(logits[0]);
    eachPack<T, kWhole>(lanes, width, [&](std::int64_t i, std::int64_t n) {
        const Pack<T> in = loadPack<kWhole>(logits + i, n);
        for (std::int64_t j = 0; j < n; ++j) {
            const S v = static_cast<S>(in.at[j]);
            most = most >= v || most != most ? most : v;
        }
    });
    most = lanes.max(most);
    if (lanes.rank() == 0) *maximum = most;
}

/// exponentials = sum of exp(logit - maximum); target = its (logit - maximum), 0 unless `local` is in the row.
template <class T, bool kWhole, class Lanes>
SLIPWAY_DEVICE void expSumRow(Lanes& lanes, const T* logits, Sum<T> maximum, std::int64_t local, Sum<T>* exponentials,
                              Sum<T>* target, std::int64_t width) {
    using S = Sum<T>;
    S sum = 0;
    eachPack<T, kWhole>(lanes, width, [&](std::int64_t i, std::int64_t n) {
        const Pack<T> in = loadPack<kWhole>(logits + i, n);
        for (std::int64_t j = 0; j < n; ++j) sum += quickExp<T>(static_cast<S>(in.at[j]) - maximum);
    });
    sum = lanes.sum(sum);
    if (lanes.rank() != 0) return;
    *exponentials = sum;
    *target = local >= 0 && local < width ? static_cast<S>(logits[local]) - maximum : S(0);
}

/// logits <- scale (exp(logit - logSumExp) - [i = local]); zeros for an ignored target.
template <class T, bool kWhole, class Lanes>
SLIPWAY_DEVICE void probabilityRow(Lanes& lanes, T* logits, Sum<T> logSumExp, std::int64_t local, bool ignored,
                                   Sum<T> scale, std::int64_t width) {
    using S = Sum<T>;
    eachPack<T, kWhole>(lanes, width, [&](std::int64_t i, std::int64_t n) {
        Pack<T> row = loadPack<kWhole>(logits + i, n);
        for (std::int64_t j = 0; j < n; ++j) {
            const S p = quickExp<T>(static_cast<S>(row.at[j]) - logSumExp) - (i + j == local ? S(1) : S(0));
            row.at[j] = static_cast<T>(ignored ? S(0) : p * scale);
        }
        storePack<kWhole>(logits + i, row, n);
    });
}

}  // namespace slipway::trainer
