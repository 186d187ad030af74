// What a software's allocator, communicators and libraries hold, from runs whose memory was measured.
#pragma once

#include "core/planner/validate/measured_run.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace slipway {

/// Fewest measured memories for a fit of two figures.
constexpr std::size_t kRunsPerAllocator = 4;

/// Two figures, fitted in logarithms to measured over forecast memory and held near the textbook's; empty with fewer
/// runs, and for meters that see tensors only, whose figures are exact.
std::optional<AllocatorFit> fitAllocator(const std::vector<const MeasuredRun*>& runs);

}  // namespace slipway
