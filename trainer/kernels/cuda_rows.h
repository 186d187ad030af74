// The fused row loops on a GPU, as functions over device pointers: no torch in this header, no tensor in cuda_rows.cu.
// A build without CUDA has no_cuda_rows.cpp instead. Every call queues its work on `stream` (a cudaStream_t) and
// returns null, or the driver's error text on a refusal; formats are those of RowFormat, S is the format of sums (fp64
// for fp64, else fp32), rows are contiguous.
#pragma once

#include <cstdint>

namespace slipway::trainer {

enum class RowFormat { Fp32, Fp64, Bf16, Fp16 };

/// x and y [positions, batch, heads, 2 half] with these strides in elements (1 in the last dimension).
struct RotateStrides {
    std::int64_t batch, heads, half;
    std::int64_t from[3], to[3];  // of positions, sequences, heads
};

struct UpdateSegment;
struct SquaresSegment;
struct AdamScalars;

/// Formats of an update's inputs and outputs besides the weights.
struct UpdateFormats {
    RowFormat weights = RowFormat::Fp32;
    bool narrowGradients = false, narrowMoments = false;  ///< bf16; else the format of sums of the weights
};

/// Largest magnitudes of a matrix: one for all, one per row, or one per column.
enum class LargestOf { All, Rows, Columns };
/// A matrix in float8, by rows or, transposed, by columns, and the scales of its values. Null: not needed.
struct Fp8Output {
    void* values = nullptr;
    float* inverse = nullptr;
    const float* largest = nullptr;
    bool each =
        false;  ///< one `largest` and `inverse` for each row (transposed: column), else one for all; the same for both outputs
};

/// Null: the work is queued. Else the reason of the refusal.
using Refusal = const char*;

struct CudaRows {
    Refusal (*rmsNorm)(RowFormat, const void* x, const void* w, double eps, void* y, void* rstdS, std::int64_t rows,
                       std::int64_t width, void* stream);
    /// branch += x, then y and rstdS of it.
    Refusal (*residualRmsNorm)(RowFormat, void* branch, const void* x, const void* w, double eps, void* y, void* rstdS,
                               std::int64_t rows, std::int64_t width, void* stream);
    /// @param residual is added to dx; null: none
    Refusal (*rmsNormInputGrad)(RowFormat, const void* dy, const void* x, const void* w, const void* rstdS,
                                const void* residual, void* dx, std::int64_t rows, std::int64_t width, void* stream);
    /// partial S [chunks, width], chunks of kRowsOfAChunk rows -> sumsS [width] += their sum, in an order that depends
    /// only on their number.
    Refusal (*rmsNormWeightGrad)(RowFormat, const void* dy, const void* x, const void* rstdS, void* partialS,
                                 void* sumsS, std::int64_t rows, std::int64_t width, void* stream);
    Refusal (*swiGlu)(RowFormat, const void* gate, const void* up, void* y, std::int64_t elements, void* stream);
    Refusal (*swiGluGrad)(RowFormat, const void* dy, const void* gate, const void* up, void* dGate, void* dUp,
                          std::int64_t elements, void* stream);
    /// cosS and sinS [positions, half]. y may be x with the same strides.
    Refusal (*rotate)(RowFormat, const void* x, const void* cosS, const void* sinS, double direction, void* y,
                      std::int64_t positions, const RotateStrides& shape, void* stream);
    Refusal (*rowMaxima)(RowFormat, const void* logits, void* maximaS, std::int64_t rows, std::int64_t width,
                         void* stream);
    /// sumsS [2, rows], as in crossEntropySums of embedding.h.
    Refusal (*crossEntropySums)(RowFormat, const void* logits, const std::int64_t* targets, const void* maximaS,
                                std::int64_t firstId, void* sumsS, std::int64_t rows, std::int64_t width, void* stream);
    Refusal (*crossEntropyGrad)(RowFormat, void* logits, const std::int64_t* targets, const void* logSumExpS,
                                std::int64_t firstId, double scale, std::int64_t rows, std::int64_t width,
                                void* stream);
    // Factors of products in 8 bit (fp8_program.h) of x [rows, columns].
    /// largest: zeros on entry, as many as in `of`.
    Refusal (*fp8Largest)(RowFormat, const void* x, LargestOf of, float* largest, std::int64_t rows,
                          std::int64_t columns, void* stream);
    /// One pass for both. @param wideRange e5m2, else e4m3
    Refusal (*fp8Values)(RowFormat, const void* x, const Fp8Output& byRow, const Fp8Output& byColumn, bool wideRange,
                         std::int64_t rows, std::int64_t columns, void* stream);
    // The optimizer's step (update_program.h); tables are in device memory.
    /// partial [chunks] and sum [1] in fp64.
    Refusal (*sumOfSquares)(UpdateFormats, const SquaresSegment* table, std::int64_t segments, std::int64_t chunks,
                            double* partial, double* sum, void* stream);
    Refusal (*stepFactors)(const double* squares, std::int64_t ranks, double lossScale, double clipNorm,
                           const double* loss, double* factors, void* stream);
    Refusal (*adamW)(UpdateFormats, const UpdateSegment* table, std::int64_t segments, std::int64_t chunks,
                     const AdamScalars&, const double* factors, void* stream);
    bool onHost = false;  ///< accepts host memory, in tests
};

constexpr std::int64_t kRowsOfAChunk = 64;

// Of cuda_fp8.cu, for cudaRows().
Refusal cudaFp8Largest(RowFormat, const void* x, LargestOf of, float* largest, std::int64_t rows, std::int64_t columns,
                       void* stream);
Refusal cudaFp8Values(RowFormat, const void* x, const Fp8Output& byRow, const Fp8Output& byColumn, bool wideRange,
                      std::int64_t rows, std::int64_t columns, void* stream);

/// The functions of this build; null without CUDA.
const CudaRows* cudaRows();

}  // namespace slipway::trainer
