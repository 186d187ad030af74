// Peak of a rank's saved activations between forward and backward passes.
//   peakKept({ScheduleKind::OneFOneB, 4, 16, 1}, 0, {{layerBytes, 0}})
#pragma once

#include "core/planner/schedule/pipeline_seconds.h"
#include "core/planner/schedule/played_schedule.h"

#include <vector>

namespace slipway {

/// Saved for one micro-batch by one chunk, or by a rank at one moment.
struct KeptBytes {
    double layers = 0, logits = 0;
    double waiting = 0;  ///< additional between input pass and weight pass, where a schedule splits them
    [[nodiscard]] double total() const { return layers + logits; }
};

/// The largest sum over the rank's passes, all micro-batches; hasRecursion(shape) must hold. In O(chunks):
/// the sum after a forward pass changes evenly while neither the forward's nor the backward's chunk
/// changes, so only those moments of the last period are examined. @param chunks of this rank, for one
/// micro-batch
KeptBytes peakKept(const PipelineShape& shape, std::int64_t rank, const std::vector<KeptBytes>& chunks);

/// The same by walking the list of actions, for any schedule.
KeptBytes peakKept(const PlayedSchedule& played, std::int64_t rank, const std::vector<KeptBytes>& chunks);

}  // namespace slipway
