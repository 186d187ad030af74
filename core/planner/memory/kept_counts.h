// Saved micro-batches of each chunk of a rank at the rank's peak.
#pragma once

#include "core/planner/memory/kept.h"

#include <vector>

namespace slipway {

struct KeptCount {
    double held = 0;     ///< micro-batches between their forward and their last backward pass
    double waiting = 0;  ///< of these, between the halves of a split backward pass
};

/// One for each of the chunks; peakKept() is their sum times the chunks' bytes per micro-batch. @param played needed
/// where hasRecursion(shape) does not hold
std::vector<KeptCount> keptCounts(const PipelineShape& shape, const PlayedSchedule* played, std::int64_t rank,
                                  const std::vector<KeptBytes>& chunks);

}  // namespace slipway
