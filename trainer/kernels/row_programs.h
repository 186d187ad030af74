// What the threads of one block do for one row of a tensor: the bodies of the CUDA kernels (cuda_rows.cu), written over a group of `Lanes`
// so that tests can run the same lines on a CPU. Lanes has rank(), size(), sum(v) and max(v); sum and max give every lane the result over
// all lanes, in an order that does not depend on anything but size(). 16-bit formats are computed in fp32.
#pragma once

#include <cmath>
#include <cstdint>

#if defined(__CUDACC__)
#define SLIPWAY_DEVICE __device__ __forceinline__
#else
#define SLIPWAY_DEVICE inline
#endif

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

/// y [H] = x rstd w, rstd = 1 / sqrt(mean(x^2) + eps).
template <class T, class Lanes>
SLIPWAY_DEVICE void rmsRow(Lanes& lanes, const T* x, const T* w, Sum<T> eps, T* y, Sum<T>* rstd, std::int64_t width) {
    using S = Sum<T>;
    S squares = 0;
    for (std::int64_t i = lanes.rank(); i < width; i += lanes.size()) {
        const S v = static_cast<S>(x[i]);
        squares += v * v;
    }
    const S scale = S(1) / std::sqrt(lanes.sum(squares) / static_cast<S>(width) + eps);
    for (std::int64_t i = lanes.rank(); i < width; i += lanes.size())
        y[i] = static_cast<T>(static_cast<S>(x[i]) * scale * static_cast<S>(w[i]));
    if (lanes.rank() == 0) *rstd = scale;
}

/// branch <- branch + x, rounded to T; then rmsRow of it, to the same bits as rmsRow of the stored sum.
template <class T, class Lanes>
SLIPWAY_DEVICE void residualRmsRow(Lanes& lanes, T* branch, const T* x, const T* w, Sum<T> eps, T* y, Sum<T>* rstd,
                                   std::int64_t width) {
    using S = Sum<T>;
    for (std::int64_t i = lanes.rank(); i < width; i += lanes.size())
        branch[i] = static_cast<T>(static_cast<S>(branch[i]) + static_cast<S>(x[i]));
    rmsRow<T>(lanes, branch, w, eps, y, rstd, width);  // each lane reads what it wrote itself, from its cache
}

/// With n = x rstd and g = dy w: dx = rstd (g - n mean(g n)), plus the residual stream's gradient where there is one (else null).
template <class T, class Lanes>
SLIPWAY_DEVICE void rmsGradRow(Lanes& lanes, const T* dy, const T* x, const T* w, Sum<T> rstd, const T* residual, T* dx,
                               std::int64_t width) {
    using S = Sum<T>;
    S products = 0;
    for (std::int64_t i = lanes.rank(); i < width; i += lanes.size())
        products += static_cast<S>(dy[i]) * static_cast<S>(w[i]) * static_cast<S>(x[i]);
    const S along = lanes.sum(products) * rstd * rstd / static_cast<S>(width);
    for (std::int64_t i = lanes.rank(); i < width; i += lanes.size()) {
        const S grad = (static_cast<S>(dy[i]) * static_cast<S>(w[i]) - static_cast<S>(x[i]) * along) * rstd;
        dx[i] = static_cast<T>(residual == nullptr ? grad : grad + static_cast<S>(residual[i]));
    }
}

/// One lane's column of the sum over rows [begin, end) of dy x rstd.
template <class T>
SLIPWAY_DEVICE Sum<T> rmsWeightColumn(const T* dy, const T* x, const Sum<T>* rstd, std::int64_t column,
                                      std::int64_t width, std::int64_t begin, std::int64_t end) {
    using S = Sum<T>;
    S sum = 0;
    for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t at = row * width + column;
        sum += static_cast<S>(dy[at]) * static_cast<S>(x[at]) * rstd[row];
    }
    return sum;
}

/// silu(gate) up of one element.
template <class T>
SLIPWAY_DEVICE T swiGluOf(T gate, T up) {
    using S = Sum<T>;
    const S g = static_cast<S>(gate);
    return static_cast<T>(g / (S(1) + std::exp(-g)) * static_cast<S>(up));
}

/// Its gradients.
template <class T>
SLIPWAY_DEVICE void swiGluGradOf(T dy, T gate, T up, T& dGate, T& dUp) {
    using S = Sum<T>;
    const S g = static_cast<S>(gate), d = static_cast<S>(dy);
    const S s = S(1) / (S(1) + std::exp(-g));
    dUp = static_cast<T>(d * g * s);
    dGate = static_cast<T>(d * static_cast<S>(up) * s * (S(1) + g * (S(1) - s)));
}

/// One head of one position: (x1, x2) -> (x1 cos - x2 sin, x2 cos + x1 sin), `half` of each.
template <class T, class Lanes>
SLIPWAY_DEVICE void rotateRow(Lanes& lanes, const T* x, const Sum<T>* cos, const Sum<T>* sin, Sum<T> direction, T* y,
                              std::int64_t half) {
    using S = Sum<T>;
    for (std::int64_t i = lanes.rank(); i < half; i += lanes.size()) {
        const S first = static_cast<S>(x[i]), second = static_cast<S>(x[half + i]), turn = sin[i] * direction;
        y[i] = static_cast<T>(first * cos[i] - second * turn);
        y[half + i] = static_cast<T>(second * cos[i] + first * turn);
    }
}

/// The largest logit of the row; NaN when one is.
template <class T, class Lanes>
SLIPWAY_DEVICE void maximumRow(Lanes& lanes, const T* logits, Sum<T>* maximum, std::int64_t width) {
    using S = Sum<T>;
    S most = static_cast<S>(logits[0]);
    for (std::int64_t i = lanes.rank(); i < width; i += lanes.size()) {
        const S v = static_cast<S>(logits[i]);
        most = most >= v || most != most ? most : v;
    }
    most = lanes.max(most);
    if (lanes.rank() == 0) *maximum = most;
}

/// exponentials = sum of exp(logit - maximum); target = its (logit - maximum), 0 unless `local` is in the row.
template <class T, class Lanes>
SLIPWAY_DEVICE void expSumRow(Lanes& lanes, const T* logits, Sum<T> maximum, std::int64_t local, Sum<T>* exponentials,
                              Sum<T>* target, std::int64_t width) {
    using S = Sum<T>;
    S sum = 0;
    for (std::int64_t i = lanes.rank(); i < width; i += lanes.size())
        sum += std::exp(static_cast<S>(logits[i]) - maximum);
    sum = lanes.sum(sum);
    if (lanes.rank() != 0) return;
    *exponentials = sum;
    *target = local >= 0 && local < width ? static_cast<S>(logits[local]) - maximum : S(0);
}

/// logits <- scale (exp(logit - logSumExp) - [i = local]); zeros for an ignored target.
template <class T, class Lanes>
SLIPWAY_DEVICE void probabilityRow(Lanes& lanes, T* logits, Sum<T> logSumExp, std::int64_t local, bool ignored,
                                   Sum<T> scale, std::int64_t width) {
    using S = Sum<T>;
    for (std::int64_t i = lanes.rank(); i < width; i += lanes.size()) {
        const S p = std::exp(static_cast<S>(logits[i]) - logSumExp) - (i == local ? S(1) : S(0));
        logits[i] = static_cast<T>(ignored ? S(0) : p * scale);
    }
}

}  // namespace slipway::trainer
