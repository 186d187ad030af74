// Launches of the row programs: one block a row, or one thread an element. The arithmetic is in row_programs.h.
#include "trainer/kernels/cuda_rows.h"
#include "trainer/kernels/row_programs.h"
#include "trainer/kernels/update_program.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>

namespace slipway::trainer {
namespace {

constexpr int kThreads = 256;
constexpr int kWarp = 32;
constexpr std::int64_t kIgnored = -1;  // kIgnoredTarget of embedding.h

// The threads of a block. Sums go through warps in a fixed order, so the same input gives the same bits.
template <class S>
struct BlockLanes {
    S* shared;  // kThreads / kWarp values
    __device__ std::int64_t rank() const { return threadIdx.x; }
    __device__ std::int64_t size() const { return blockDim.x; }
    template <class Both>
    __device__ S reduce(S value, Both both) {
        for (int step = kWarp / 2; step > 0; step /= 2) value = both(value, __shfl_xor_sync(0xffffffffU, value, step));
        __syncthreads();  // an earlier reduction has been read by all
        if (threadIdx.x % kWarp == 0) shared[threadIdx.x / kWarp] = value;
        __syncthreads();
        S result = shared[0];
        for (int warp = 1; warp < kThreads / kWarp; ++warp) result = both(result, shared[warp]);
        return result;
    }
    __device__ S sum(S value) {
        return reduce(value, [](S a, S b) { return a + b; });
    }
    __device__ S max(S value) {
        return reduce(value, [](S a, S b) { return a >= b || a != a ? a : b; });
    }
};

#define SLIPWAY_LANES(T)                        \
    __shared__ Sum<T> shared[kThreads / kWarp]; \
    BlockLanes<Sum<T>> lanes{shared};           \
    const std::int64_t row = blockIdx.x

template <class T>
__global__ void rmsKernel(const T* x, const T* w, Sum<T> eps, T* y, Sum<T>* rstd, std::int64_t width) {
    SLIPWAY_LANES(T);
    rmsRow<T>(lanes, x + row * width, w, eps, y + row * width, rstd + row, width);
}

template <class T>
__global__ void residualRmsKernel(T* branch, const T* x, const T* w, Sum<T> eps, T* y, Sum<T>* rstd,
                                  std::int64_t width) {
    SLIPWAY_LANES(T);
    residualRmsRow<T>(lanes, branch + row * width, x + row * width, w, eps, y + row * width, rstd + row, width);
}

template <class T>
__global__ void rmsGradKernel(const T* dy, const T* x, const T* w, const Sum<T>* rstd, const T* residual, T* dx,
                              std::int64_t width) {
    SLIPWAY_LANES(T);
    rmsGradRow<T>(lanes, dy + row * width, x + row * width, w, rstd[row],
                  residual == nullptr ? residual : residual + row * width, dx + row * width, width);
}

template <class T>
__global__ void rmsWeightKernel(const T* dy, const T* x, const Sum<T>* rstd, Sum<T>* partial, std::int64_t rows,
                                std::int64_t width) {
    // Chunks along x: a grid has no more than 65535 blocks along y, and queries' norms have a row for each head of each token.
    const std::int64_t column = static_cast<std::int64_t>(blockIdx.y) * blockDim.x + threadIdx.x;
    const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * kRowsOfAChunk;
    const std::int64_t end = begin + kRowsOfAChunk < rows ? begin + kRowsOfAChunk : rows;
    if (column < width)
        partial[blockIdx.x * width + column] = rmsWeightColumn<T>(dy, x, rstd, column, width, begin, end);
}

template <class S>
__global__ void addChunksKernel(const S* partial, S* sums, std::int64_t chunks, std::int64_t width) {
    const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (column >= width) return;
    S sum = sums[column];
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) sum += partial[chunk * width + column];
    sums[column] = sum;
}

template <class T>
__global__ void swiGluKernel(const T* gate, const T* up, T* y, std::int64_t elements) {
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += stride)
        y[i] = swiGluOf<T>(gate[i], up[i]);
}

template <class T>
__global__ void swiGluGradKernel(const T* dy, const T* gate, const T* up, T* dGate, T* dUp, std::int64_t elements) {
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += stride)
        swiGluGradOf<T>(dy[i], gate[i], up[i], dGate[i], dUp[i]);
}

// One warp a head: blockDim = (kWarp, kThreads / kWarp).
struct WarpLanes {
    __device__ std::int64_t rank() const { return threadIdx.x; }
    __device__ std::int64_t size() const { return kWarp; }
};

template <class T>
__global__ void rotateKernel(const T* x, const Sum<T>* cos, const Sum<T>* sin, Sum<T> direction, T* y, RotateStrides z,
                             std::int64_t heads) {
    const std::int64_t one = static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
    if (one >= heads) return;
    const std::int64_t h = one % z.heads, b = one / z.heads % z.batch, s = one / z.heads / z.batch;
    WarpLanes lanes;
    rotateRow<T>(lanes, x + s * z.strides[0] + b * z.strides[1] + h * z.strides[2], cos + s * z.half, sin + s * z.half,
                 direction, y + one * 2 * z.half, z.half);
}

template <class T>
__global__ void maximumKernel(const T* logits, Sum<T>* maxima, std::int64_t width) {
    SLIPWAY_LANES(T);
    maximumRow<T>(lanes, logits + row * width, maxima + row, width);
}

template <class T>
__global__ void expSumKernel(const T* logits, const std::int64_t* targets, const Sum<T>* maxima, std::int64_t firstId,
                             Sum<T>* sums, std::int64_t width) {
    SLIPWAY_LANES(T);
    expSumRow<T>(lanes, logits + row * width, maxima[row], targets[row] - firstId, sums + row, sums + gridDim.x + row,
                 width);
}

template <class T>
__global__ void probabilityKernel(T* logits, const std::int64_t* targets, const Sum<T>* logSumExp, std::int64_t firstId,
                                  Sum<T> scale, std::int64_t width) {
    SLIPWAY_LANES(T);
    probabilityRow<T>(lanes, logits + row * width, logSumExp[row], targets[row] - firstId, targets[row] == kIgnored,
                      scale, width);
}

template <class W, class G, class M>
__global__ void adamKernel(const UpdateSegment* table, std::int64_t segments, AdamScalars a, const double* factors) {
    SLIPWAY_LANES(float);
    adamChunk<W, G, M>(lanes, segmentOf(table, segments, row), row, a, factors);
}

template <class G>
__global__ void squaresKernel(const SquaresSegment* table, std::int64_t segments, double* partial) {
    SLIPWAY_LANES(double);
    squaresChunk<G>(lanes, segmentOf(table, segments, row), row, partial);
}

__global__ void addPartialsKernel(const double* partial, std::int64_t count, double* sum) {
    SLIPWAY_LANES(double);
    if (row == 0) addPartials(lanes, partial, count, sum);
}

__global__ void factorsKernel(const double* squares, std::int64_t ranks, double lossScale, double clipNorm,
                              const double* loss, double* factors) {
    findFactors(squares, ranks, lossScale, clipNorm, loss, factors);
}

// What the driver says of the launches since the last call.
Refusal launched() {
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
cudaStream_t on(void* stream) {
    return static_cast<cudaStream_t>(stream);
}
unsigned blocksFor(std::int64_t elements, std::int64_t perBlock = kThreads) {
    return static_cast<unsigned>((elements + perBlock - 1) / perBlock);
}
// Elementwise kernels stride over the rest.
unsigned stridingBlocks(std::int64_t elements) {
    return std::min(blocksFor(elements), 4096U);
}

Refusal rmsNorm(RowFormat format, const void* x, const void* w, double eps, void* y, void* rstd, std::int64_t rows,
                std::int64_t width, void* stream) {
    if (rows == 0) return nullptr;
    inFormat(format, [&]<class T>(T*) {
        rmsKernel<T><<<static_cast<unsigned>(rows), kThreads, 0, on(stream)>>>(
            in<T>(x), in<T>(w), static_cast<Sum<T>>(eps), out<T>(y), out<Sum<T>>(rstd), width);
    });
    return launched();
}

Refusal residualRmsNorm(RowFormat format, void* branch, const void* x, const void* w, double eps, void* y, void* rstd,
                        std::int64_t rows, std::int64_t width, void* stream) {
    if (rows == 0) return nullptr;
    inFormat(format, [&]<class T>(T*) {
        residualRmsKernel<T><<<static_cast<unsigned>(rows), kThreads, 0, on(stream)>>>(
            out<T>(branch), in<T>(x), in<T>(w), static_cast<Sum<T>>(eps), out<T>(y), out<Sum<T>>(rstd), width);
    });
    return launched();
}

Refusal rmsNormInputGrad(RowFormat format, const void* dy, const void* x, const void* w, const void* rstd,
                         const void* residual, void* dx, std::int64_t rows, std::int64_t width, void* stream) {
    if (rows == 0) return nullptr;
    inFormat(format, [&]<class T>(T*) {
        rmsGradKernel<T><<<static_cast<unsigned>(rows), kThreads, 0, on(stream)>>>(
            in<T>(dy), in<T>(x), in<T>(w), in<Sum<T>>(rstd), in<T>(residual), out<T>(dx), width);
    });
    return launched();
}

Refusal rmsNormWeightGrad(RowFormat format, const void* dy, const void* x, const void* rstd, void* partial, void* sums,
                          std::int64_t rows, std::int64_t width, void* stream) {
    if (rows == 0 || width == 0) return nullptr;
    inFormat(format, [&]<class T>(T*) {
        using S = Sum<T>;
        const unsigned chunks = blocksFor(rows, kRowsOfAChunk);
        rmsWeightKernel<T><<<dim3(chunks, blocksFor(width)), kThreads, 0, on(stream)>>>(
            in<T>(dy), in<T>(x), in<S>(rstd), out<S>(partial), rows, width);
        addChunksKernel<S><<<blocksFor(width), kThreads, 0, on(stream)>>>(in<S>(partial), out<S>(sums), chunks, width);
    });
    return launched();
}

Refusal swiGlu(RowFormat format, const void* gate, const void* up, void* y, std::int64_t elements, void* stream) {
    if (elements == 0) return nullptr;
    inFormat(format, [&]<class T>(T*) {
        swiGluKernel<T>
            <<<stridingBlocks(elements), kThreads, 0, on(stream)>>>(in<T>(gate), in<T>(up), out<T>(y), elements);
    });
    return launched();
}

Refusal swiGluGrad(RowFormat format, const void* dy, const void* gate, const void* up, void* dGate, void* dUp,
                   std::int64_t elements, void* stream) {
    if (elements == 0) return nullptr;
    inFormat(format, [&]<class T>(T*) {
        swiGluGradKernel<T><<<stridingBlocks(elements), kThreads, 0, on(stream)>>>(
            in<T>(dy), in<T>(gate), in<T>(up), out<T>(dGate), out<T>(dUp), elements);
    });
    return launched();
}

Refusal rotate(RowFormat format, const void* x, const void* cos, const void* sin, double direction, void* y,
               std::int64_t positions, const RotateStrides& shape, void* stream) {
    const std::int64_t heads = positions * shape.batch * shape.heads;
    if (heads == 0) return nullptr;
    inFormat(format, [&]<class T>(T*) {
        using S = Sum<T>;
        rotateKernel<T><<<blocksFor(heads, kThreads / kWarp), dim3(kWarp, kThreads / kWarp), 0, on(stream)>>>(
            in<T>(x), in<S>(cos), in<S>(sin), static_cast<S>(direction), out<T>(y), shape, heads);
    });
    return launched();
}

Refusal rowMaxima(RowFormat format, const void* logits, void* maxima, std::int64_t rows, std::int64_t width,
                  void* stream) {
    if (rows == 0) return nullptr;
    inFormat(format, [&]<class T>(T*) {
        maximumKernel<T>
            <<<static_cast<unsigned>(rows), kThreads, 0, on(stream)>>>(in<T>(logits), out<Sum<T>>(maxima), width);
    });
    return launched();
}

Refusal crossEntropySums(RowFormat format, const void* logits, const std::int64_t* targets, const void* maxima,
                         std::int64_t firstId, void* sums, std::int64_t rows, std::int64_t width, void* stream) {
    if (rows == 0) return nullptr;
    inFormat(format, [&]<class T>(T*) {
        using S = Sum<T>;
        expSumKernel<T><<<static_cast<unsigned>(rows), kThreads, 0, on(stream)>>>(in<T>(logits), targets, in<S>(maxima),
                                                                                  firstId, out<S>(sums), width);
    });
    return launched();
}

Refusal crossEntropyGrad(RowFormat format, void* logits, const std::int64_t* targets, const void* logSumExp,
                         std::int64_t firstId, double scale, std::int64_t rows, std::int64_t width, void* stream) {
    if (rows == 0) return nullptr;
    inFormat(format, [&]<class T>(T*) {
        using S = Sum<T>;
        probabilityKernel<T><<<static_cast<unsigned>(rows), kThreads, 0, on(stream)>>>(
            out<T>(logits), targets, in<S>(logSumExp), firstId, static_cast<S>(scale), width);
    });
    return launched();
}

// Calls f with null pointers of the gradients' and the moments' types.
template <class F>
void inUpdateFormats(const UpdateFormats& formats, F&& f) {
    inFormat(formats.weights, [&]<class W>(W* w) {
        using S = Sum<W>;
        const auto moments = [&]<class G>(G* g) {
            if (formats.narrowMoments)
                f(w, g, static_cast<__nv_bfloat16*>(nullptr));
            else
                f(w, g, static_cast<S*>(nullptr));
        };
        if (formats.narrowGradients)
            moments(static_cast<__nv_bfloat16*>(nullptr));
        else
            moments(static_cast<S*>(nullptr));
    });
}

Refusal sumOfSquares(UpdateFormats formats, const SquaresSegment* table, std::int64_t segments, std::int64_t chunks,
                     double* partial, double* sum, void* stream) {
    if (chunks > 0)
        inUpdateFormats(formats, [&]<class W, class G, class M>(W*, G*, M*) {
            squaresKernel<G><<<static_cast<unsigned>(chunks), kThreads, 0, on(stream)>>>(table, segments, partial);
        });
    addPartialsKernel<<<1, kThreads, 0, on(stream)>>>(partial, chunks, sum);
    return launched();
}

Refusal stepFactors(const double* squares, std::int64_t ranks, double lossScale, double clipNorm, const double* loss,
                    double* factors, void* stream) {
    factorsKernel<<<1, 1, 0, on(stream)>>>(squares, ranks, lossScale, clipNorm, loss, factors);
    return launched();
}

Refusal adamW(UpdateFormats formats, const UpdateSegment* table, std::int64_t segments, std::int64_t chunks,
              const AdamScalars& scalars, const double* factors, void* stream) {
    if (chunks == 0) return nullptr;
    inUpdateFormats(formats, [&]<class W, class G, class M>(W*, G*, M*) {
        adamKernel<W, G, M>
            <<<static_cast<unsigned>(chunks), kThreads, 0, on(stream)>>>(table, segments, scalars, factors);
    });
    return launched();
}

}  // namespace

const CudaRows* cudaRows() {
    static constexpr CudaRows rows{.rmsNorm = rmsNorm,
                                   .residualRmsNorm = residualRmsNorm,
                                   .rmsNormInputGrad = rmsNormInputGrad,
                                   .rmsNormWeightGrad = rmsNormWeightGrad,
                                   .swiGlu = swiGlu,
                                   .swiGluGrad = swiGluGrad,
                                   .rotate = rotate,
                                   .rowMaxima = rowMaxima,
                                   .crossEntropySums = crossEntropySums,
                                   .crossEntropyGrad = crossEntropyGrad,
                                   .sumOfSquares = sumOfSquares,
                                   .stepFactors = stepFactors,
                                   .adamW = adamW};
    return &rows;
}

}  // namespace slipway::trainer
