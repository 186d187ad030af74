// Rooflines of sharded matrix products on a TPU torus (jax-ml/scaling-book, chapters 5 and 6). All per chip; `intensity`
// is FLOP/s over link bytes/s: 2550 for a v5p's bf16 peak over one bidirectional axis.
#pragma once

#include "core/base/message.h"

#include <initializer_list>
#include <string>

namespace slipway {

/// Edition of the limit for fully sharded data parallelism mixed with tensor parallelism: the two communications add up
/// (first edition), or overlap (later editions; a quarter of the limit).
enum class RooflineEdition { SumOfBoth, MaxOfBoth };

/// Tokens per chip above which fully sharded data parallelism alone is compute-bound: (C / W) / axes.
double fsdpTokenLimit(double peakFlops, double linkBytesPerSecond, double axes);
/// Tokens per chip above which the mixture is compute-bound: 4 a^2 / (Mx My F), or a^2 / (Mx My F).
double mixedTokenLimit(double intensity, double axesProduct, double ffnWidth, RooflineEdition edition);
/// Communication over compute time of the mixture at its best degrees: sqrt(limit / tokens per chip).
double mixedCommRatio(double tokensPerChip, double limit);
/// Best degree of fully sharded data parallelism: sqrt(Mx / My B N / F), with Mx axes for the data and My for the tensors.
double bestFsdpDegree(double batchTokens, double chips, double ffnWidth, double axesRatio);
/// Largest tensor-parallel degree per axis: F / a.
double tensorParallelLimit(double ffnWidth, double intensity);
/// Tokens per pod above which data parallelism over the data-center network is compute-bound: C / W_dcn.
double dcnTokenLimit(double peakFlops, double dcnBytesPerSecond);
/// Chips of a torus with these axes.
double torusChips(std::initializer_list<double> axes);
/// "compute-bound", or "communication-bound (7.3x short)".
Message rooflineVerdict(double tokensPerChip, double limit);

}  // namespace slipway
