// Lanes: 64 bytes of fp32 or fp64 numbers that the compiler processes at once
// (GCC's vector extensions). A function marked LANES_CLONES is compiled for
// AVX-512, AVX2 and plain x86-64, selected at program start; all its callees must
// be LANES_INLINE.
//   eachLane<T>(width, [&](std::int64_t i, std::int64_t n) LANES_LAMBDA { store<T>(y + i, load(x + i, n) * scale, n);
//   });
#pragma once

#include <cstdint>
#include <cstring>

// Vectors never cross a non-inlined function, so their calling convention does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

#define LANES_INLINE [[gnu::always_inline]] inline
#define LANES_LAMBDA __attribute__((always_inline))
// Sanitizers start before the clone-selecting functions can run.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define LANES_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define LANES_CLONES
#endif

namespace slipway::trainer {

template <class T>
struct LaneOf {
    typedef T Type __attribute__((vector_size(64)));
};
template <class T>
using Lane = typename LaneOf<T>::Type;

template <class T>
constexpr std::int64_t kLanes = 64 / static_cast<std::int64_t>(sizeof(T));

/// The first n numbers at p, the others zero.
template <class T>
LANES_INLINE Lane<T> load(const T* p, std::int64_t n) {
    Lane<T> v{};
    if (n == kLanes<T>)
        std::memcpy(&v, p, sizeof v);
    else
        for (std::int64_t i = 0; i < n; ++i) v[i] = p[i];
    return v;
}

template <class T>
LANES_INLINE void store(T* p, const Lane<T>& v, std::int64_t n) {
    if (n == kLanes<T>)
        std::memcpy(p, &v, sizeof v);
    else
        for (std::int64_t i = 0; i < n; ++i) p[i] = v[i];
}

/// f(i, n) for [0, width) in steps of full lanes, the last with the remainder.
template <class T, class F>
LANES_INLINE void eachLane(std::int64_t width, F&& f) {
    std::int64_t i = 0;
    for (; i + kLanes<T> <= width; i += kLanes<T>) f(i, kLanes<T>);
    if (i < width) f(i, width - i);
}

template <class T>
LANES_INLINE T sumOf(const Lane<T>& v) {
    T sum = 0;
    for (std::int64_t i = 0; i < kLanes<T>; ++i) sum += v[i];
    return sum;
}

/// e^x to about two units in the last place; e^x below the smallest normal number is 0, above the largest it
/// saturates, NaN stays NaN. x = n ln 2 + r, |r| <= ln 2 / 2, e^r by the polynomials of Cephes (Moshier 1989, expf.c
/// and exp.c).
template <class T>
LANES_INLINE Lane<T> expOf(const Lane<T>& x);

template <>
LANES_INLINE Lane<float> expOf<float>(const Lane<float>& given) {
    constexpr float kLow = -87.0F, kHigh = 88.0F, kRound = 12582912.0F;  // 1.5 * 2^23
    Lane<float> x = given < kLow ? Lane<float>{} + kLow : given;
    x = x > kHigh ? Lane<float>{} + kHigh : x;
    const Lane<float> rounded = x * 1.44269504F + kRound;
    const Lane<float> n = rounded - kRound;
    const Lane<float> r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
    Lane<float> p = r * 1.9875691500e-4F + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    p = p * r * r + r + 1.0F;
    Lane<std::int32_t> bits;
    std::memcpy(&bits, &rounded, sizeof bits);
    bits = (bits + 127) << 23;
    Lane<float> power;
    std::memcpy(&power, &bits, sizeof power);
    return given < kLow ? Lane<float>{} : p * power;
}

template <>
LANES_INLINE Lane<double> expOf<double>(const Lane<double>& given) {
    constexpr double kLow = -708.0, kHigh = 709.0, kRound = 6755399441055744.0;  // 1.5 * 2^52
    Lane<double> x = given < kLow ? Lane<double>{} + kLow : given;
    x = x > kHigh ? Lane<double>{} + kHigh : x;
    const Lane<double> rounded = x * 1.4426950408889634073599 + kRound;
    const Lane<double> n = rounded - kRound;
    const Lane<double> r = (x - n * 6.93145751953125e-1) - n * 1.42860682030941723212e-6;
    const Lane<double> rr = r * r;
    const Lane<double> p =
        r * ((rr * 1.26177193074810590878e-4 + 3.02994407707441961300e-2) * rr + 9.99999999999999999910e-1);
    const Lane<double> q =
        ((rr * 3.00198505138664455042e-6 + 2.52448340349684104192e-3) * rr + 2.27265548208155028766e-1) * rr + 2.0;
    const Lane<double> value = p / (q - p) * 2.0 + 1.0;
    Lane<std::int64_t> bits;
    std::memcpy(&bits, &rounded, sizeof bits);
    bits = (bits + 1023) << 52;
    Lane<double> power;
    std::memcpy(&power, &bits, sizeof power);
    return given < kLow ? Lane<double>{} : value * power;
}

}  // namespace slipway::trainer
