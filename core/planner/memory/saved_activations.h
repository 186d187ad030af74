// Peak of a rank's saved activations between forward and backward passes.
//   peakSaved({ScheduleKind::OneFOneB, 4, 16, 1}, 0, {{layerBytes, 0}})
#pragma once

#include "core/planner/schedule/pipeline_seconds.h"
#include "core/planner/schedule/schedule_sample.h"

#include <vector>

namespace slipway {

/// Saved for one micro-batch by one chunk, or by a rank at one moment.
struct SavedBytes {
    double layers = 0, logits = 0;
    double waiting = 0;  ///< additional between input pass and weight pass, where a schedule splits them
    [[nodiscard]] double total() const { return layers + logits; }
};

/// The largest sum over the rank's passes, all micro-batches; hasRecursion(shape) must hold. In O(chunks):
/// the sum after a forward pass changes evenly while neither the forward's nor the backward's chunk
/// changes, so only those moments of the last period are examined. @param chunks of this rank, for one
/// micro-batch
SavedBytes peakSaved(const PipelineShape& shape, std::int64_t rank, const std::vector<SavedBytes>& chunks);

/// The same by walking the list of actions, for any schedule.
SavedBytes peakSaved(const ScheduleSample& sample, std::int64_t rank, const std::vector<SavedBytes>& chunks);

}  // namespace slipway
