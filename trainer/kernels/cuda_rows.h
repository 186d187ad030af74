// The fused row loops on a GPU, as functions over device pointers: no torch in this header, no tensor in cuda_rows.cu. A build without CUDA
// has no_cuda_rows.cpp in its place. Every call queues its work on `stream` (a cudaStream_t) and returns; formats are those of RowFormat,
// S is the format of sums (fp64 for fp64, else fp32), rows are contiguous.
#pragma once

#include <cstdint>

namespace slipway::trainer {

enum class RowFormat { Fp32, Fp64, Bf16, Fp16 };

/// x [positions, batch, heads, 2 half] with these strides in elements (1 in the last dimension).
struct RotateStrides {
    std::int64_t batch, heads, half;
    std::int64_t strides[3];  // of positions, sequences, heads
};

struct CudaRows {
    void (*rmsNorm)(RowFormat, const void* x, const void* w, double eps, void* y, void* rstdS, std::int64_t rows,
                    std::int64_t width, void* stream);
    void (*rmsNormInputGrad)(RowFormat, const void* dy, const void* x, const void* w, const void* rstdS, void* dx,
                             std::int64_t rows, std::int64_t width, void* stream);
    /// partial S [chunks, width], chunks of kRowsOfAChunk rows -> sumsS [width] += their sum in the order of the chunks.
    void (*rmsNormWeightGrad)(RowFormat, const void* dy, const void* x, const void* rstdS, void* partialS, void* sumsS,
                              std::int64_t rows, std::int64_t width, void* stream);
    void (*swiGlu)(RowFormat, const void* gate, const void* up, void* y, std::int64_t elements, void* stream);
    void (*swiGluGrad)(RowFormat, const void* dy, const void* gate, const void* up, void* dGate, void* dUp,
                       std::int64_t elements, void* stream);
    /// cosS and sinS [positions, half].
    void (*rotate)(RowFormat, const void* x, const void* cosS, const void* sinS, double direction, void* y,
                   std::int64_t positions, const RotateStrides& shape, void* stream);
    void (*rowMaxima)(RowFormat, const void* logits, void* maximaS, std::int64_t rows, std::int64_t width,
                      void* stream);
    /// sumsS [2, rows], as crossEntropySums of embedding.h.
    void (*crossEntropySums)(RowFormat, const void* logits, const std::int64_t* targets, const void* maximaS,
                             std::int64_t firstId, void* sumsS, std::int64_t rows, std::int64_t width, void* stream);
    void (*crossEntropyGrad)(RowFormat, void* logits, const std::int64_t* targets, const void* logSumExpS,
                             std::int64_t firstId, double scale, std::int64_t rows, std::int64_t width, void* stream);
};

constexpr std::int64_t kRowsOfAChunk = 128;

/// The functions of this build; null without CUDA.
const CudaRows* cudaRows();

}  // namespace slipway::trainer
