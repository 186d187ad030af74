// Traversal of a row in the row programs: in packs of 16 bytes, which a GPU reads and writes at once (a lane with one
// 16-bit value at a time wastes half of the memory's speed). Sums follow the order of the packs, whether or not they
// are aligned to 16 bytes.
//   inPacks(wholePacks<T>(width, {x, y}), [&](auto whole) { kernel<T, whole>... });
#pragma once

#include <cstdint>
#include <initializer_list>
#include <type_traits>

#if defined(__CUDACC__)
#define SLIPWAY_DEVICE __device__ __forceinline__
#else
#define SLIPWAY_DEVICE inline
#endif

namespace slipway::trainer {

constexpr std::int64_t kPackBytes = 16;
/// Values of one pack.
template <class T>
constexpr std::int64_t kPack = kPackBytes / static_cast<std::int64_t>(sizeof(T));

/// N adjacent values.
template <class T, std::int64_t N = kPack<T>>
struct alignas(sizeof(T) * N < kPackBytes ? sizeof(T) * N : kPackBytes) Pack {
    T at[N];
};

/// The first n values at p; with kWhole all of them, aligned to the pack's size.
template <bool kWhole, class T, std::int64_t N = kPack<T>>
SLIPWAY_DEVICE Pack<T, N> loadPack(const T* p, std::int64_t n) {
    if constexpr (kWhole) {
        return *reinterpret_cast<const Pack<T, N>*>(p);
    } else {
        Pack<T, N> pack{};
        for (std::int64_t j = 0; j < N; ++j)
            if (j < n) pack.at[j] = p[j];
        return pack;
    }
}
template <bool kWhole, class T, std::int64_t N>
SLIPWAY_DEVICE void storePack(T* p, const Pack<T, N>& pack, std::int64_t n) {
    if constexpr (kWhole) {
#if defined(__CUDA_ARCH__)
        // In one instruction: for single values the compiler would emit several.
        if constexpr (sizeof(pack) == kPackBytes) {
            const uint4 bits = *reinterpret_cast<const uint4*>(&pack);
            asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(p)), "r"(bits.x),
                         "r"(bits.y), "r"(bits.z), "r"(bits.w)
                         : "memory");
            return;
        }
#endif
        *reinterpret_cast<Pack<T, N>*>(p) = pack;
    } else {
        for (std::int64_t j = 0; j < N; ++j)
            if (j < n) p[j] = pack.at[j];
    }
}

/// f(begin, n) for this lane's packs of a row.
template <class T, bool kWhole, class Lanes, class F>
SLIPWAY_DEVICE void eachPack(Lanes& lanes, std::int64_t width, F&& f) {
    for (std::int64_t i = lanes.rank() * kPack<T>; i < width; i += lanes.size() * kPack<T>)
        f(i, kWhole || width - i > kPack<T> ? kPack<T> : width - i);
}

/// True where contiguous rows of this width from these addresses consist of full packs. Null: no such row.
template <class T>
bool wholePacks(std::int64_t width, std::initializer_list<const void*> rows) {
    bool whole = width % kPack<T> == 0;
    for (const void* row : rows) whole = whole && reinterpret_cast<std::uintptr_t>(row) % kPackBytes == 0;
    return whole;
}

/// Calls f with that answer as a constant.
template <class F>
void inPacks(bool whole, F&& f) {
    whole ? f(std::true_type{}) : f(std::false_type{});
}

}  // namespace slipway::trainer
