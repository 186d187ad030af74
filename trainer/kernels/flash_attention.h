// libtorch's flash operator (Dao 2023, arXiv 2307.08691) for what its scaled-dot-product front cannot express: blocks of
// keys whose log-sum-exp is wanted, sliding windows, packed documents. Scores never go to memory. On GPUs only, bf16
// and fp16.
//   if (const auto flash = flashAttention(q, k, v, mask)) use(flash->out, flash->logSumExp); else the plain products;
#pragma once

#include "trainer/kernels/attention.h"

namespace slipway::trainer {

/// Nothing where the operator does not serve: other formats and devices, head widths that are no multiple of 8 or above
/// 256, a single query, queries before the first key, a window whose block does not end with its queries, documents of
/// more than the given queries and keys. Out is in q's format, the log-sum-exp in fp32.
std::optional<BlockResult> flashAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                          const BlockMask& mask);

/// As attentionBlockGrad, whoever made out and logSumExp; the gradients in q's format. Nothing as above.
std::optional<AttentionGrads> flashAttentionGrad(const at::Tensor& dOut, const at::Tensor& q, const at::Tensor& k,
                                                 const at::Tensor& v, const at::Tensor& out,
                                                 const at::Tensor& logSumExp, const BlockMask& mask);

}  // namespace slipway::trainer
