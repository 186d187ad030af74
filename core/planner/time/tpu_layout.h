// A layout for TPU pods: fully sharded data parallelism with tensor parallelism inside a pod, data parallelism between
// pods (jax-ml/scaling-book, chapters 5 and 6). Idle chips of a layout are counted, never ignored.
//   tpuLayout({.chipsPerPod = 8960, .batchTokens = 4194304, .ffnWidth = 28672}).fsdp == 1120
#pragma once

#include "core/planner/time/tpu_roofline.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace slipway {

struct TpuQuestion {
    std::int64_t chipsPerPod = 1, numPods = 1;
    double batchTokens = 0, ffnWidth = 0;
    double peakFlops = 4.59e14;          ///< of one chip; v5p bf16
    double axisBytesPerSecond = 1.8e11;  ///< of one ICI axis, both directions
    double dcnBytesPerSecond = 6.25e9;   ///< of one chip to other pods
    /// ICI axes of the torus. One shards the tensors and the others the data; a single axis shards either.
    int axes = 3;
    RooflineEdition edition = RooflineEdition::SumOfBoth;
    std::optional<std::int64_t> fsdp, tp;  ///< degrees inside a pod, if chosen by the user
};

/// ICI axes of a TPU of the library: a torus of two dimensions on v5e and v6e, of three on the others (scaling book, chapter 2,
/// "TPU specs").
int iciAxes(std::string_view device);

struct TpuLayout {
    std::int64_t fsdp = 1, tp = 1;
    std::int64_t usedChips = 0, idleChips = 0;  ///< of all pods
    double tokensPerChip = 0;
    double fsdpTokenLimit = 0, dcnTokenLimit = 0;  ///< per chip, per pod
    std::optional<double> mixedTokenLimit;         ///< per chip; none with a single axis
    double bestFsdp = 0, bestTp = 0;               ///< real numbers, all chips
    double tpLimit = 0;                            ///< per axis
    /// Communication over compute time: of the mixture at its best degrees, with a single axis of the layout's own sharding.
    double commRatio = 0;
    double peakCeiling = 1;  ///< share of the peak left by communication
    double dcnMargin = 0;    ///< tokens per pod over the limit; infinite with one pod
};

/// The given degrees, or those that use all chips of a pod, with tp the power of two nearest to the best (in ratio)
/// that divides the pod and stays under the limit per axis.
TpuLayout tpuLayout(const TpuQuestion& question);

}  // namespace slipway
