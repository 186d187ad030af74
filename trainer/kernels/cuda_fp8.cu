// Launches of the float8 programs (fp8_program.h).
#include "trainer/kernels/cuda_blocks.h"
#include "trainer/kernels/fp8_program.h"

#include <cuda_fp8.h>

namespace slipway::trainer {
namespace {

constexpr std::int64_t kColumnRows = 64;  // of one block

template <class T, bool kWhole>
__global__ void segmentsKernel(const T* x, std::int64_t segment, std::int64_t elements, bool each, float* largest) {
    __shared__ float shared[kThreads / kWarp];
    BlockLanes<float> lanes{shared};
    const std::int64_t begin = blockIdx.x * segment;
    largestOfSegment<T, kWhole>(lanes, x + begin, begin + segment < elements ? segment : elements - begin,
                                largest + (each ? blockIdx.x : 0));
}

template <class T, bool kWhole>
__global__ void columnsKernel(const T* x, std::int64_t rows, std::int64_t columns, float* largest) {
    BlockLanes<float> lanes{nullptr};
    const std::int64_t column = (static_cast<std::int64_t>(blockIdx.y) * blockDim.x + threadIdx.x) * kPack<T>;
    const std::int64_t begin = blockIdx.x * kColumnRows;
    if (column < columns)
        largestOfColumns<T, kWhole>(lanes, x, column, columns, begin,
                                    begin + kColumnRows < rows ? begin + kColumnRows : rows, largest);
}

template <class T, class Q, bool kWhole>
__global__ void tilesKernel(const T* x, Fp8Output byRow, Fp8Output byColumn, float most, std::int64_t rows,
                            std::int64_t columns) {
    __shared__ Q turned[kFp8Tile][kFp8Tile + kFp8Gap];
    BlockLanes<float> lanes{nullptr};
    fp8TileOf<T, Q, kWhole>(lanes, x, byRow, byColumn, most, rows, columns, blockIdx.x, turned);
}

}  // namespace

Refusal cudaFp8Largest(RowFormat format, const void* x, LargestOf of, float* largest, std::int64_t rows,
                       std::int64_t columns, void* stream) {
    if (rows == 0 || columns == 0) return nullptr;
    inFormat(format, [&]<class T>(T*) {
        inPacks(wholePacks<T>(columns, {x}), [&](auto whole) {
            if (of == LargestOf::Columns) {
                const unsigned threads = threadsFor<T>(columns);
                const dim3 blocks(blocksFor(rows, kColumnRows), blocksFor(columns, threads * kPack<T>));
                columnsKernel<T, whole><<<blocks, threads, 0, on(stream)>>>(in<T>(x), rows, columns, largest);
                return;
            }
            const bool each = of == LargestOf::Rows;
            const std::int64_t segment = each ? columns : kLargestSegment;
            segmentsKernel<T, whole><<<blocksFor(rows * columns, segment), threadsFor<T>(segment), 0, on(stream)>>>(
                in<T>(x), segment, rows * columns, each, largest);
        });
    });
    return launched();
}

Refusal cudaFp8Values(RowFormat format, const void* x, const Fp8Output& byRow, const Fp8Output& byColumn,
                      bool wideRange, std::int64_t rows, std::int64_t columns, void* stream) {
    if (rows == 0 || columns == 0) return nullptr;
    inFormat(format, [&]<class T>(T*) {
        inPacks(wholeTiles<T>(rows, columns, x, byRow, byColumn), [&](auto whole) {
            const unsigned tiles = blocksFor(rows, kFp8Tile) * blocksFor(columns, kFp8Tile);
            const auto launch = [&]<class Q>(Q*) {
                tilesKernel<T, Q, whole>
                    <<<tiles, kThreads, 0, on(stream)>>>(in<T>(x), byRow, byColumn, fp8Most(wideRange), rows, columns);
            };
            wideRange ? launch(static_cast<__nv_fp8_e5m2*>(nullptr)) : launch(static_cast<__nv_fp8_e4m3*>(nullptr));
        });
    });
    return launched();
}

}  // namespace slipway::trainer
