#include "trainer/parallel/tp_region.h"

#include <ATen/DimVector.h>
#include <ATen/ops/empty.h>

namespace slipway::trainer {
namespace {

// The shape of x with another length of dim 0.
at::DimVector withRows(const at::Tensor& x, std::int64_t rows) {
    at::DimVector shape(x.sizes());
    shape.front() = rows;
    return shape;
}

}  // namespace

at::Tensor gatherSequence(const at::Tensor& x, const ShardContext& context) {
    const std::int64_t n = context.tp->size();
    if (n == 1 || !context.sequenceParallel) return x;
    at::Tensor whole = at::empty(withRows(x, x.size(0) * n), x.options());
    context.tp->allGather(whole, x.contiguous())->wait();
    return whole;
}

at::Tensor sumPartials(const at::Tensor& x, const ShardContext& context) {
    const std::int64_t n = context.tp->size();
    if (n == 1) return x;
    at::Tensor whole = x.contiguous();
    if (!context.sequenceParallel) {
        context.tp->allReduce(whole, ReduceOp::Sum)->wait();
        return whole;
    }
    at::Tensor part = at::empty(withRows(x, x.size(0) / n), x.options());
    context.tp->reduceScatter(part, whole)->wait();
    return part;
}

at::Tensor sequencePart(const at::Tensor& x, const ShardContext& context) {
    const std::int64_t n = context.tp->size();
    if (n == 1 || !context.sequenceParallel) return x;
    const std::int64_t length = x.size(0) / n;
    return x.narrow(0, context.tp->rank() * length, length);
}

}  // namespace slipway::trainer
