// What train.cuda_graphs changes: micro-batches that the bundled trainer repeats from a CUDA graph cost their host one
// launch instead of one for each kernel, and the graph keeps the memory of their passes.
//   if (repeatsFromGraph(config)) e.computeSeconds -= repeatedMicroBatches(config) * table.graphSavedSeconds;
#pragma once

#include "core/planner/plan.h"

#include <cstdint>

namespace slipway {

/// True where the option is on and the trainer captures: a rank of a GPU that holds the whole model
/// (core/spec/validate.cpp, trainerSupports).
bool repeatsFromGraph(const RunConfig& config);

/// Micro-batches of a step between the first and the last (trainer/pipeline/executor.cpp, mayReplay); 0 where nothing is repeated.
double repeatedMicroBatches(const RunConfig& config);

struct RankSpeed;
/// Seconds that one micro-batch through the whole model takes less when it is repeated from a graph. Its kernels follow
/// each other on the device alone, and one launch is left: 3.4 us for a kernel of 2.9 us in a graph (Gray, "Getting
/// Started with CUDA Graphs", NVIDIA 2019). Of double and of Term.
template <class Number>
Number graphSavedSeconds(const RunConfig& config, const RankSpeed& speed);

/// Memory of the graph: what one micro-batch's passes take on the fullest rank, beside that of the passes that are not
/// repeated, and the tokens it reads (trainer/pipeline/micro_batch_graph.h). 0 where nothing is repeated.
double graphPoolBytes(const RunConfig& config, const ClusterSpec& cluster);

}  // namespace slipway
