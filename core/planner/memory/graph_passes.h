// Micro-batches that the bundled trainer repeats from a CUDA graph (train.cuda_graphs), and the memory that the graph keeps.
#pragma once

#include "core/spec/cluster_spec.h"
#include "core/spec/run_config.h"

namespace slipway {

/// True where the option is on and the trainer captures: a rank of a GPU that holds the whole model
/// (core/spec/validate.cpp, trainerSupports).
bool repeatsFromGraph(const RunConfig& config);

/// Micro-batches of a step between the first and the last (trainer/pipeline/executor.cpp, mayReplay); 0 where nothing is repeated.
double repeatedMicroBatches(const RunConfig& config);

/// Memory of the graph: what one micro-batch's passes take on the fullest rank, beside that of the passes that are not
/// repeated, and the tokens it reads (trainer/pipeline/micro_batch_graph.h). 0 where nothing is repeated.
double graphPoolBytes(const RunConfig& config, const ClusterSpec& cluster);

}  // namespace slipway
