// What an optimizer needs beside its states while it updates: at the end of a step, when activations are gone.
#pragma once

#include "core/planner/memory/memory.h"

namespace slipway {

/// Temporaries of the bundled trainer's update on one rank, in bytes of the device: pieces that are widened where gradients, moments or
/// weights are kept narrow (trainer/optim/optimizer.cpp), and the whole matrices Muon works with (trainer/optim/muon.cpp). 0 where one
/// kernel does all (AdamW on a GPU) and where the host updates.
double updateWorkBytes(const RunConfig& config, const RankContents& contents, const ShardRanks& ranks);

}  // namespace slipway
