// Saved micro-batches of each chunk of a rank at the rank's peak.
#pragma once

#include "core/planner/memory/saved_activations.h"

#include <vector>

namespace slipway {

struct SavedCount {
    double held = 0;     ///< micro-batches between their forward and their last backward pass
    double waiting = 0;  ///< of these, between the halves of a split backward pass
};

/// One for each of the chunks; peakSaved() is their sum times the chunks' bytes per micro-batch. @param sample needed
/// where hasRecursion(shape) does not hold
std::vector<SavedCount> savedCounts(const PipelineShape& shape, const ScheduleSample* sample, std::int64_t rank,
                                    const std::vector<SavedBytes>& chunks);

}  // namespace slipway
