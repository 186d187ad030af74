// Shared by the CUDA sources: the lanes of a block, and the mapping from a format to its type.
#pragma once

#include "trainer/kernels/row_programs.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>

namespace slipway::trainer {

constexpr int kThreads = 256;
constexpr int kWarp = 32;

// The threads of a block. Sums go through warps in a fixed order, so the same input gives the same bits.
template <class S>
struct BlockLanes {
    S* shared;  // kThreads / kWarp values
    __device__ std::int64_t rank() const { return threadIdx.x; }
    __device__ std::int64_t size() const { return blockDim.x; }
    template <class Both>
    __device__ S reduce(S value, Both both) {
        for (int step = kWarp / 2; step > 0; step /= 2) value = both(value, __shfl_xor_sync(0xffffffffU, value, step));
        __syncthreads();  // all have read the previous reduction
        if (threadIdx.x % kWarp == 0) shared[threadIdx.x / kWarp] = value;
        __syncthreads();
        S result = shared[0];
        for (int warp = 1; warp < static_cast<int>(blockDim.x) / kWarp; ++warp) result = both(result, shared[warp]);
        return result;
    }
    __device__ S sum(S value) {
        return reduce(value, [](S a, S b) { return a + b; });
    }
    __device__ S max(S value) {
        return reduce(value, [](S a, S b) { return a >= b || a != a ? a : b; });
    }
    __device__ void meet() { __syncthreads(); }
    // The bits of non-negative numbers have the order of the numbers, NaN last.
    __device__ void raise(float* place, float value) {
        atomicMax(reinterpret_cast<unsigned*>(place), __float_as_uint(value));
    }
};

// All threads of a grid, for elementwise passes.
struct GridLanes {
    __device__ std::int64_t rank() const { return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }
    __device__ std::int64_t size() const { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }
};

// Status of the launches since the last call, from the driver.
inline Refusal launched() {
    const cudaError_t error = cudaGetLastError();
    return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}

// Calls f with a null pointer of the format's type.
template <class F>
void inFormat(RowFormat format, F&& f) {
    switch (format) {
        case RowFormat::Fp32: return f(static_cast<float*>(nullptr));
        case RowFormat::Fp64: return f(static_cast<double*>(nullptr));
        case RowFormat::Bf16: return f(static_cast<__nv_bfloat16*>(nullptr));
        case RowFormat::Fp16: return f(static_cast<__half*>(nullptr));
    }
}

template <class T>
const T* in(const void* p) {
    return static_cast<const T*>(p);
}
template <class T>
T* out(void* p) {
    return static_cast<T*>(p);
}
inline cudaStream_t on(void* stream) {
    return static_cast<cudaStream_t>(stream);
}
inline unsigned blocksFor(std::int64_t elements, std::int64_t perBlock = kThreads) {
    return static_cast<unsigned>((elements + perBlock - 1) / perBlock);
}
// Threads of a block with one pack of a row each, in complete warps.
template <class T>
unsigned threadsFor(std::int64_t width) {
    const std::int64_t packs = (width + kPack<T> - 1) / kPack<T>;
    return static_cast<unsigned>(std::clamp<std::int64_t>((packs + kWarp - 1) / kWarp * kWarp, kWarp, kThreads));
}
// Elementwise kernels stride over the rest.
template <class T>
unsigned stridingBlocks(std::int64_t elements) {
    return std::min(blocksFor(elements, kThreads * kPack<T>), 4096U);
}

}  // namespace slipway::trainer
