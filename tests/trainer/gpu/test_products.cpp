// What libtorch multiplies for the trainer on a GPU: attention whichever operator serves it, products that add to what
// is there, 8 bit.
#include "tests/trainer/gpu/gpu_test.h"
#include "trainer/kernels/attention.h"
#include "trainer/kernels/deterministic.h"
#include "trainer/kernels/embedding.h"
#include "trainer/kernels/fp8.h"
#include "trainer/kernels/grouped_linear.h"
#include "trainer/kernels/kernel_check.h"
#include "trainer/kernels/linear.h"
#include "trainer/kernels/tf32.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>

#include <array>
#include <vector>

using namespace slipway;
using namespace slipway::trainer;
using namespace slipway::test::gpu;

namespace {

struct AttentionCase {
    std::int64_t length, batch, heads, keyHeads, width;
};

at::Tensor host(const at::Tensor& x) {
    return x.to(at::kCPU, at::kDouble);
}

void attentionOf(const AttentionCase& c, const Format& f) {
    const std::string name = std::string(c10::toString(f.type)) + " of " + std::to_string(c.length) +
                             " positions, width " + std::to_string(c.width);
    const at::Tensor q = normal({c.length, c.batch, c.heads, c.width}, f.type), dOut = normal(q.sizes(), f.type);
    const at::Tensor k = normal({c.length, c.batch, c.keyHeads, c.width}, f.type), v = normal(k.sizes(), f.type);
    AttentionSaved saved, exact;
    const double bound = f.type == f.sums ? 20 * f.sumBound : 5 * f.bound;
    near("attention " + name, host(causalAttention(q, k, v, saved)), causalAttention(host(q), host(k), host(v), exact),
         bound);
    const AttentionGrads got = causalAttentionGrad(dOut, saved), want = causalAttentionGrad(host(dOut), exact);
    // A single position attends to itself alone: the gradients of query and key are zeros.
    if (c.length > 1) {
        near("gradient of q, " + name, host(got.q), want.q, bound);
        near("gradient of k, " + name, host(got.k), want.k, bound);
    }
    near("gradient of v, " + name, host(got.v), want.v, bound);
}

}  // namespace

// Widths and lengths that cuDNN takes, and some that it refuses.
GPU_TEST(attention) {
    for (const Format& f : formats())
        for (const AttentionCase& c : {AttentionCase{64, 2, 4, 2, 64}, AttentionCase{33, 2, 4, 4, 16},
                                       AttentionCase{1, 2, 2, 1, 32}, AttentionCase{40, 1, 3, 1, 20},
                                       AttentionCase{sized(512, 48), 1, 12, 2, 128}, AttentionCase{130, 1, 2, 2, 192}})
            attentionOf(c, f);
}

// Another layout of the same gradient must not meet what was made for the first.
GPU_TEST(attentionOfTurnedGradients) {
    const at::Tensor q = normal({96, 2, 4, 64}, at::kBFloat16), k = normal({96, 2, 2, 64}, at::kBFloat16),
                     v = normal(k.sizes(), at::kBFloat16), dOut = normal(q.sizes(), at::kBFloat16);
    const at::Tensor turned = dOut.permute({1, 2, 0, 3}).contiguous().permute({2, 0, 1, 3});
    AttentionSaved saved;
    static_cast<void>(causalAttention(q, k, v, saved));
    const AttentionGrads want = causalAttentionGrad(dOut, saved), got = causalAttentionGrad(turned, saved);
    near("gradient of q", got.q, want.q, 1e-2);
    near("gradient of k", got.k, want.k, 1e-2);
    near("gradient of v", got.v, want.v, 1e-2);
}

// Blocks of keys whose results are merged: as ring attention does.
GPU_TEST(attentionInBlocks) {
    const at::Tensor q = normal({32, 2, 4, 16}, at::kDouble), k = normal({32, 2, 2, 16}, at::kDouble),
                     v = normal({32, 2, 2, 16}, at::kDouble);
    AttentionSaved saved;
    const at::Tensor whole = causalAttention(host(q), host(k), host(v), saved), late = q.narrow(0, 16, 16);
    BlockResult merged =
        attentionBlock(late, k.narrow(0, 16, 16), v.narrow(0, 16, 16), {.queryPosition = 16, .keyPosition = 16});
    mergeBlock(merged, attentionBlock(late, k.narrow(0, 0, 16), v.narrow(0, 0, 16), {.queryPosition = 16}));
    near("attention in two blocks", host(merged.out), whole.narrow(0, 16, 16), 1e-12);
}

// By the flash operator where the format allows it: blocks, windows and packed documents against plain products in
// fp64.
GPU_TEST(maskedAttention) {
    const std::int64_t length = sized(512, 48);
    at::Tensor numbers = at::arange(length).div(length / 3, "floor").to(at::kLong).repeat({2, 1});
    numbers.select(0, 1).narrow(0, 5, length - 5).add_(1);
    const Documents onHost = documentsOf(numbers),
                    documents{numbers.to(device()), onHost.starts.to(device()), onHost.longest};
    struct MaskCase {
        const char* name;
        std::int64_t queries, keys;
        BlockMask mask;
        bool packed;
    };
    for (const Format& f : formats())
        for (const MaskCase& c : {MaskCase{"the diagonal", length, length, {}, false},
                                  {"earlier keys", length / 4, length / 2, {.queryPosition = length / 2}, false},
                                  {"a window", length, length, {.window = length / 5}, false},
                                  {"a window of the last queries",
                                   length / 4,
                                   length,
                                   {.queryPosition = length - length / 4, .window = 9},
                                   false},
                                  {"a window of later queries",
                                   length / 4,
                                   length / 4,
                                   {.queryPosition = length / 2, .window = length / 2 + length / 8},
                                   false},
                                  {"documents", length, length, {}, true},
                                  {"documents and a window", length, length, {.window = 7}, true}}) {
            const std::string name = std::string(c10::toString(f.type)) + " of " + c.name;
            const at::Tensor q = normal({c.queries, 2, 4, 64}, f.type), dOut = normal(q.sizes(), f.type);
            const at::Tensor k = normal({c.keys, 2, 2, 64}, f.type), v = normal(k.sizes(), f.type);
            BlockMask mask = c.mask, exactMask = c.mask;
            if (c.packed) mask.documents = documents, exactMask.documents = onHost;
            const BlockResult got = attentionBlock(q, k, v, mask),
                              want = attentionBlock(host(q), host(k), host(v), exactMask);
            const double bound = f.type == f.sums ? 20 * f.sumBound : 5 * f.bound;
            near("attention " + name, host(got.out), want.out, bound);
            const at::Tensor sees = want.logSumExp.isfinite();
            near("log-sum-exp " + name, host(got.logSumExp).masked_select(sees), want.logSumExp.masked_select(sees),
                 bound);
            const AttentionGrads grads = attentionBlockGrad(dOut, q, k, v, got.out.to(f.type), got.logSumExp, mask),
                                 exact = attentionBlockGrad(host(dOut), host(q), host(k), host(v), want.out,
                                                            want.logSumExp, exactMask);
            near("gradient of q, " + name, host(grads.q), exact.q, bound);
            near("gradient of k, " + name, host(grads.k), exact.k, bound);
            near("gradient of v, " + name, host(grads.v), exact.v, bound);
        }
}

// Whole sequences, windows and documents, twice.
GPU_TEST(attentionRepeatsItsBits) {
    const DeterministicAttention same;
    const std::int64_t length = sized(512, 48);
    const at::Tensor numbers = at::arange(length).div(length / 3, "floor").to(at::kLong).repeat({2, 1});
    const Documents onHost = documentsOf(numbers),
                    documents{numbers.to(device()), onHost.starts.to(device()), onHost.longest};
    for (const at::ScalarType type : {at::kBFloat16, at::kHalf, at::kFloat}) {
        const std::string name = c10::toString(type);
        const at::Tensor q = normal({length, 2, 12, 128}, type), dOut = normal(q.sizes(), type);
        const at::Tensor k = normal({length, 2, 2, 128}, type), v = normal(k.sizes(), type);
        const auto twice = [&](const char* what, const auto& gradients) {
            const AttentionGrads once = gradients(), again = gradients();
            sameBits(std::string("gradient of q, ") + what + " " + name, again.q, once.q);
            sameBits(std::string("gradient of k, ") + what + " " + name, again.k, once.k);
            sameBits(std::string("gradient of v, ") + what + " " + name, again.v, once.v);
        };
        twice("whole sequences", [&] {
            AttentionSaved saved;
            static_cast<void>(causalAttention(q, k, v, saved));
            check(saved.by != FusedAttention::Cudnn, "cuDNN serves, which adds in any order");
            return causalAttentionGrad(dOut, saved);
        });
        for (const BlockMask& mask : {BlockMask{.window = length / 5}, BlockMask{.documents = documents}})
            twice(mask.window ? "a window" : "documents", [&] {
                const BlockResult block = attentionBlock(q, k, v, mask);
                return attentionBlockGrad(dOut, q, k, v, block.out, block.logSumExp, mask);
            });
    }
}

GPU_TEST(products) {
    for (const Format& f : formats())
        for (const auto& [rows, inputs, outputs] :
             {std::array<std::int64_t, 3>{1, 7, 5}, {33, 48, 31}, {sized(512, 64), sized(3584, 64), sized(4608, 64)}}) {
            const std::string name =
                std::string(c10::toString(f.type)) + " " + std::to_string(rows) + " x " + std::to_string(inputs);
            const double bound = f.type == f.sums ? 4 * f.sumBound : 2 * f.bound;
            const at::Tensor x = normal({rows, inputs}, f.type), w = normal({outputs, inputs}, f.type),
                             bias = normal({outputs}, f.type);
            const at::Tensor dy = normal({rows, outputs}, f.type);
            near("linear " + name, linearForward(x, w, bias), wide(x).mm(wide(w).t()) + wide(bias), bound);
            near("input gradient " + name, linearInputGrad(dy, w), wide(dy).mm(wide(w)), bound);
            const at::Tensor before = normal(x.sizes(), x.scalar_type());
            at::Tensor sum = before.clone();
            addLinearInputGrad(sum, dy, w);
            near("added input gradient " + name, sum, wide(before) + wide(dy).mm(wide(w)), bound);
            at::Tensor grad = normal({outputs, inputs}, f.sums);
            const at::Tensor expected = wide(grad) + wide(dy).t().mm(wide(x));
            addLinearWeightGrad(grad, dy, x);
            near("weight gradient " + name, grad, expected, 4 * f.sumBound);
        }
}

// fp32 products may be TF32 ones only where the run asks for it, and the check of the kernels knows.
GPU_TEST(tf32) {
    needGpu("a CPU has no TF32");
    const at::Tensor x = normal({256, 512}, at::kFloat), w = normal({128, 512}, at::kFloat),
                     exact = wide(x).mm(wide(w).t());
    near("an fp32 product", linearForward(x, w, {}), exact, 2e-6);
    const Tf32Products on(true);
    const double off = distance(linearForward(x, w, {}), exact);
    check(off > 1e-5 && off < 5e-3, "a TF32 product is off by " + std::to_string(off));
    const auto sound = checkKernels(device(), at::kFloat);
    check(static_cast<bool>(sound), sound ? "" : sound.error().text());
}

GPU_TEST(embeddings) {
    for (const auto& [tokens, vocab, width] :
         {std::array<std::int64_t, 3>{6, 11, 3},
          {sized(8192, 40), sized(152064, 50), sized(256, 8)},
          {sized(16384, 60), sized(250, 9), sized(64, 8)}}) {  // few rows for many tokens
        const at::Tensor ids =
            at::arange(tokens, at::TensorOptions().dtype(at::kLong).device(device())) * 7 % (vocab + 5);
        const at::Tensor dy = normal({tokens, width}, at::kBFloat16);
        const auto gradient = [&] {
            at::Tensor grad = normal({vocab, width}, at::kFloat).zero_();
            addEmbeddingGrad(grad, dy, ids, 0);
            return grad;
        };
        const at::Tensor here = ids.lt(vocab), grad = gradient();
        at::Tensor expected = grad.to(at::kCPU, at::kDouble).zero_();
        expected.index_add_(0, ids.masked_fill(here.logical_not(), 0).cpu(), host(dy * here.unsqueeze(-1)));
        near("gradient of a table", host(grad), expected, 1e-5);
        for (int round = 0; round < 3; ++round) sameBits("gradient of a table, once more", gradient(), grad);
    }
}

// Native products against the products of the same rounded values in fp32; sizes that are no multiples of 16 too.
GPU_TEST(fp8) {
    const bool native = multipliesFp8(device());
    if (!native) needGpu("a CPU has no fp8 products");
    check(native, "this GPU multiplies no float8 (compute capability 8.9 and above does)");
    for (const bool perRow : {false, true})
        for (const bool gradient : {false, true})
            for (const auto& [rows, depth, outputs] :
                 {std::array<std::int64_t, 3>{16, 16, 16}, {1, 32, 48}, {33, 100, 50}, {512, 3584, 4608}}) {
                const auto factor = [&](std::int64_t count, bool isGradient) {
                    const at::Tensor x = normal({count, depth}, at::kBFloat16);
                    return fp8Factor(x, fp8Largest(x, perRow), fp8Type(Fp8Format::Hybrid, isGradient));
                };
                const Fp8Factor a = factor(rows, gradient), b = factor(outputs, false);
                const std::string name =
                    std::to_string(rows) + " x " + std::to_string(depth) + (perRow ? " by rows" : "");
                for (const at::ScalarType out : {at::kBFloat16, at::kFloat}) {
                    const at::Tensor exact = fp8ProductReference(a, b, at::kFloat);
                    near("fp8 product " + name, fp8Product(a, b, out, true, false), exact,
                         out == at::kFloat && !perRow ? 1e-3 : 5e-3);
                    near("fast fp8 product " + name, fp8Product(a, b, out, true, true), exact, 2e-2);
                }
            }
}

GPU_TEST(groupedProducts) {
    needGpu("the grouped product is for bf16 on a GPU");
    const std::vector<std::int64_t> rows{5, 0, 40, 3};
    std::vector<at::Tensor> weights;
    for (std::size_t i = 0; i < rows.size(); ++i) weights.push_back(normal({64, 128}, at::kBFloat16));
    const at::Tensor x = normal({48, 128}, at::kBFloat16);
    check(hasGroupedProduct(x, weights[0]), "a bf16 tensor has no grouped product");
    const at::Tensor y = groupedForward(x, weights, rows);
    std::vector<at::Tensor> parts;
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        parts.push_back(wide(x.narrow(0, begin, rows[i])).mm(wide(weights[i]).t()));
        begin += rows[i];
    }
    near("grouped product", y, at::cat(parts), 8e-3);
}
