// Temporaries of an optimizer's update, beyond its states: at the end of a step, when activations are freed.
#pragma once

#include "core/planner/memory/memory.h"

namespace slipway {

/// Temporaries of the bundled trainer's update on one rank, in bytes of the device: pieces widened where gradients,
/// moments or weights are stored in a narrow format (trainer/optim/optimizer.cpp), and the full matrices of Muon
/// (trainer/optim/muon.cpp). 0 where one kernel does all (AdamW on a GPU) and where the host updates.
double updateWorkBytes(const RunConfig& config, const RankContents& contents, const ShardRanks& ranks);

}  // namespace slipway
