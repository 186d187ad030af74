// Adaptive gradient clipping (Brock et al. 2021, arXiv 2102.06171, eq. 3): a unit's gradient may be at most `share` of its
// weights' norm. A unit is a row of a matrix, or a whole vector.
#pragma once

#include <algorithm>

namespace slipway {

/// The paper's floor on the weights' norm: without it a unit that starts at zero could never change.
inline constexpr double kAdaptiveClipFloor = 1e-3;

/// Factor for the unit's gradient: share * max(weightNorm, floor) / gradNorm, at most 1.
inline double adaptiveClipFactor(double weightNorm, double gradNorm, double share, double floor = kAdaptiveClipFloor) {
    const double most = share * std::max(weightNorm, floor);
    return gradNorm > most ? most / gradNorm : 1.0;
}

}  // namespace slipway
