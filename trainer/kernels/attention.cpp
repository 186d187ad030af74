#include "trainer/kernels/attention.h"

#include "trainer/kernels/deterministic.h"
#include "trainer/kernels/dtype.h"
#include "trainer/kernels/flash_attention.h"
#include "trainer/kernels/operator_refusals.h"
#include "trainer/kernels/plain_kernels.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention_backward.h>
#include <ATen/ops/_scaled_dot_product_flash_attention.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_backward.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/logaddexp.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace slipway::trainer {
namespace {

using Fused = FusedAttention;

// [S, B, heads, D] -> [B, heads, S, D]; one key-value head is repeated for each query head of its group.
at::Tensor perHead(const at::Tensor& x, std::int64_t numHeads) {
    const at::Tensor y = x.permute({1, 2, 0, 3});
    if (x.size(2) == numHeads) return y;
    // Not repeat_interleave, which gathers by a table of indices.
    return y.unsqueeze(2)
        .expand({y.size(0), y.size(1), numHeads / y.size(1), y.size(2), y.size(3)})
        .reshape({y.size(0), numHeads, y.size(2), y.size(3)});
}

// The inverse: [B, h, S, D] -> [S, B, heads, D], summed over the group of each head.
at::Tensor perPosition(const at::Tensor& x, std::int64_t numHeads) {
    const at::Tensor y =
        x.size(1) == numHeads ? x : x.unflatten(1, {numHeads, x.size(1) / numHeads}).sum(at::IntArrayRef{2});
    return y.permute({2, 0, 1, 3});
}

// No fused operator supports every shape on every device (head widths that are not a multiple of 8, a single position,
// older compute capabilities). The first one that has not refused a problem of this size in either pass is used. q per
// head [B, h, S, D].
class FusedChoice {
public:
    [[nodiscard]] Fused of(const at::Tensor& q) const { return first(q, Fused::Cudnn, Refusals::kFailuresInARow); }
    /// The next choice for this call, after `fused` failed.
    [[nodiscard]] Fused after(const at::Tensor& q, Fused fused) const {
        return fused == Fused::Cudnn ? first(q, Fused::Flash, Refusals::kFailuresInARow) : Fused::None;
    }
    /// The last one that worked.
    [[nodiscard]] Fused working(const at::Tensor& q) const { return first(q, Fused::Cudnn, 1); }
    void failed(const at::Tensor& q, Fused fused, bool backward) { m_refusals.failed(keyOf(q, fused, backward)); }
    void served(const at::Tensor& q, Fused fused, bool backward) { m_refusals.served(keyOf(q, fused, backward)); }

private:
    using Key = std::tuple<Fused, bool, bool, at::ScalarType, std::int64_t, std::int64_t>;
    using Refusals = OperatorRefusals<Key>;
    static Key keyOf(const at::Tensor& q, Fused fused, bool backward) {
        return {fused, backward, DeterministicAttention::isOn(), q.scalar_type(), q.size(-2), q.size(-1)};
    }
    // The first one, beginning at `from`, with fewer failures in each pass.
    [[nodiscard]] Fused first(const at::Tensor& q, Fused from, int failures) const {
        if (!q.is_cuda() || (q.scalar_type() != at::kBFloat16 && q.scalar_type() != at::kHalf)) return Fused::None;
        for (const Fused fused : {Fused::Cudnn, Fused::Flash}) {
            if (fused < from || (fused == Fused::Cudnn && DeterministicAttention::isOn())) continue;
            if (m_refusals.failures(keyOf(q, fused, false)) < failures &&
                m_refusals.failures(keyOf(q, fused, true)) < failures)
                return fused;
        }
        return Fused::None;
    }
    Refusals m_refusals;
};

FusedChoice& fusedChoice() {
    static FusedChoice choice;
    return choice;
}

// Operators used in this process, one bit each.
enum class Served : unsigned { Cpu = 1, Cudnn = 2, Flash = 4, Plain = 8 };
std::atomic<unsigned>& servedBits() {
    static std::atomic<unsigned> bits{0};
    return bits;
}
void note(Served by) {
    servedBits().fetch_or(static_cast<unsigned>(by), std::memory_order_relaxed);
}

bool isMasked(const BlockMask& mask) {
    return mask.window || mask.documents.defined();
}
// Whether the first query's own key is the first key.
bool isDiagonal(const BlockMask& mask) {
    return !isMasked(mask) && mask.queryPosition == mask.keyPosition;
}

// [B or 1, 1, Sq, Sk]: true if the query sees the key. Undefined if the diagonal suffices or all keys are visible.
at::Tensor visibleKeys(const at::Tensor& q, const at::Tensor& k, const BlockMask& mask) {
    if (!isMasked(mask)) return {};
    const std::int64_t queries = q.size(0), keys = k.size(0);
    const auto options = at::TensorOptions().dtype(at::kLong).device(q.device());
    const at::Tensor query =
        at::arange(mask.queryPosition, mask.queryPosition + queries, options).view({1, 1, queries, 1});
    const at::Tensor key = at::arange(mask.keyPosition, mask.keyPosition + keys, options).view({1, 1, 1, keys});
    at::Tensor visible = key.le(query);
    if (mask.window) visible = visible.logical_and((query - key).lt(*mask.window));
    if (mask.documents.defined()) {
        const at::Tensor mine = mask.documents.numbers.narrow(1, mask.queryPosition, queries);
        const at::Tensor theirs = mask.documents.numbers.narrow(1, mask.keyPosition, keys);
        visible = visible.logical_and(mine.unsqueeze(2).eq(theirs.unsqueeze(1)).unsqueeze(1));
    }
    return visible;
}

// Plain products where no fused operator applies. -> [B, h, Sq, Sk], -inf if the query does not see the key.
at::Tensor maskedScores(const at::Tensor& q, const at::Tensor& k, bool diagonal, const at::Tensor& visible) {
    at::Tensor scores = at::matmul(q, k.transpose(-1, -2)).mul_(1 / std::sqrt(static_cast<double>(q.size(-1))));
    if (visible.defined()) return scores.masked_fill_(visible.logical_not(), -INFINITY);
    if (!diagonal) return scores;
    const at::Tensor future = at::ones({q.size(2), k.size(2)}, q.options().dtype(at::kBool)).triu(1);
    return scores.masked_fill_(future, -INFINITY);
}

// With P the probabilities and dP = dOut V^T: dScores = P (dP - rowsum(dOut out)). All per head.
std::tuple<at::Tensor, at::Tensor, at::Tensor> plainGrad(const at::Tensor& dOut, const at::Tensor& q,
                                                         const at::Tensor& k, const at::Tensor& v,
                                                         const at::Tensor& out, const at::Tensor& logSumExp,
                                                         bool diagonal, const at::Tensor& visible) {
    const at::Tensor p = (maskedScores(q, k, diagonal, visible) - logSumExp.unsqueeze(-1)).exp_();
    const at::Tensor dp = at::matmul(dOut, v.transpose(-1, -2));
    const at::Tensor ds = (dp - (dOut * out).sum(at::IntArrayRef{-1}, /*keepdim=*/true))
                              .mul_(p)
                              .mul_(1 / std::sqrt(static_cast<double>(q.size(-1))));
    return {at::matmul(ds, k), at::matmul(ds.transpose(-1, -2), q), at::matmul(p.transpose(-1, -2), dOut)};
}

// Attention as software without a fused kernel computes it: products in the inputs' format, the softmax in the sums'.
at::Tensor productsForward(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, AttentionSaved& saved) {
    const at::Tensor scores = maskedScores(q, k, /*diagonal=*/true, {}).to(sumType(q));
    saved.logSumExp = at::logsumexp(scores, at::IntArrayRef{-1});
    saved.probabilities = (scores - saved.logSumExp.unsqueeze(-1)).exp_().to(saved.q.scalar_type());
    return at::matmul(saved.probabilities.to(q.scalar_type()), v);
}

// As plainGrad, with the probabilities of the forward pass.
std::tuple<at::Tensor, at::Tensor, at::Tensor> productsBackward(const at::Tensor& dOut, const at::Tensor& q,
                                                                const at::Tensor& k, const at::Tensor& v,
                                                                const at::Tensor& out, const at::Tensor& kept) {
    const at::Tensor p = kept.to(q.scalar_type());
    const at::Tensor share = (dOut * out).sum(at::IntArrayRef{-1}, /*keepdim=*/true, sumType(q));
    const at::Tensor ds = (at::matmul(dOut, v.transpose(-1, -2)) - share)
                              .mul_(p)
                              .mul_(1 / std::sqrt(static_cast<double>(q.size(-1))))
                              .to(q.scalar_type());
    return {at::matmul(ds, k), at::matmul(ds.transpose(-1, -2), q), at::matmul(p.transpose(-1, -2), dOut)};
}

// The mask of the CPU operator: 0 if visible, -inf otherwise.
std::optional<at::Tensor> additive(const at::Tensor& visible, at::ScalarType type) {
    if (!visible.defined()) return std::nullopt;
    return at::zeros(visible.sizes(), visible.options().dtype(type)).masked_fill_(visible.logical_not(), -INFINITY);
}

// The fused output, and in `saved` the inputs of its backward operator; undefined if no operator applies. All per head;
// k and v may have fewer.
at::Tensor fusedForward(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, AttentionSaved& saved) {
    const auto keep = [&](Fused by, const auto& result) {
        saved.by = by;
        saved.logSumExp = std::get<1>(result);
        saved.seed = std::get<6>(result);
        saved.offset = std::get<7>(result);
        return std::get<0>(result);
    };
    for (Fused fused = fusedChoice().of(q); fused != Fused::None; fused = fusedChoice().after(q, fused)) {
        try {
            const at::Tensor out =
                fused == Fused::Cudnn
                    ? keep(fused, at::_scaled_dot_product_cudnn_attention(
                                      q, k, v, std::nullopt, /*compute_log_sumexp=*/true, 0.0, /*is_causal=*/true))
                    : keep(fused, at::_scaled_dot_product_flash_attention(q, k, v, 0.0, /*is_causal=*/true));
            fusedChoice().served(q, fused, /*backward=*/false);
            note(fused == Fused::Cudnn ? Served::Cudnn : Served::Flash);
            return out;
        } catch (const c10::OutOfMemoryError&) {
            throw;
        } catch (const c10::Error&) {
            fusedChoice().failed(q, fused, /*backward=*/false);
        }
    }
    return {};
}

// The gradients by the operator of the forward pass; undefined if there was none, or if it refuses a backward pass
// of these sizes.
std::tuple<at::Tensor, at::Tensor, at::Tensor> fusedBackward(const at::Tensor& dOut, const at::Tensor& q,
                                                             const at::Tensor& k, const at::Tensor& v,
                                                             const at::Tensor& out, const AttentionSaved& saved) {
    if (saved.by == Fused::None) return {};
    const std::int64_t length = q.size(2);
    const auto compute = [&]() -> std::tuple<at::Tensor, at::Tensor, at::Tensor> {
        if (saved.by == Fused::Cudnn)
            return at::_scaled_dot_product_cudnn_attention_backward(dOut, q, k, v, out, saved.logSumExp, saved.seed,
                                                                    saved.offset, {}, {}, {}, length, length, 0.0,
                                                                    /*is_causal=*/true);
        const DeterministicOperators fixed(DeterministicAttention::isOn());
        return at::_scaled_dot_product_flash_attention_backward(dOut, q, k, v, out, saved.logSumExp, {}, {}, length,
                                                                length, 0.0, /*is_causal=*/true, saved.seed,
                                                                saved.offset);
    };
    try {
        const auto grads = compute();
        fusedChoice().served(q, saved.by, /*backward=*/true);
        return grads;
    } catch (const c10::OutOfMemoryError&) {
        throw;
    } catch (const c10::Error&) {
        fusedChoice().failed(q, saved.by, /*backward=*/true);
        return {};
    }
}

}  // namespace

at::Tensor causalAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, AttentionSaved& saved) {
    const std::int64_t numHeads = q.size(2);
    const at::ScalarType type = productType(q);
    const at::Tensor qh = perHead(q, numHeads).to(type);
    saved = {q, k, v, {}, {}};
    at::Tensor out;
    // GPU operators accept one key-value head for several query heads.
    const bool products = PlainKernels::ofAttention();
    if (!products && !q.is_cpu()) out = fusedForward(qh, perHead(k, k.size(2)), perHead(v, v.size(2)), saved);
    if (!out.defined()) {
        const at::Tensor kh = perHead(k, numHeads).to(type), vh = perHead(v, numHeads).to(type);
        note(q.is_cpu() && !products ? Served::Cpu : Served::Plain);
        if (products) {
            out = productsForward(qh, kh, vh, saved);
        } else if (q.is_cpu()) {
            std::tie(out, saved.logSumExp) =
                at::_scaled_dot_product_flash_attention_for_cpu(qh, kh, vh, 0.0, /*is_causal=*/true);
        } else {
            // In the format of the sums: scores with 8 significant bits would be off by a percent after exponentiation.
            const at::ScalarType wide = sumType(q);
            const at::Tensor scores = maskedScores(qh.to(wide), kh.to(wide), /*diagonal=*/true, {});
            saved.logSumExp = at::logsumexp(scores, at::IntArrayRef{-1});
            out = at::matmul((scores - saved.logSumExp.unsqueeze(-1)).exp_(), vh.to(wide));
        }
    }
    saved.out = perPosition(out, numHeads).to(q.scalar_type()).contiguous();
    return saved.out;
}

AttentionGrads causalAttentionGrad(const at::Tensor& dOut, const AttentionSaved& saved) {
    const std::int64_t numHeads = saved.q.size(2);
    const at::ScalarType type = productType(saved.q);
    const at::Tensor qh = perHead(saved.q, numHeads).to(type);
    const at::Tensor out = perHead(saved.out, numHeads).to(type);
    // libtorch 2.11 looks up cuDNN's backward graph by the strides of q, k and v alone: dOut must always have the
    // same strides here.
    const at::Tensor dOutHead = perHead(dOut.contiguous(), numHeads).to(type);
    at::Tensor dq, dk, dv;
    if (!saved.q.is_cpu())
        std::tie(dq, dk, dv) = fusedBackward(dOutHead, qh, perHead(saved.k, saved.k.size(2)),
                                             perHead(saved.v, saved.v.size(2)), out, saved);
    if (!dq.defined()) {
        const at::Tensor kh = perHead(saved.k, numHeads).to(type), vh = perHead(saved.v, numHeads).to(type);
        if (saved.probabilities.defined()) {
            std::tie(dq, dk, dv) = productsBackward(dOutHead, qh, kh, vh, out, saved.probabilities);
        } else if (saved.q.is_cpu()) {
            std::tie(dq, dk, dv) = at::_scaled_dot_product_flash_attention_for_cpu_backward(
                dOutHead, qh, kh, vh, out, saved.logSumExp, 0.0, /*is_causal=*/true);
        } else {
            const at::Tensor logSumExp = saved.logSumExp.view({qh.size(0), numHeads, qh.size(2)});
            const at::ScalarType wide = sumType(saved.q);
            std::tie(dq, dk, dv) = plainGrad(dOutHead.to(wide), qh.to(wide), kh.to(wide), vh.to(wide), out.to(wide),
                                             logSumExp, /*diagonal=*/true, {});
        }
    }
    const at::ScalarType stored = saved.q.scalar_type();
    return {perPosition(dq, numHeads).to(stored), perPosition(dk, saved.k.size(2)).to(stored),
            perPosition(dv, saved.v.size(2)).to(stored)};
}

const char* attentionOperator(const at::Tensor& q) {
    if (q.is_cpu()) return "cpu";
    switch (fusedChoice().working(q.permute({1, 2, 0, 3}))) {
        case Fused::Cudnn: return "cudnn";
        case Fused::Flash: return "flash";
        case Fused::None: break;
    }
    return "plain";
}

std::string servedAttention() {
    std::string words;
    for (const auto& [served, word] : {std::pair(Served::Cpu, "cpu"), std::pair(Served::Cudnn, "cudnn"),
                                       std::pair(Served::Flash, "flash"), std::pair(Served::Plain, "plain")})
        if ((servedBits().load() & static_cast<unsigned>(served)) != 0)
            words += (words.empty() ? "" : ", ") + std::string(word);
    return words;
}

Documents documentsOf(const at::Tensor& given) {
    const at::Tensor numbers = given.contiguous();
    const auto* number = numbers.const_data_ptr<std::int64_t>();
    const std::int64_t length = numbers.size(1), total = numbers.numel();
    std::vector<std::int32_t> starts;
    for (std::int64_t i = 0; i < total; ++i)
        if (i % length == 0 || number[i] != number[i - 1]) starts.push_back(static_cast<std::int32_t>(i));
    starts.push_back(static_cast<std::int32_t>(total));
    std::int32_t longest = 0;
    for (std::size_t i = 1; i < starts.size(); ++i) longest = std::max(longest, starts[i] - starts[i - 1]);
    return {numbers, at::tensor(starts, at::kInt), longest};
}

BlockResult attentionBlock(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const BlockMask& mask) {
    const bool fused = !PlainKernels::ofAttention();
    if (auto flash = fused ? flashAttention(q, k, v, mask) : std::nullopt) {
        note(Served::Flash);
        return *std::move(flash);
    }
    note(q.is_cpu() && fused ? Served::Cpu : Served::Plain);
    const std::int64_t numHeads = q.size(2);
    const at::ScalarType type = sumType(q);
    const at::Tensor qh = perHead(q, numHeads).to(type);
    const at::Tensor kh = perHead(k, numHeads).to(type);
    const at::Tensor vh = perHead(v, numHeads).to(type);
    const bool diagonal = isDiagonal(mask);
    const at::Tensor visible = visibleKeys(q, k, mask);
    at::Tensor out, logSumExp;
    if (q.is_cpu() && fused) {
        std::tie(out, logSumExp) =
            at::_scaled_dot_product_flash_attention_for_cpu(qh, kh, vh, 0.0, diagonal, additive(visible, type));
    } else {
        const at::Tensor scores = maskedScores(qh, kh, diagonal, visible);
        logSumExp = at::logsumexp(scores, at::IntArrayRef{-1});
        out = at::matmul((scores - logSumExp.unsqueeze(-1)).exp_(), vh);
    }
    if (visible.defined()) {
        const at::Tensor blind = visible.any(-1).logical_not();  // [B or 1, 1, Sq]
        logSumExp = logSumExp.masked_fill(blind, -INFINITY);
        out = out.masked_fill(blind.unsqueeze(-1), 0);
    }
    return {perPosition(out, numHeads).contiguous(), logSumExp.contiguous()};
}

void mergeBlock(BlockResult& into, const BlockResult& block) {
    if (!into.out.defined()) {
        into = block;
        return;
    }
    const at::Tensor merged = at::logaddexp(into.logSumExp, block.logSumExp);
    // In a row that has not seen a key yet, both are -inf, their difference is NaN, and its share is 0.
    const auto share = [&](const at::Tensor& part) {
        return (part - merged).exp_().nan_to_num_(0).permute({2, 0, 1}).unsqueeze(-1);
    };
    into.out = (into.out * share(into.logSumExp)).add_(block.out * share(block.logSumExp));
    into.logSumExp = merged;
}

AttentionGrads attentionBlockGrad(const at::Tensor& dOut, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                  const at::Tensor& out, const at::Tensor& logSumExp, const BlockMask& mask) {
    const bool fused = !PlainKernels::ofAttention();
    if (auto flash = fused ? flashAttentionGrad(dOut, q, k, v, out, logSumExp, mask) : std::nullopt)
        return *std::move(flash);
    const std::int64_t numHeads = q.size(2);
    const at::ScalarType type = sumType(q);
    const at::Tensor qh = perHead(q, numHeads).to(type);
    const at::Tensor kh = perHead(k, numHeads).to(type);
    const at::Tensor vh = perHead(v, numHeads).to(type);
    const at::Tensor outHead = perHead(out, numHeads).to(type);
    const at::Tensor dOutHead = perHead(dOut, numHeads).to(type);
    const bool diagonal = isDiagonal(mask);
    const at::Tensor visible = visibleKeys(q, k, mask);
    at::Tensor dq, dk, dv;
    if (q.is_cpu() && fused)
        std::tie(dq, dk, dv) = at::_scaled_dot_product_flash_attention_for_cpu_backward(
            dOutHead, qh, kh, vh, outHead, logSumExp, 0.0, diagonal, additive(visible, type));
    else
        std::tie(dq, dk, dv) = plainGrad(dOutHead, qh, kh, vh, outHead, logSumExp, diagonal, visible);
    return {perPosition(dq, numHeads), perPosition(dk, k.size(2)), perPosition(dv, v.size(2))};
}

}  // namespace slipway::trainer
