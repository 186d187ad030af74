// Micro-batches that the bundled trainer replays from a CUDA graph (train.cuda_graphs), and the graph's memory.
#pragma once

#include "core/spec/cluster_spec.h"
#include "core/spec/run_config.h"

namespace slipway {

/// True where the option is on and the trainer captures: a GPU rank that holds the full model (core/spec/validate.cpp,
/// trainerSupports).
bool repeatsFromGraph(const RunConfig& config);

/// Micro-batches of a step between the first and the last (trainer/pipeline/executor.cpp, mayReplay); 0 where nothing is replayed.
double repeatedMicroBatches(const RunConfig& config);

/// Memory of the graph: that of one micro-batch's passes on the fullest rank, in addition to that of passes outside the
/// graph, and its input tokens (trainer/pipeline/micro_batch_graph.h). 0 where nothing is replayed.
double graphPoolBytes(const RunConfig& config, const ClusterSpec& cluster);

}  // namespace slipway
