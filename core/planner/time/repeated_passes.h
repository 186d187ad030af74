// What train.cuda_graphs changes: micro-batches that the bundled trainer repeats from a CUDA graph cost their host one
// launch instead of one for each kernel.
//   if (repeatsFromGraph(config)) e.computeSeconds -= repeatedMicroBatches(config) * table.graphSavedSeconds;
#pragma once

#include "core/spec/run_config.h"

namespace slipway {

struct RankSpeed;
/// Seconds that one micro-batch through the whole model takes less when it is repeated from a graph. Its kernels follow
/// each other on the device alone, and one launch is left: 3.4 us for a kernel of 2.9 us in a graph (Gray, "Getting
/// Started with CUDA Graphs", NVIDIA 2019). Of double and of Term.
template <class Number>
Number graphSavedSeconds(const RunConfig& config, const RankSpeed& speed);

}  // namespace slipway
