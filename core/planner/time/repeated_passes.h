// Effect of train.cuda_graphs: micro-batches that the bundled trainer replays from a CUDA graph cost their host one
// launch instead of one per kernel.
//   if (repeatsFromGraph(config)) e.computeSeconds -= repeatedMicroBatches(config) * table.graphSavedSeconds;
#pragma once

#include "core/spec/run_config.h"

namespace slipway {

struct RankSpeed;
/// Seconds saved by one micro-batch through the full model when it is replayed from a graph. Its kernels follow each
/// other on the device alone, and one launch remains: 3.4 us for a kernel of 2.9 us in a graph (Gray, "Getting Started
/// with CUDA Graphs", NVIDIA 2019). For double and for Term.
template <class Number>
Number graphSavedSeconds(const RunConfig& config, const RankSpeed& speed);

}  // namespace slipway
