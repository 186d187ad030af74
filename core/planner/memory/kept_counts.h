// How many micro-batches each chunk of a rank has kept at the moment when the rank keeps most.
#pragma once

#include "core/planner/memory/kept.h"

#include <vector>

namespace slipway {

struct KeptCount {
    double held = 0;     ///< micro-batches between their forward and their last backward pass
    double waiting = 0;  ///< of these, between the halves of a split backward pass
};

/// One for each of the chunks; peakKept() is their sum over what the chunks keep of one.
/// @param played needed where hasRecursion(shape) does not hold
std::vector<KeptCount> keptCounts(const PipelineShape& shape, const PlayedSchedule* played, std::int64_t rank,
                                  const std::vector<KeptBytes>& chunks);

}  // namespace slipway
