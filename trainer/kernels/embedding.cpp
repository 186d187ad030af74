#include "trainer/kernels/embedding.h"

#include "trainer/kernels/deterministic.h"
#include "trainer/kernels/dtype.h"
#include "trainer/kernels/fused_rows.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/embedding_dense_backward.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/stack.h>

namespace slipway::trainer {
namespace {

// Local row of each id, 0 if it is not local; `outside` marks those.
struct LocalIds {
    at::Tensor rows;
    at::Tensor outside;
};

LocalIds localIds(const at::Tensor& ids, std::int64_t firstId, std::int64_t numRows) {
    const at::Tensor rows = ids - firstId;
    at::Tensor outside = rows.lt(0).logical_or_(rows.ge(numRows));
    return {rows.masked_fill(outside, 0), std::move(outside)};
}

}  // namespace

at::Tensor embeddingRows(const at::Tensor& ids, const at::Tensor& table, std::int64_t firstId) {
    const LocalIds local = localIds(ids, firstId, table.size(0));
    return at::embedding(table, local.rows).masked_fill_(local.outside.unsqueeze(-1), 0);
}

void addEmbeddingGrad(at::Tensor& tableGrad, const at::Tensor& dy, const at::Tensor& ids, std::int64_t firstId) {
    const LocalIds local = localIds(ids, firstId, tableGrad.size(0));
    const at::Tensor rows =
        dy.to(tableGrad.scalar_type()).masked_fill(local.outside.unsqueeze(-1), 0).reshape({-1, dy.size(-1)});
    const at::Tensor indices = local.rows.reshape({-1});
    // On a GPU, index_add_ uses atomics in any order. The sorted form has two ways to add its parts: few rows for many
    // tokens (a small vocabulary) are added with atomics, unless deterministic results are requested.
    if (dy.is_cuda()) {
        const DeterministicOperators fixed;
        tableGrad.add_(at::embedding_dense_backward(rows, indices, tableGrad.size(0), /*padding_idx=*/-1,
                                                    /*scale_grad_by_freq=*/false));
    } else {
        tableGrad.index_add_(0, indices, rows);
    }
}

at::Tensor rowMaxima(const at::Tensor& logits) {
    if (isFusable(logits)) return fusedRowMaxima(logits);
    return logits.amax(at::IntArrayRef{-1}).to(sumType(logits));
}

at::Tensor crossEntropySums(const at::Tensor& logits, const at::Tensor& targets, const at::Tensor& maxima,
                            std::int64_t firstId) {
    if (isFusable(logits)) return fusedCrossEntropySums(logits, targets, maxima, firstId);
    const at::Tensor shifted = logits.to(sumType(logits)) - maxima.unsqueeze(-1);
    const LocalIds local = localIds(targets, firstId, logits.size(-1));
    const at::Tensor target = shifted.gather(-1, local.rows.unsqueeze(-1)).squeeze(-1).masked_fill_(local.outside, 0);
    const at::Tensor sums[] = {shifted.exp().sum(at::IntArrayRef{-1}), target};
    return at::stack(at::TensorList(sums));
}

at::Tensor crossEntropyGrad(const at::Tensor& logits, const at::Tensor& targets, const at::Tensor& logSumExp,
                            std::int64_t firstId, double scale) {
    if (isFusable(logits)) {
        fusedCrossEntropyGrad(logits, targets, logSumExp, firstId, scale);
        return logits;
    }
    const LocalIds local = localIds(targets, firstId, logits.size(-1));
    at::Tensor grad = (logits.to(sumType(logits)) - logSumExp.unsqueeze(-1)).exp_();
    const at::Tensor minusOne = local.outside.to(grad.scalar_type()).sub_(1);  // -1 where the target is local, else 0
    grad.scatter_add_(-1, local.rows.unsqueeze(-1), minusOne.unsqueeze(-1));
    grad.masked_fill_(targets.eq(kIgnoredTarget).unsqueeze(-1), 0).mul_(scale);
    return grad.to(logits.scalar_type());
}

}  // namespace slipway::trainer
