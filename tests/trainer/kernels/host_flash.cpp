#include "tests/trainer/kernels/host_flash.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>

#include <cmath>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace slipway::trainer {
namespace {

using Starts = std::optional<at::Tensor>;
using Window = std::optional<std::int64_t>;

// Sequences one after another: begins of queries and keys, and their numbers last.
struct Sequences {
    std::vector<std::int64_t> queries, keys;
};

Sequences sequencesOf(const at::Tensor& q, const at::Tensor& k, const Starts& cumQ, const Starts& cumK,
                      std::int64_t maxQ, std::int64_t maxK) {
    TORCH_CHECK(!hostFlash().refuses, "refused");
    TORCH_CHECK(q.scalar_type() == at::kBFloat16 || q.scalar_type() == at::kHalf, "only fp16 and bf16");
    TORCH_CHECK(k.scalar_type() == q.scalar_type(), "the same format");
    TORCH_CHECK(q.stride(-1) == 1 && k.stride(-1) == 1, "contiguous last dimension");
    TORCH_CHECK(q.size(-1) % 8 == 0 && q.size(-1) <= 256, "head width");
    TORCH_CHECK(q.size(-2) % k.size(-2) == 0, "heads");
    Sequences all;
    const auto fill = [](std::vector<std::int64_t>& list, const at::Tensor& x, const Starts& starts,
                         std::int64_t most) {
        TORCH_CHECK(x.dim() == (starts ? 3 : 4), "dimensions");
        if (!starts) {
            TORCH_CHECK(most == x.size(1), "length");
            for (std::int64_t i = 0; i <= x.size(0); ++i) list.push_back(i * x.size(1));
            return;
        }
        TORCH_CHECK(starts->scalar_type() == at::kInt && starts->is_contiguous(), "starts");
        for (std::int64_t i = 0; i < starts->numel(); ++i) list.push_back((*starts)[i].item<int>());
        // A GPU would not notice: it reads beyond the tensors.
        bool inside = list.front() == 0 && list.back() == x.size(0);
        for (std::size_t i = 1; i < list.size(); ++i) inside = inside && list[i] - list[i - 1] <= most;
        if (!inside) throw std::logic_error("documents that are not those of the tensors");
    };
    fill(all.queries, q, cumQ, maxQ);
    fill(all.keys, k, cumK, maxK);
    return all;
}

// [positions, heads, D] of all sequences -> [h, n, D] fp32 of one, a key-value head for each query head.
at::Tensor part(const at::Tensor& x, const std::vector<std::int64_t>& begins, std::size_t i, std::int64_t heads) {
    const at::Tensor one = x.reshape({-1, x.size(-2), x.size(-1)}).narrow(0, begins[i], begins[i + 1] - begins[i]);
    return one.to(at::kFloat).permute({1, 0, 2}).repeat_interleave(heads / x.size(-2), 0);
}

at::Tensor scores(const at::Tensor& q, const at::Tensor& k, bool causal, const Window& left, const Window& right) {
    const std::int64_t queries = q.size(1), keys = k.size(1);
    // The last query stands at the last key.
    const at::Tensor away = at::arange(queries).unsqueeze(1) + (keys - queries) - at::arange(keys).unsqueeze(0);
    at::Tensor hidden = away.lt(causal ? 0 : right && *right >= 0 ? -*right : -keys - queries);
    if (left && *left >= 0) hidden = hidden.logical_or(away.gt(*left));
    return at::matmul(q, k.transpose(-1, -2))
        .div_(std::sqrt(static_cast<double>(q.size(-1))))
        .masked_fill_(hidden, -INFINITY);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor> forward(
    const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const Starts& cumQ, const Starts& cumK,
    std::int64_t maxQ, std::int64_t maxK, double dropout, bool causal, bool debugMask, std::optional<double> scale,
    Window left, Window right, const Starts& usedK, const Starts& slopes) {
    TORCH_CHECK(dropout == 0 && !debugMask && !scale && !usedK && !slopes, "not asked for here");
    const Sequences all = sequencesOf(q, k, cumQ, cumK, maxQ, maxK);
    ++hostFlash().forward;
    const std::int64_t heads = q.size(-2);
    std::vector<at::Tensor> outs, sums;
    for (std::size_t i = 0; i + 1 < all.queries.size(); ++i) {
        const at::Tensor s = scores(part(q, all.queries, i, heads), part(k, all.keys, i, heads), causal, left, right);
        const at::Tensor sum = at::logsumexp(s, at::IntArrayRef{-1});  // [h, n]
        sums.push_back(sum.masked_fill(sum.eq(-INFINITY), INFINITY));
        outs.push_back(
            at::matmul((s - sums.back().unsqueeze(-1)).exp(), part(v, all.keys, i, heads)).permute({1, 0, 2}));
    }
    const at::Tensor out = at::cat(outs).to(q.scalar_type()).view(q.sizes());
    const at::Tensor sum = cumQ ? at::cat(sums, 1) : at::stack(sums);
    const auto random = at::TensorOptions().dtype(at::kUInt64);
    return {out, sum.contiguous(), at::empty({2}, random), at::empty({}, random), at::empty({0}, q.options())};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> backward(const at::Tensor& dOut, const at::Tensor& q,
                                                        const at::Tensor& k, const at::Tensor& v, const at::Tensor& out,
                                                        const at::Tensor& logSumExp, const at::Tensor& cumQ,
                                                        const at::Tensor& cumK, std::int64_t maxQ, std::int64_t maxK,
                                                        double dropout, bool causal, const at::Tensor& random,
                                                        const at::Tensor&, std::optional<double> scale, Window left,
                                                        Window right) {
    TORCH_CHECK(dropout == 0 && !scale && random.scalar_type() == at::kUInt64, "not asked for here");
    TORCH_CHECK(dOut.scalar_type() == q.scalar_type() && out.scalar_type() == q.scalar_type(), "the same format");
    TORCH_CHECK(logSumExp.scalar_type() == at::kFloat && logSumExp.is_contiguous(), "statistics");
    const auto given = [](const at::Tensor& starts) { return starts.defined() ? Starts(starts) : std::nullopt; };
    const Sequences all = sequencesOf(q, k, given(cumQ), given(cumK), maxQ, maxK);
    ++hostFlash().backward;
    const at::Context& context = at::globalContext();
    if (context.deterministicAlgorithms() && !context.deterministicAlgorithmsWarnOnly() &&
        !context.deterministicFillUninitializedMemory())
        ++hostFlash().fixedOrder;
    const std::int64_t heads = q.size(-2), group = heads / k.size(-2);
    TORCH_CHECK(logSumExp.dim() == (cumQ.defined() ? 2 : 3), "statistics' dimensions");
    std::vector<at::Tensor> dqs, dks, dvs;
    for (std::size_t i = 0; i + 1 < all.queries.size(); ++i) {
        const at::Tensor qi = part(q, all.queries, i, heads), ki = part(k, all.keys, i, heads),
                         vi = part(v, all.keys, i, heads), dOutI = part(dOut, all.queries, i, heads);
        const std::int64_t n = qi.size(1);
        const at::Tensor lse =
            cumQ.defined() ? logSumExp.narrow(1, all.queries[i], n) : logSumExp.select(0, static_cast<std::int64_t>(i));
        const at::Tensor p = (scores(qi, ki, causal, left, right) - lse.unsqueeze(-1)).exp();
        const at::Tensor own = (dOutI * part(out, all.queries, i, heads)).sum(at::IntArrayRef{-1}, true);
        const at::Tensor ds =
            p * (at::matmul(dOutI, vi.transpose(-1, -2)) - own) / std::sqrt(static_cast<double>(q.size(-1)));
        const auto shared = [&](const at::Tensor& x) {
            return x.unflatten(0, {heads / group, group}).sum(at::IntArrayRef{1}).permute({1, 0, 2});
        };
        dqs.push_back(at::matmul(ds, ki).permute({1, 0, 2}));
        dks.push_back(shared(at::matmul(ds.transpose(-1, -2), qi)));
        dvs.push_back(shared(at::matmul(p.transpose(-1, -2), dOutI)));
    }
    const auto whole = [](const std::vector<at::Tensor>& parts, const at::Tensor& like) {
        return at::cat(parts).to(like.scalar_type()).view(like.sizes());
    };
    return {whole(dqs, q), whole(dks, k), whole(dvs, v)};
}

}  // namespace

HostFlash& hostFlash() {
    static HostFlash flash;
    return flash;
}

}  // namespace slipway::trainer

TORCH_LIBRARY_IMPL(aten, CPU, library) {
    library.impl("_flash_attention_forward", slipway::trainer::forward);
    library.impl("_flash_attention_backward", slipway::trainer::backward);
}
