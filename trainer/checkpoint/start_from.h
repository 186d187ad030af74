// Start of a run: its own newest checkpoint, a checkpoint of another run and layout, Hugging Face weights, or from
// scratch.
#pragma once

#include "trainer/checkpoint/checkpoint.h"

namespace slipway::trainer {

/// Fills `state` and returns its source. With `resume` ("latest" or a folder) that has priority;
/// checkpoint.start_from applies where this run has no checkpoint of its own. Hugging Face weights have
/// no mark: the run starts at step 0, moments stay unchanged. Without checkpoint.restore_moments those
/// of a checkpoint are erased from `state`, not read. Errors of loadCheckpoint and
/// loadHuggingFaceWeights; "nothing_to_do" for a checkpoint beyond train.num_steps, or at it when the
/// run is new. A collective.
Result<LoadedCheckpoint> loadStart(const CheckpointContext& context, const std::string& resume,
                                   std::vector<StateTensor>& state);

}  // namespace slipway::trainer
