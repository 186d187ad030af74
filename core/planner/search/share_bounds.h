// Bounds on what ZeRO and offload do to any layout of a group, whatever its pipeline. They drop a stage of ZeRO, or a whole
// group, before a layout of it is looked at.
//   bounds.seconds(passSeconds, 3, Offload::All), bytes[shareClass(3, Offload::All)]
#pragma once

#include "core/spec/parallel_layout.h"

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>

namespace slipway {

constexpr std::size_t kNumZeroStages = 4, kNumOffloads = enumNames(Offload{}).size(),
                      kNumShareClasses = kNumZeroStages * kNumOffloads;
/// A ZeRO stage and an offload as one index.
constexpr std::size_t shareClass(std::int64_t zeroStage, Offload offload) {
    return static_cast<std::size_t>(zeroStage) + kNumZeroStages * static_cast<std::size_t>(offload);
}
using ShareClasses = std::bitset<kNumShareClasses>;
/// By shareClass().
using ShareBytes = std::array<double, kNumShareClasses>;

/// What a ZeRO stage costs beside the passes, at least; of those who may shard together the least of each.
struct StageBound {
    double gradients = 0;                  ///< seconds that backward passes may hide
    double hidingPasses = 1;               ///< micro-batches whose backward passes may, at most
    double weights = 0;                    ///< seconds that the computing may hide, up to kGatherWindow of it
    double inOpen = 0;                     ///< seconds that nothing hides
    std::array<double, 2> optimizer = {};  ///< seconds; its states on the device, or offloaded
};

struct ShareBounds {
    std::array<StageBound, kNumZeroStages> stages;
    double numMicroBatches = 1, fixedSeconds = 0;

    /// At most the step's seconds under this ZeRO stage and offload.
    /// @param passSeconds at most those of the passes, with fixedSeconds (LayoutEvaluator::boundSeconds)
    [[nodiscard]] double seconds(double passSeconds, std::int64_t zeroStage, Offload offload) const;
};

}  // namespace slipway
