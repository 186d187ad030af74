#include "trainer/kernels/flash_attention.h"

#include "trainer/kernels/deterministic.h"
#include "trainer/kernels/operator_refusals.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_flash_attention_backward.h>
#include <ATen/ops/_flash_attention_forward.h>
#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <tuple>

namespace slipway::trainer {
namespace {

// The mask in the operator's terms. Causal: the last query is aligned with the last key, regardless of their numbers.
struct Call {
    bool causal = true;
    std::optional<std::int64_t> before = {};  ///< visible keys before the query's own
    at::Tensor starts = {};                   ///< of documents laid end to end; undefined: sequences of equal length
    std::int64_t queries = 0, keys = 0;       ///< of the longest

    [[nodiscard]] std::optional<at::Tensor> packed() const {
        return starts.defined() ? std::optional(starts) : std::nullopt;
    }
};

std::optional<Call> callOf(const at::Tensor& q, const at::Tensor& k, const BlockMask& mask) {
    // For queries before all keys, the operator returns +inf as statistics.
    if (mask.queryPosition < mask.keyPosition) return std::nullopt;
    const std::int64_t queries = q.size(0), keys = k.size(0);
    Call call{.queries = queries, .keys = keys};
    if (mask.window) call.before = *mask.window - 1;
    if (mask.documents.defined()) {
        // In a part of the sequence, documents may begin before it and end after it.
        const std::int64_t whole = mask.documents.numbers.size(1);
        if (queries != whole || keys != whole) return std::nullopt;
        call.starts = mask.documents.starts;
        call.queries = call.keys = mask.documents.longest;
        return call;
    }
    const bool endTogether = mask.queryPosition + queries == mask.keyPosition + keys;
    if (mask.window && !endTogether) return std::nullopt;
    call.causal = mask.window || mask.queryPosition == mask.keyPosition;
    return call;
}

enum class Pass { Forward, Backward };
using Problem = std::tuple<Pass, at::ScalarType, std::int64_t, std::int64_t>;
Problem problemOf(Pass pass, const at::Tensor& q) {
    return {pass, q.scalar_type(), q.size(0), q.size(-1)};
}

// Problems that the operator refused: compute capability, sizes.
OperatorRefusals<Problem>& refusals() {
    static OperatorRefusals<Problem> all;
    return all;
}

bool serves(const at::Tensor& q) {
    static const c10::OperatorHandle forward =
        c10::Dispatcher::singleton().findSchemaOrThrow("aten::_flash_attention_forward", "");
    const std::int64_t width = q.size(-1);
    return (q.scalar_type() == at::kBFloat16 || q.scalar_type() == at::kHalf) && width % 8 == 0 && width <= 256 &&
           q.size(0) > 1 &&
           forward.hasKernelForDispatchKey(q.is_cpu() ? c10::DispatchKey::CPU : c10::DispatchKey::CUDA) &&
           !refusals().isFinal(problemOf(Pass::Forward, q)) && !refusals().isFinal(problemOf(Pass::Backward, q));
}

// f's result; empty if the operator refuses the problem.
template <class F>
auto unlessRefused(const Problem& problem, F&& f) -> std::optional<decltype(f())> {
    try {
        auto result = f();
        refusals().served(problem);
        return result;
    } catch (const c10::OutOfMemoryError&) {
        throw;
    } catch (const c10::Error&) {
        refusals().failed(problem);
        return std::nullopt;
    }
}

// [S, B, heads, D] -> [B, S, heads, D], or with documents [B S, heads, D].
at::Tensor laid(const at::Tensor& x, const Call& call) {
    const at::Tensor bySequence = x.permute({1, 0, 2, 3});
    return call.starts.defined() ? bySequence.reshape({-1, x.size(2), x.size(3)}) : bySequence;
}
at::Tensor laidBack(const at::Tensor& x, std::int64_t batch) {
    return (x.dim() == 3 ? x.unflatten(0, {batch, x.size(0) / batch}) : x).permute({1, 0, 2, 3});
}

}  // namespace

std::optional<BlockResult> flashAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                          const BlockMask& mask) {
    if (!serves(q)) return std::nullopt;
    const std::optional<Call> call = callOf(q, k, mask);
    if (!call) return std::nullopt;
    return unlessRefused(problemOf(Pass::Forward, q), [&] {
        const auto result = at::_flash_attention_forward(
            laid(q, *call), laid(k, *call), laid(v, *call), call->packed(), call->packed(), call->queries, call->keys,
            0.0, call->causal, /*return_debug_mask=*/false, std::nullopt, call->before, std::nullopt);
        at::Tensor logSumExp = std::get<1>(result);  // [B, h, S], with documents [h, B S]
        if (logSumExp.dim() == 2)
            logSumExp = logSumExp.unflatten(1, {q.size(1), q.size(0)}).transpose(0, 1).contiguous();
        return BlockResult{laidBack(std::get<0>(result), q.size(1)).contiguous(), logSumExp};
    });
}

std::optional<AttentionGrads> flashAttentionGrad(const at::Tensor& dOut, const at::Tensor& q, const at::Tensor& k,
                                                 const at::Tensor& v, const at::Tensor& out,
                                                 const at::Tensor& logSumExp, const BlockMask& mask) {
    if (!serves(q)) return std::nullopt;
    const std::optional<Call> call = callOf(q, k, mask);
    if (!call) return std::nullopt;
    return unlessRefused(problemOf(Pass::Backward, q), [&] {
        const at::Tensor statistics =
            call->starts.defined() ? logSumExp.transpose(0, 1).flatten(1).contiguous() : logSumExp.contiguous();
        // The random state of a forward pass with dropout, which is not used.
        const at::Tensor unread = at::empty({2}, q.options().dtype(at::kUInt64));
        const DeterministicOperators fixed(DeterministicAttention::isOn());
        const auto [dq, dk, dv] = at::_flash_attention_backward(
            laid(dOut.to(q.scalar_type()), *call), laid(q, *call), laid(k, *call), laid(v, *call),
            laid(out.to(q.scalar_type()), *call), statistics, call->starts, call->starts, call->queries, call->keys,
            0.0, call->causal, unread, unread, std::nullopt, call->before, std::nullopt);
        const std::int64_t batch = q.size(1);
        return AttentionGrads{laidBack(dq, batch), laidBack(dk, batch), laidBack(dv, batch)};
    });
}

}  // namespace slipway::trainer
