// The two edges of a tensor-parallel region (Shoeybi et al. 2019, arXiv 1909.08053; with sequence parallelism
// Korthikanti et al. 2022, arXiv 2205.05198, figure 5).
//   Shards: activations between regions. Plain: they are whole on every tp rank. Sequence parallel: dim 0, the
//   sequence, is cut along tp, and so are norms, residual additions and what they save.
//   Entering: forward  identity   | all-gather;     backward all-reduce | reduce-scatter.
//   Leaving:  forward  all-reduce | reduce-scatter; backward identity   | all-gather.
// So each edge is one of two functions, forwards here and backwards there.
#pragma once

#include "trainer/parallel/shard_context.h"

namespace slipway::trainer {

/// [s, B, ...] between regions -> [S, B, ...], complete on every tp rank. s = S, or S / tp with sequence
/// parallelism.
at::Tensor gatherSequence(const at::Tensor& x, const ShardContext& context);

/// [S, B, ...], a part of a sum on each tp rank -> the sum, [s, B, ...] between regions.
at::Tensor sumPartials(const at::Tensor& x, const ShardContext& context);

/// This rank's part of a tensor [S, ...] complete on every tp rank: [s, ...]. No communication.
at::Tensor sequencePart(const at::Tensor& x, const ShardContext& context);

}  // namespace slipway::trainer
