// Bounds on the effect of ZeRO and offload on any layout of a group, for any pipeline. They rule out a ZeRO stage, or a
// complete group, before any of its layouts is evaluated.
//   bounds.seconds(passSeconds, 3, Offload::All), bytes[shareClass(3, Offload::All)]
#pragma once

#include "core/planner/time/share_seconds.h"
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

/// Lower bounds on a ZeRO stage's cost in addition to the passes; minimum over the possible sharding groups.
struct StageBound {
    ShareSeconds share;                    ///< hidingPasses: the most
    std::array<double, 2> optimizer = {};  ///< seconds; its states on the device, or offloaded
};

struct ShareBounds {
    std::array<StageBound, kNumZeroStages> stages;
    double numMicroBatches = 1, fixedSeconds = 0;

    /// Lower bound on the step's seconds under this ZeRO stage and offload.
    /// @param passSeconds lower bound on those of the passes, with fixedSeconds (LayoutEvaluator::boundSeconds)
    [[nodiscard]] double seconds(double passSeconds, std::int64_t zeroStage, Offload offload) const;
};

}  // namespace slipway
