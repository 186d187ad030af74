#include "trainer/kernels/kernel_check.h"

#include "trainer/kernels/attention.h"
#include "trainer/kernels/device_fp8.h"
#include "trainer/kernels/dtype.h"
#include "trainer/kernels/embedding.h"
#include "trainer/kernels/fused_rows.h"
#include "trainer/kernels/linear.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>

#include <cmath>
#include <cstdio>
#include <string>

namespace slipway::trainer {
namespace {

class Check {
public:
    Check(at::Device device, at::ScalarType type) : m_device(device), m_type(type) {}

    // The result, after comparing every function with fp64.
    Result<void> run() {
        norms();
        activations();
        rotation();
        crossEntropy();
        products();
        float8();
        attention();
        if (m_problem.empty()) return {};
        return fail("kernel_mismatch",
                    "A fused kernel is wrong on this device: " + m_problem +
                        ". Update the driver, or build slipway-trainer for this GPU (CMAKE_CUDA_ARCHITECTURES).");
    }

private:
    [[nodiscard]] at::Tensor normal(at::IntArrayRef shape) {
        return at::randn(shape, m_generator, at::TensorOptions().dtype(at::kDouble)).to(m_device, m_type);
    }
    // Exact values are computed from the rounded inputs, in fp64 on the CPU.
    static at::Tensor exact(const at::Tensor& x) { return x.to(at::kCPU, at::kDouble); }

    void compare(const char* function, const at::Tensor& got, const at::Tensor& want) {
        const double difference =
            (exact(got) - want).norm().item<double>() / std::max(want.norm().item<double>(), 1e-30);
        const bool narrow = got.scalar_type() == at::kBFloat16 || got.scalar_type() == at::kHalf;
        const double bound = got.scalar_type() == at::kDouble ? 1e-12 : narrow ? 2e-2 : m_tf32 ? 5e-3 : 2e-5;
        if (difference <= bound || !m_problem.empty()) return;
        char text[64];
        std::snprintf(text, sizeof text, " is off by %.2g", difference);
        m_problem = function + std::string(text);
    }

    // Bit for bit.
    void same(const char* function, const at::Tensor& got, const at::Tensor& want) {
        if (!got.equal(want) && m_problem.empty()) m_problem = function + std::string(" has other bits than its parts");
    }

    void norms() {
        const at::Tensor x = normal({5, 300}), dy = normal({5, 300}), w = normal({300});
        if (!isFusable(x)) return;
        at::Tensor rstd, weightGrad = at::zeros({300}, x.options().dtype(sumType(x)));
        const at::Tensor y = fusedRmsNorm(x, w, 1e-5, rstd);
        const at::Tensor exactRstd = exact(x).square().mean(at::IntArrayRef{-1}, true).add(1e-5).rsqrt();
        const at::Tensor n = exact(x) * exactRstd, g = exact(dy) * exact(w);
        compare("fusedRmsNorm", y, n * exact(w));
        compare("fusedRmsNormInputGrad", fusedRmsNormInputGrad(dy, x, w, rstd),
                (g - n * (g * n).mean(at::IntArrayRef{-1}, true)) * exactRstd);
        fusedRmsNormWeightGrad(weightGrad, dy, x, rstd);
        compare("fusedRmsNormWeightGrad", weightGrad, (exact(dy) * n).sum(at::IntArrayRef{0}));
        const at::Tensor residual = normal({5, 300});
        compare("fusedRmsNormInputGrad with a residual", fusedRmsNormInputGrad(dy, x, w, rstd, residual),
                (g - n * (g * n).mean(at::IntArrayRef{-1}, true)) * exactRstd + exact(residual));
        // The sum is rounded as by the plain operator, and the norm is that of the rounded sum.
        const at::Tensor sum = x.clone(), plainSum = x + residual;
        at::Tensor sumRstd, plainRstd;
        const at::Tensor sumNorm = fusedResidualRmsNorm(sum, residual, w, 1e-5, sumRstd);
        same("fusedResidualRmsNorm", sum, plainSum);
        same("fusedResidualRmsNorm", sumNorm, fusedRmsNorm(plainSum, w, 1e-5, plainRstd));
        same("fusedResidualRmsNorm", sumRstd, plainRstd);
    }

    void activations() {
        const at::Tensor gate = normal({7, 90}), up = normal({7, 90}), dy = normal({7, 90});
        if (!isFusable(gate)) return;
        compare("fusedSwiGlu", fusedSwiGlu(gate, up), at::silu(exact(gate)) * exact(up));
        const auto [dGate, dUp] = fusedSwiGluGrad(dy, gate, up);
        compare("fusedSwiGluGrad", dGate, at::silu_backward(exact(dy) * exact(up), exact(gate)));
        compare("fusedSwiGluGrad", dUp, at::silu(exact(gate)) * exact(dy));
    }

    void rotation() {
        const at::Tensor x = normal({4, 3, 2, 80}).permute({0, 2, 1, 3});
        const at::Tensor cos = normal({4, 1, 1, 40}).to(sumType(x)), sin = normal({4, 1, 1, 40}).to(sumType(x));
        if (!isRotatable(x, cos)) return;
        const at::Tensor a = exact(x).narrow(-1, 0, 40), b = exact(x).narrow(-1, 40, 40);
        compare("fusedRotate", fusedRotate(x, cos, sin, -1),
                at::cat({a * exact(cos) + b * exact(sin), b * exact(cos) - a * exact(sin)}, -1));
    }

    // libtorch's own operators, called as in training: the arguments, and the operator chosen among several, differ
    // between devices.
    void attention() {
        const at::Tensor q = normal({64, 2, 4, 64}), k = normal({64, 2, 2, 64}), v = normal({64, 2, 2, 64});
        const at::Tensor dOut = normal({64, 2, 4, 64});
        m_tf32 = tf32Allowed();
        AttentionSaved saved, plain;
        compare("causalAttention", causalAttention(q, k, v, saved),
                causalAttention(exact(q), exact(k), exact(v), plain));
        const AttentionGrads got = causalAttentionGrad(dOut, saved), want = causalAttentionGrad(exact(dOut), plain);
        compare("causalAttentionGrad of q", got.q, want.q);
        compare("causalAttentionGrad of k", got.k, want.k);
        compare("causalAttentionGrad of v", got.v, want.v);
        block("attentionBlock", {}, q, k, v, dOut);
        block("attentionBlock with a window", {.window = 10}, q, k, v, dOut);
        // Two documents in one sequence, three in the other.
        at::Tensor numbers = at::arange(64, at::kLong).div(40, "floor").repeat({2, 1});
        numbers.select(0, 1).narrow(0, 7, 57).add_(1);
        block("attentionBlock of documents", {.documents = documentsOf(numbers)}, q, k, v, dOut);
        m_tf32 = false;
    }

    /// @param mask with its documents on the host
    void block(const std::string& name, const BlockMask& mask, const at::Tensor& q, const at::Tensor& k,
               const at::Tensor& v, const at::Tensor& dOut) {
        BlockMask here = mask;
        if (mask.documents.defined()) {
            here.documents.numbers = mask.documents.numbers.to(m_device);
            here.documents.starts = mask.documents.starts.to(m_device);
        }
        const BlockResult got = attentionBlock(q, k, v, here),
                          want = attentionBlock(exact(q), exact(k), exact(v), mask);
        compare(name.c_str(), got.out.to(m_type), want.out);
        compare((name + ", its log-sum-exp").c_str(), got.logSumExp, want.logSumExp);
        const AttentionGrads grads =
            attentionBlockGrad(dOut, q, k, v, got.out.to(m_type), got.logSumExp.to(sumType(q)), here);
        const AttentionGrads exactGrads =
            attentionBlockGrad(exact(dOut), exact(q), exact(k), exact(v), want.out, want.logSumExp, mask);
        compare((name + ", gradient of q").c_str(), grads.q.to(m_type), exactGrads.q);
        compare((name + ", gradient of k").c_str(), grads.k.to(m_type), exactGrads.k);
        compare((name + ", gradient of v").c_str(), grads.v.to(m_type), exactGrads.v);
    }

    // Products in TF32 use 11 bits of their factors (train.precision = tf32).
    [[nodiscard]] bool tf32Allowed() const { return m_device.is_cuda() && at::globalContext().allowTF32CuBLAS(); }

    // The products that add to existing values, and the bias within a product.
    void products() {
        const at::Tensor x = normal({6, 48}), w = normal({32, 48}), bias = normal({32}), dy = normal({6, 32});
        m_tf32 = tf32Allowed();
        compare("linearForward", linearForward(x, w, bias), exact(x).mm(exact(w).t()) + exact(bias));
        at::Tensor dx = normal({6, 48});
        const at::Tensor dxBefore = exact(dx).clone();
        addLinearInputGrad(dx, dy, w);
        compare("addLinearInputGrad", dx, dxBefore + exact(dy).mm(exact(w)));
        at::Tensor grad = normal({32, 48}).to(sumType(x));
        const at::Tensor gradBefore = exact(grad).clone();
        addLinearWeightGrad(grad, dy, x);
        compare("addLinearWeightGrad", grad, gradBefore + exact(dy).t().mm(exact(x)));
        m_tf32 = false;
    }

    // Of x in both orders: the plain form on a CPU gives the expected values.
    void float8() {
        const at::Tensor x = normal({70, 144});
        if (!hasDeviceFp8(x)) return;
        const at::Tensor largest = fp8Largest(x, false), host = x.cpu();
        const auto standsFor = [](const Fp8Factor& factor) {
            return exact(factor.values.to(at::kFloat)) * exact(factor.inverse);
        };
        const Fp8Pair pair = fp8Pair(x, largest, largest, at::kFloat8_e4m3fn),
                      plain = fp8Pair(host, fp8Largest(host, false), fp8Largest(host, false), at::kFloat8_e4m3fn);
        compare("fp8Pair", standsFor(pair.rows).to(at::kFloat), standsFor(plain.rows));
        compare("fp8Pair, turned", standsFor(pair.columns).to(at::kFloat), standsFor(plain.columns));
    }

    void crossEntropy() {
        const at::Tensor logits = normal({6, 1000}) * 4;
        if (!isFusable(logits)) return;
        constexpr std::int64_t kFirst = 50;
        at::Tensor targets = at::arange(kFirst, kFirst + 6, at::TensorOptions().dtype(at::kLong)) * 7;
        targets.select(0, 2).fill_(kIgnoredTarget);
        const at::Tensor ids = targets.to(m_device);
        const at::Tensor wide = exact(logits);
        const at::Tensor maxima = fusedRowMaxima(logits);
        compare("fusedRowMaxima", maxima, wide.amax(at::IntArrayRef{-1}));
        const at::Tensor sums = fusedCrossEntropySums(logits, ids, maxima, kFirst);
        const at::Tensor logSumExp = sums.select(0, 0).log() + maxima;
        compare("fusedCrossEntropySums", logSumExp, at::logsumexp(wide, at::IntArrayRef{-1}));
        const at::Tensor local = (targets - kFirst).clamp(0).unsqueeze(-1);
        const at::Tensor valid = targets.ne(kIgnoredTarget).to(at::kDouble);
        compare("fusedCrossEntropySums", sums.select(0, 1),
                (wide - wide.amax(at::IntArrayRef{-1}, true)).gather(-1, local).squeeze(-1) * valid);
        at::Tensor expected = at::log_softmax(wide, -1).exp();
        expected.scatter_add_(-1, local, -valid.unsqueeze(-1));
        fusedCrossEntropyGrad(logits, ids, logSumExp, kFirst, 0.5);
        compare("fusedCrossEntropyGrad", logits, expected * valid.unsqueeze(-1) * 0.5);
    }

    at::Device m_device;
    at::ScalarType m_type;
    at::Generator m_generator = at::detail::createCPUGenerator(3);
    std::string m_problem;
    bool m_tf32 = false;  ///< the result under comparison is a product of rounded fp32 factors
};

}  // namespace

Result<void> checkKernels(at::Device device, at::ScalarType type) {
    return Check(device, type).run();
}

}  // namespace slipway::trainer
