// Embedding rows and the local parts of a cross-entropy whose vocabulary may be sharded over ranks. Both take
// `firstId`, the vocabulary id of local row 0; ids outside the local rows contribute zero. N tokens, V local
// vocabulary, H width.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace slipway::trainer {

/// Targets with this id carry no loss.
constexpr std::int64_t kIgnoredTarget = -1;

/// ids [...] int64, table [V, H] -> [..., H]; rows of non-local ids are zero.
at::Tensor embeddingRows(const at::Tensor& ids, const at::Tensor& table, std::int64_t firstId);
/// tableGrad [V, H] += rows of dy [..., H] at their ids.
void addEmbeddingGrad(at::Tensor& tableGrad, const at::Tensor& dy, const at::Tensor& ids, std::int64_t firstId);

/// The largest logit of each token: logits [N, V] -> [N] in the sum format.
at::Tensor rowMaxima(const at::Tensor& logits);
/// -> [2, N]: row 0 the sum of exp(logit - maximum), row 1 the target's (logit - maximum) or 0 if not local.
at::Tensor crossEntropySums(const at::Tensor& logits, const at::Tensor& targets, const at::Tensor& maxima,
                            std::int64_t firstId);
/// Gradient of scale * sum over valid tokens of (logSumExp - target logit): [N, V] in the logits' format. It may reuse
/// the memory of the logits, which are no longer needed.
at::Tensor crossEntropyGrad(const at::Tensor& logits, const at::Tensor& targets, const at::Tensor& logSumExp,
                            std::int64_t firstId, double scale);

}  // namespace slipway::trainer
