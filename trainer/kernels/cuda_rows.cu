// Launches of the row programs: one block per row, or one thread per element. The arithmetic is in row_programs.h.
#include "trainer/kernels/cuda_blocks.h"
#include "trainer/kernels/update_program.h"

namespace slipway::trainer {
namespace {

constexpr std::int64_t kIgnored = -1;  // kIgnoredTarget of embedding.h

#define SLIPWAY_LANES(T)                        \
    __shared__ Sum<T> shared[kThreads / kWarp]; \
    BlockLanes<Sum<T>> lanes{shared};           \
    const std::int64_t row = blockIdx.x

template <class T, bool kWhole>
__global__ void rmsKernel(const T* x, const T* w, Sum<T> eps, T* y, Sum<T>* rstd, std::int64_t width) {
    SLIPWAY_LANES(T);
    rmsRow<T, kWhole>(lanes, x + row * width, w, eps, y + row * width, rstd + row, width);
}

template <class T, bool kWhole>
__global__ void residualRmsKernel(T* branch, const T* x, const T* w, Sum<T> eps, T* y, Sum<T>* rstd,
                                  std::int64_t width) {
    SLIPWAY_LANES(T);
    residualRmsRow<T, kWhole>(lanes, branch + row * width, x + row * width, w, eps, y + row * width, rstd + row, width);
}

template <class T, bool kWhole>
__global__ void rmsGradKernel(const T* dy, const T* x, const T* w, const Sum<T>* rstd, const T* residual, T* dx,
                              std::int64_t width) {
    SLIPWAY_LANES(T);
    rmsGradRow<T, kWhole>(lanes, dy + row * width, x + row * width, w, rstd[row],
                          residual == nullptr ? residual : residual + row * width, dx + row * width, width);
}

template <class T, bool kWhole>
__global__ void rmsWeightKernel(const T* dy, const T* x, const Sum<T>* rstd, Sum<T>* partial, std::int64_t rows,
                                std::int64_t width) {
    // Chunks along x: a grid has at most 65535 blocks along y, and queries' norms have a row for each head of each
    // token.
    const std::int64_t column = (static_cast<std::int64_t>(blockIdx.y) * blockDim.x + threadIdx.x) * kPack<T>;
    const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * kRowsOfAChunk;
    const std::int64_t end = begin + kRowsOfAChunk < rows ? begin + kRowsOfAChunk : rows;
    if (column < width)
        rmsWeightColumns<T, kWhole>(dy, x, rstd, partial + blockIdx.x * width, column, width, begin, end);
}

// blockDim = (kWarp, kChunkLanes): neighbours read neighbouring columns.
template <class S>
__global__ void addChunksKernel(const S* partial, S* sums, std::int64_t chunks, std::int64_t width) {
    __shared__ S shares[kChunkLanes][kWarp];
    const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kWarp + threadIdx.x;
    if (column < width) shares[threadIdx.y][threadIdx.x] = chunkShare(partial, column, width, chunks, threadIdx.y);
    __syncthreads();
    if (column >= width || threadIdx.y != 0) return;
    S sum = sums[column];
    for (std::int64_t lane = 0; lane < kChunkLanes; ++lane) sum += shares[lane][threadIdx.x];
    sums[column] = sum;
}

template <class T, bool kWhole>
__global__ void swiGluKernel(const T* gate, const T* up, T* y, std::int64_t elements) {
    GridLanes lanes;
    eachPack<T, kWhole>(lanes, elements,
                        [&](std::int64_t i, std::int64_t n) { swiGluPack<T, kWhole>(gate + i, up + i, y + i, n); });
}

template <class T, bool kWhole>
__global__ void swiGluGradKernel(const T* dy, const T* gate, const T* up, T* dGate, T* dUp, std::int64_t elements) {
    GridLanes lanes;
    eachPack<T, kWhole>(lanes, elements, [&](std::int64_t i, std::int64_t n) {
        swiGluGradPack<T, kWhole>(dy + i, gate + i, up + i, dGate + i, dUp + i, n);
    });
}

// A few lanes per head: blockDim = (lanes of a head, heads of a block).
struct HeadLanes {
    __device__ std::int64_t rank() const { return threadIdx.x; }
    __device__ std::int64_t size() const { return blockDim.x; }
};

template <class T, bool kWhole>
__global__ void rotateKernel(const T* x, const Sum<T>* cos, const Sum<T>* sin, Sum<T> direction, T* y, RotateStrides z,
                             std::int64_t heads) {
    const std::int64_t one = static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
    if (one >= heads) return;
    HeadLanes lanes;
    rotateHead<T, kWhole>(lanes, x, cos, sin, direction, y, z, one);
}

template <class T, bool kWhole>
__global__ void maximumKernel(const T* logits, Sum<T>* maxima, std::int64_t width) {
    SLIPWAY_LANES(T);
    maximumRow<T, kWhole>(lanes, logits + row * width, maxima + row, width);
}

template <class T, bool kWhole>
__global__ void expSumKernel(const T* logits, const std::int64_t* targets, const Sum<T>* maxima, std::int64_t firstId,
                             Sum<T>* sums, std::int64_t width) {
    SLIPWAY_LANES(T);
    expSumRow<T, kWhole>(lanes, logits + row * width, maxima[row], targets[row] - firstId, sums + row,
                         sums + gridDim.x + row, width);
}

template <class T, bool kWhole>
__global__ void probabilityKernel(T* logits, const std::int64_t* targets, const Sum<T>* logSumExp, std::int64_t firstId,
                                  Sum<T> scale, std::int64_t width) {
    SLIPWAY_LANES(T);
    probabilityRow<T, kWhole>(lanes, logits + row * width, logSumExp[row], targets[row] - firstId,
                              targets[row] == kIgnored, scale, width);
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

Refusal rmsNorm(RowFormat format, const void* x, const void* w, double eps, void* y, void* rstd, std::int64_t rows,
                std::int64_t width, void* stream) {
    if (rows == 0) return nullptr;
    inFormat(format, [&]<class T>(T*) {
        inPacks(wholePacks<T>(width, {x, w, y}), [&](auto whole) {
            rmsKernel<T, whole><<<static_cast<unsigned>(rows), threadsFor<T>(width), 0, on(stream)>>>(
                in<T>(x), in<T>(w), static_cast<Sum<T>>(eps), out<T>(y), out<Sum<T>>(rstd), width);
        });
    });
    return launched();
}

Refusal residualRmsNorm(RowFormat format, void* branch, const void* x, const void* w, double eps, void* y, void* rstd,
                        std::int64_t rows, std::int64_t width, void* stream) {
    if (rows == 0) return nullptr;
    inFormat(format, [&]<class T>(T*) {
        inPacks(wholePacks<T>(width, {branch, x, w, y}), [&](auto whole) {
            residualRmsKernel<T, whole><<<static_cast<unsigned>(rows), threadsFor<T>(width), 0, on(stream)>>>(
                out<T>(branch), in<T>(x), in<T>(w), static_cast<Sum<T>>(eps), out<T>(y), out<Sum<T>>(rstd), width);
        });
    });
    return launched();
}

Refusal rmsNormInputGrad(RowFormat format, const void* dy, const void* x, const void* w, const void* rstd,
                         const void* residual, void* dx, std::int64_t rows, std::int64_t width, void* stream) {
    if (rows == 0) return nullptr;
    inFormat(format, [&]<class T>(T*) {
        inPacks(wholePacks<T>(width, {dy, x, w, residual, dx}), [&](auto whole) {
            rmsGradKernel<T, whole><<<static_cast<unsigned>(rows), threadsFor<T>(width), 0, on(stream)>>>(
                in<T>(dy), in<T>(x), in<T>(w), in<Sum<T>>(rstd), in<T>(residual), out<T>(dx), width);
        });
    });
    return launched();
}

Refusal rmsNormWeightGrad(RowFormat format, const void* dy, const void* x, const void* rstd, void* partial, void* sums,
                          std::int64_t rows, std::int64_t width, void* stream) {
    if (rows == 0 || width == 0) return nullptr;
    inFormat(format, [&]<class T>(T*) {
        using S = Sum<T>;
        const unsigned chunks = blocksFor(rows, kRowsOfAChunk), threads = threadsFor<T>(width);
        inPacks(wholePacks<T>(width, {dy, x}), [&](auto whole) {
            rmsWeightKernel<T, whole><<<dim3(chunks, blocksFor(width, threads * kPack<T>)), threads, 0, on(stream)>>>(
                in<T>(dy), in<T>(x), in<S>(rstd), out<S>(partial), rows, width);
        });
        addChunksKernel<S><<<blocksFor(width, kWarp), dim3(kWarp, kChunkLanes), 0, on(stream)>>>(
            in<S>(partial), out<S>(sums), chunks, width);
    });
    return launched();
}

Refusal swiGlu(RowFormat format, const void* gate, const void* up, void* y, std::int64_t elements, void* stream) {
    if (elements == 0) return nullptr;
    inFormat(format, [&]<class T>(T*) {
        inPacks(wholePacks<T>(elements, {gate, up, y}), [&](auto whole) {
            swiGluKernel<T, whole>
                <<<stridingBlocks<T>(elements), kThreads, 0, on(stream)>>>(in<T>(gate), in<T>(up), out<T>(y), elements);
        });
    });
    return launched();
}

Refusal swiGluGrad(RowFormat format, const void* dy, const void* gate, const void* up, void* dGate, void* dUp,
                   std::int64_t elements, void* stream) {
    if (elements == 0) return nullptr;
    inFormat(format, [&]<class T>(T*) {
        inPacks(wholePacks<T>(elements, {dy, gate, up, dGate, dUp}), [&](auto whole) {
            swiGluGradKernel<T, whole><<<stridingBlocks<T>(elements), kThreads, 0, on(stream)>>>(
                in<T>(dy), in<T>(gate), in<T>(up), out<T>(dGate), out<T>(dUp), elements);
        });
    });
    return launched();
}

Refusal rotate(RowFormat format, const void* x, const void* cos, const void* sin, double direction, void* y,
               std::int64_t positions, const RotateStrides& shape, void* stream) {
    const std::int64_t heads = positions * shape.batch * shape.heads;
    if (heads == 0) return nullptr;
    inFormat(format, [&]<class T>(T*) {
        using S = Sum<T>;
        // As many lanes as packs in a half, a power of two.
        unsigned lanes = 1;
        while (lanes < kWarp && lanes * kPack<T> < shape.half) lanes *= 2;
        inPacks(wholeHeads<T>(shape, {x, cos, sin, y}), [&](auto whole) {
            rotateKernel<T, whole>
                <<<blocksFor(heads, kThreads / lanes), dim3(lanes, kThreads / lanes), 0, on(stream)>>>(
                    in<T>(x), in<S>(cos), in<S>(sin), static_cast<S>(direction), out<T>(y), shape, heads);
        });
    });
    return launched();
}

Refusal rowMaxima(RowFormat format, const void* logits, void* maxima, std::int64_t rows, std::int64_t width,
                  void* stream) {
    if (rows == 0) return nullptr;
    inFormat(format, [&]<class T>(T*) {
        inPacks(wholePacks<T>(width, {logits}), [&](auto whole) {
            maximumKernel<T, whole><<<static_cast<unsigned>(rows), threadsFor<T>(width), 0, on(stream)>>>(
                in<T>(logits), out<Sum<T>>(maxima), width);
        });
    });
    return launched();
}

Refusal crossEntropySums(RowFormat format, const void* logits, const std::int64_t* targets, const void* maxima,
                         std::int64_t firstId, void* sums, std::int64_t rows, std::int64_t width, void* stream) {
    if (rows == 0) return nullptr;
    inFormat(format, [&]<class T>(T*) {
        using S = Sum<T>;
        inPacks(wholePacks<T>(width, {logits}), [&](auto whole) {
            expSumKernel<T, whole><<<static_cast<unsigned>(rows), threadsFor<T>(width), 0, on(stream)>>>(
                in<T>(logits), targets, in<S>(maxima), firstId, out<S>(sums), width);
        });
    });
    return launched();
}

Refusal crossEntropyGrad(RowFormat format, void* logits, const std::int64_t* targets, const void* logSumExp,
                         std::int64_t firstId, double scale, std::int64_t rows, std::int64_t width, void* stream) {
    if (rows == 0) return nullptr;
    inFormat(format, [&]<class T>(T*) {
        using S = Sum<T>;
        inPacks(wholePacks<T>(width, {logits}), [&](auto whole) {
            probabilityKernel<T, whole><<<static_cast<unsigned>(rows), threadsFor<T>(width), 0, on(stream)>>>(
                out<T>(logits), targets, in<S>(logSumExp), firstId, static_cast<S>(scale), width);
        });
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
                                   .fp8Largest = cudaFp8Largest,
                                   .fp8Values = cudaFp8Values,
                                   .sumOfSquares = sumOfSquares,
                                   .stepFactors = stepFactors,
                                   .adamW = adamW};
    return &rows;
}

}  // namespace slipway::trainer
