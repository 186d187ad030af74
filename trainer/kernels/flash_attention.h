// libtorch's flash operator (Dao 2023, arXiv 2307.08691) for cases that its scaled-dot-product front end cannot
// express: blocks of keys with their log-sum-exp, sliding windows, packed documents. Scores never go to memory. Only on
// GPUs, bf16 and fp16.
//   if (const auto flash = flashAttention(q, k, v, mask)) use(flash->out, flash->logSumExp); else the plain products;
#pragma once

#include "trainer/kernels/attention.h"

namespace slipway::trainer {

/// Absent where the operator is unsupported: other formats and devices, head widths that are not a multiple of 8 or
/// above 256, a single query, queries before the first key, a window whose block does not end with its queries,
/// documents of more than the given queries and keys. Out is in q's format, the log-sum-exp in fp32.
std::optional<BlockResult> flashAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                          const BlockMask& mask);

/// As attentionBlockGrad, for out and logSumExp of any operator; the gradients in q's format. Absent as above.
std::optional<AttentionGrads> flashAttentionGrad(const at::Tensor& dOut, const at::Tensor& q, const at::Tensor& k,
                                                 const at::Tensor& v, const at::Tensor& out,
                                                 const at::Tensor& logSumExp, const BlockMask& mask);

}  // namespace slipway::trainer
