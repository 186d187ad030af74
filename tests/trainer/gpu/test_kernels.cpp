// Every kernel of cuda_rows.cu against fp64: small, odd and the widths of a 7B model, in every format.
#include "tests/trainer/gpu/gpu_test.h"
#include "trainer/kernels/device_fp8.h"
#include "trainer/kernels/device_rows.h"
#include "trainer/kernels/embedding.h"
#include "trainer/kernels/kernel_check.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>
#include <utility>

using namespace slipway::trainer;
using namespace slipway::test::gpu;

namespace {

std::string named(const char* what, const Format& format, std::int64_t rows, std::int64_t width) {
    return std::string(what) + " " + c10::toString(format.type) + " " + std::to_string(rows) + " x " +
           std::to_string(width);
}

struct Shape {
    std::int64_t rows, width;
};
std::vector<Shape> shapes(std::initializer_list<Shape> all) {
    std::vector<Shape> list;
    for (const Shape& s : all) list.push_back({sized(s.rows, 5), sized(s.width, 300)});
    return list;
}

}  // namespace

GPU_TEST(norms) {
    for (const Format& f : formats())
        for (const auto& [rows, width] : shapes({{3, 2}, {5, 33}, {130, 250}, {257, 1536}, {300, 3584}, {7, 16384}})) {
            const auto name = [&, r = rows, w = width](const char* what) { return named(what, f, r, w); };
            const at::Tensor x = normal({rows, width}, f.type), dy = normal({rows, width}, f.type),
                             w = normal({width}, f.type);
            const at::Tensor residual = normal({rows, width}, f.type);
            at::Tensor rstd;
            const at::Tensor y = deviceRmsNorm(x, w, 1e-5, rstd);
            const at::Tensor exact = wide(x).square().mean(at::IntArrayRef{-1}, true).add(1e-5).rsqrt(),
                             n = wide(x) * exact;
            near(name("rstd"), rstd, exact, f.sumBound);
            near(name("rmsNorm"), y, n * wide(w), f.bound);
            const at::Tensor g = wide(dy) * wide(w), dx = (g - n * (g * n).mean(at::IntArrayRef{-1}, true)) * exact;
            near(name("rmsNormInputGrad"), deviceRmsNormInputGrad(dy, x, w, rstd), dx, 8 * f.bound);
            near(name("rmsNormInputGrad with a residual"), deviceRmsNormInputGrad(dy, x, w, rstd, residual),
                 dx + wide(residual), 4 * f.bound);
            at::Tensor grad = normal({width}, f.sums);
            const at::Tensor expected = wide(grad) + (wide(dy) * n).sum(at::IntArrayRef{0});
            deviceRmsNormWeightGrad(grad, dy, x, rstd);
            near(name("rmsNormWeightGrad"), grad, expected, 4 * f.sumBound);
            const at::Tensor sum = x.clone();
            at::Tensor sumRstd, plainRstd;
            const at::Tensor normed = deviceResidualRmsNorm(sum, residual, w, 1e-5, sumRstd);
            sameBits(name("residualRmsNorm's sum"), sum, x + residual);
            sameBits(name("residualRmsNorm"), normed, deviceRmsNorm(x + residual, w, 1e-5, plainRstd));
            sameBits(name("residualRmsNorm's rstd"), sumRstd, plainRstd);
        }
}

// A row for each head of each token: more chunks of rows than a grid has blocks along y.
GPU_TEST(normsOfManyRows) {
    const std::int64_t rows = sized(65535 * kRowsOfAChunk + 300, 2 * kRowsOfAChunk + 3), width = 8;
    const at::Tensor x = normal({rows, width}, at::kBFloat16), dy = at::ones({rows, width}, x.options());
    const at::Tensor rstd = at::ones({rows, 1}, x.options().dtype(at::kFloat));
    at::Tensor grad = at::zeros({width}, rstd.options());
    deviceRmsNormWeightGrad(grad, dy, x, rstd);
    near("rmsNormWeightGrad of many rows", grad, wide(x).sum(at::IntArrayRef{0}), 1e-3);
}

GPU_TEST(activations) {
    for (const Format& f : formats())
        for (const auto& [rows, width] : shapes({{3, 1}, {5, 33}, {64, 8960}, {64, 18944}})) {
            const at::Tensor gate = normal({rows, width}, f.type) * 3, up = normal({rows, width}, f.type),
                             dy = normal({rows, width}, f.type);
            near(named("swiGlu", f, rows, width), deviceSwiGlu(gate, up), at::silu(wide(gate)) * wide(up), f.bound);
            const auto [dGate, dUp] = deviceSwiGluGrad(dy, gate, up);
            near(named("swiGluGrad of the gate", f, rows, width), dGate,
                 at::silu_backward(wide(dy) * wide(up), wide(gate)), 2 * f.bound);
            near(named("swiGluGrad of up", f, rows, width), dUp, at::silu(wide(gate)) * wide(dy), f.bound);
        }
}

// Both ways at once and one at a time, against the plain form on a CPU.
GPU_TEST(fp8Factors) {
    for (const Format& f : formats())
        for (const auto& [rows, columns] : shapes({{3, 70}, {64, 64}, {130, 65}, {512, 3584}, {4096, 1536}}))
            for (const bool perRow : {false, true})
                for (const at::ScalarType type : {at::kFloat8_e4m3fn, at::kFloat8_e5m2}) {
                    const at::Tensor x = normal({rows, columns}, f.type), host = x.cpu();
                    const at::Tensor largest = deviceFp8Largest(x, perRow), across = deviceFp8Largest(x.t(), perRow);
                    sameBits(named("fp8Largest", f, rows, columns), largest.cpu(), fp8Largest(host, perRow));
                    sameBits(named("fp8Largest turned", f, rows, columns), across.cpu(), fp8Largest(host.t(), perRow));
                    const auto near8 = [&](const char* what, const Fp8Factor& got, const at::Tensor& of,
                                           const at::Tensor& scale) {
                        const Fp8Factor want = fp8Factor(of, scale.cpu(), type);
                        near(named(what, f, rows, columns), got.values.cpu().to(at::kFloat) * got.inverse.cpu(),
                             wide(want.values.to(at::kFloat) * want.inverse), 1e-3);
                    };
                    near8("fp8Values", deviceFp8Factor(x, largest, type), host, largest);
                    near8("fp8Values turned", deviceFp8Factor(x.t(), across, type), host.t(), across);
                    const Fp8Pair pair = deviceFp8Pair(x, largest, across, type);
                    near8("fp8Values of a pair", pair.rows, host, largest);
                    near8("fp8Values of a pair, turned", pair.columns, host.t(), across);
                }
}

GPU_TEST(rotations) {
    for (const Format& f : formats())
        for (const auto& [heads, half] : {std::pair<std::int64_t, std::int64_t>{2, 7}, {3, 40}, {28, 64}}) {
            const std::int64_t length = sized(65, 5);
            const at::Tensor cos = normal({length, 1, 1, half}, f.sums), sin = normal({length, 1, 1, half}, f.sums);
            const at::Tensor x = normal({length, 2, heads, 2 * half}, f.type);
            const at::Tensor strided = x.permute({1, 2, 0, 3}).contiguous().permute({2, 0, 1, 3});
            const at::Tensor a = wide(x).narrow(-1, 0, half), b = wide(x).narrow(-1, half, half);
            for (const double way : {1.0, -1.0}) {
                const at::Tensor c = wide(cos), s = wide(sin) * way;
                near(named("rotate", f, heads, 2 * half), deviceRotate(x, cos, sin, way),
                     at::cat({a * c - b * s, b * c + a * s}, -1), 2 * f.bound);
                sameBits(named("rotate of strided heads", f, heads, 2 * half), deviceRotate(strided, cos, sin, way),
                         deviceRotate(x, cos, sin, way));
            }
        }
}

GPU_TEST(crossEntropy) {
    constexpr std::int64_t kFirst = 50;
    for (const Format& f : formats())
        for (const auto& [rows, width] : shapes({{6, 33}, {6, 1000}, {6, 50257}, {64, 152064}})) {
            const auto name = [&, r = rows, w = width](const char* what) { return named(what, f, r, w); };
            const at::Tensor logits = normal({rows, width}, f.type) * 4, exact = wide(logits);
            at::Tensor targets = at::arange(rows, logits.options().dtype(at::kLong)) * (width / 8) % width + kFirst;
            targets.select(0, 1).fill_(kIgnoredTarget);
            targets.select(0, 2).fill_(kFirst - 3);  // another rank's
            const at::Tensor maxima = deviceRowMaxima(logits);
            sameBits(name("rowMaxima"), wide(maxima), exact.amax(at::IntArrayRef{-1}));
            const at::Tensor sums = deviceCrossEntropySums(logits, targets, maxima, kFirst),
                             logSumExp = sums.select(0, 0).log() + maxima;
            near(name("crossEntropySums"), logSumExp, at::logsumexp(exact, at::IntArrayRef{-1}), f.sumBound);
            const at::Tensor here = targets.ge(kFirst).to(at::kDouble),
                             local = (targets - kFirst).clamp(0).unsqueeze(-1);
            near(name("the target's logit"), sums.select(0, 1),
                 (exact - exact.amax(at::IntArrayRef{-1}, true)).gather(-1, local).squeeze(-1) * here, f.sumBound);
            at::Tensor expected = at::log_softmax(exact, -1).exp();
            expected.scatter_add_(-1, local, -here.unsqueeze(-1));
            expected.mul_(targets.ne(kIgnoredTarget).to(at::kDouble).unsqueeze(-1));
            deviceCrossEntropyGrad(logits, targets, logSumExp, kFirst, 0.5);
            near(name("crossEntropyGrad"), logits, expected * 0.5, 2 * f.bound + 4 * f.sumBound);
        }
}

// NaN and infinities come out where they went in: a spike is seen, not smoothed over.
GPU_TEST(notFinite) {
    at::Tensor logits = normal({4, 300}, at::kFloat);
    logits.select(0, 1).select(0, 299).fill_(std::numeric_limits<float>::quiet_NaN());
    logits.select(0, 2).select(0, 7).fill_(std::numeric_limits<float>::infinity());
    const at::Tensor maxima = deviceRowMaxima(logits).cpu();
    check(std::isfinite(maxima[0].item<float>()) && std::isnan(maxima[1].item<float>()),
          "the maximum of a row with NaN is no NaN");
    check(std::isinf(maxima[2].item<float>()), "the maximum of a row with infinity is finite");
    at::Tensor rstd;
    const at::Tensor y = deviceRmsNorm(logits, at::ones({300}, logits.options()), 1e-5, rstd).cpu();
    check(y[0].isfinite().all().item<bool>() && y[1].isnan().all().item<bool>(),
          "the norm of a row with NaN is no NaN");
}

// Elements beyond 2^31: the last row is right, so no index is a 32-bit one.
GPU_TEST(beyond32Bits) {
    needGpu("a tensor of five gigabytes");
    const std::int64_t rows = 14500, width = 152064;  // 2.2e9
    at::Tensor logits = at::empty({rows, width}, at::TensorOptions().dtype(at::kBFloat16).device(device()));
    logits.fill_(-4);
    const at::Tensor last = normal({1, width}, at::kBFloat16);
    logits.narrow(0, rows - 1, 1).copy_(last);
    at::Tensor targets = at::zeros({rows}, logits.options().dtype(at::kLong));
    targets.select(0, rows - 1).fill_(width - 1);
    const at::Tensor maxima = deviceRowMaxima(logits), sums = deviceCrossEntropySums(logits, targets, maxima, 0);
    const at::Tensor logSumExp = sums.select(0, 0).log() + maxima;
    near("log-sum-exp of the last row", logSumExp.narrow(0, rows - 1, 1),
         at::logsumexp(wide(last), at::IntArrayRef{-1}), 1e-5);
    deviceCrossEntropyGrad(logits, targets, logSumExp, 0, 1);
    at::Tensor expected = at::log_softmax(wide(last), -1).exp();
    expected.select(0, 0).select(0, width - 1).sub_(1);
    near("gradient of the last row", logits.narrow(0, rows - 1, 1), expected, 1e-2);
    at::Tensor rstd;
    const at::Tensor y = deviceSwiGlu(logits, logits);
    near("swiGlu of the last row", y.narrow(0, rows - 1, 1),
         at::silu(wide(logits.narrow(0, rows - 1, 1))) * wide(logits.narrow(0, rows - 1, 1)), 4e-3);
}

// A kernel that computes something else is found before a run trusts it.
GPU_TEST(wrongKernelsAreFound) {
    needGpu("the check looks at a GPU's kernels");
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16})
        check(static_cast<bool>(checkKernels(device(), type)), "the check refuses sound kernels");
    const auto found = [](const char* function, const auto& spoil) {
        CudaRows wrong = *cudaRows();
        spoil(wrong);
        replaceDeviceRows(&wrong);
        const auto sound = checkKernels(device(), at::kFloat);
        replaceDeviceRows(nullptr);
        check(!sound && sound.error().text().find(function) != std::string::npos,
              std::string("a wrong ") + function + " is not found");
    };
    found("fusedSwiGlu", [](CudaRows& rows) {
        rows.swiGlu = [](RowFormat format, const void* gate, const void* up, void* y, std::int64_t elements,
                         void* stream) { return cudaRows()->swiGlu(format, up, gate, y, elements, stream); };
    });
    found("fusedRmsNormInputGrad", [](CudaRows& rows) {
        rows.rmsNormInputGrad = [](RowFormat format, const void* dy, const void* x, const void* w, const void* rstd,
                                   const void* residual, void* dx, std::int64_t rowCount, std::int64_t width,
                                   void* stream) {
            return cudaRows()->rmsNormInputGrad(format, x, dy, w, rstd, residual, dx, rowCount, width, stream);
        };
    });
    found("fusedRotate", [](CudaRows& rows) {
        rows.rotate = [](RowFormat format, const void* x, const void* cos, const void* sin, double direction, void* y,
                         std::int64_t positions, const RotateStrides& shape, void* stream) {
            return cudaRows()->rotate(format, x, cos, sin, -direction, y, positions, shape, stream);
        };
    });
    found("fusedCrossEntropyGrad", [](CudaRows& rows) {
        rows.crossEntropyGrad = [](RowFormat format, void* logits, const std::int64_t* targets, const void* logSumExp,
                                   std::int64_t firstId, double scale, std::int64_t rowCount, std::int64_t width,
                                   void* stream) {
            return cudaRows()->crossEntropyGrad(format, logits, targets, logSumExp, firstId + 1, scale, rowCount, width,
                                                stream);
        };
    });
}
