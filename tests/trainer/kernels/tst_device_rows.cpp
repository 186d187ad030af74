#include <ATen/core/ivalue.h>  // before Qt, whose macro `slots` it does not survive

// The lines that the CUDA kernels execute for a row (row_programs.h) and their bindings to tensors, run here by threads
// of the CPU: this program has a cudaRows() of its own. What it cannot show is cuda_rows.cu's launches and its sum over
// a block.
#include "tests/support/slipway_test.h"
#include "tests/trainer/kernels/host_rows.h"
#include "trainer/kernels/device_fp8.h"
#include "trainer/kernels/device_rows.h"
#include "trainer/kernels/embedding.h"
#include "trainer/kernels/row_programs.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <string>

using namespace slipway::trainer;

namespace {

at::Tensor normal(at::IntArrayRef shape, at::ScalarType type) {
    static at::Generator generator = at::detail::createCPUGenerator(5);
    return at::randn(shape, generator, at::TensorOptions().dtype(at::kDouble)).to(type);
}

at::Tensor wide(const at::Tensor& t) {
    return t.to(at::kDouble);
}

double relative(const at::Tensor& a, const at::Tensor& b) {
    return (wide(a) - wide(b)).norm().item<double>() / std::max(wide(b).norm().item<double>(), 1e-30);
}

}  // namespace

class TstDeviceRows : public QObject {
    Q_OBJECT

    // Bounds: a few roundings of the sums in fp32 and fp64, one of the result in the 16-bit formats.
    static void formats() {
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("width");
        QTest::addColumn<double>("bound");
        for (const int width : {1, 2, 33, 64, 250}) {
            QTest::addRow("fp32 %d", width) << static_cast<int>(at::kFloat) << width << 2e-6;
            QTest::addRow("fp64 %d", width) << static_cast<int>(at::kDouble) << width << 1e-14;
            QTest::addRow("bf16 %d", width) << static_cast<int>(at::kBFloat16) << width << 4e-3;
            QTest::addRow("fp16 %d", width) << static_cast<int>(at::kHalf) << width << 5e-4;
        }
    }

private slots:
    void norms_data() { formats(); }
    void norms() {
        QFETCH(int, type);
        QFETCH(int, width);
        QFETCH(double, bound);
        const auto format = static_cast<at::ScalarType>(type);
        const at::ScalarType sums = format == at::kDouble ? at::kDouble : at::kFloat;
        const at::Tensor x = normal({130, 3, width}, format), dy = normal({130, 3, width}, format),
                         w = normal({width}, format);
        at::Tensor rstd;
        const at::Tensor y = deviceRmsNorm(x, w, 1e-5, rstd);
        const at::Tensor exactRstd = wide(x).square().mean(at::IntArrayRef{-1}, true).add(1e-5).rsqrt();
        const at::Tensor n = wide(x) * exactRstd;
        QCOMPARE(rstd.sizes(), exactRstd.sizes());
        QCOMPARE(rstd.scalar_type(), sums);
        QVERIFY(relative(rstd, exactRstd) < (sums == at::kDouble ? 1e-14 : 2e-6));
        QVERIFY(relative(y, n * wide(w)) < bound);
        const at::Tensor g = wide(dy) * wide(w);
        const at::Tensor dx = (g - n * (g * n).mean(at::IntArrayRef{-1}, true)) * exactRstd;
        // With one column the gradient is the difference of two equal numbers.
        if (width > 1) QVERIFY(relative(deviceRmsNormInputGrad(dy, x, w, rstd), dx) < 4 * bound);
        const at::Tensor residual = normal({130, 3, width}, format);
        if (width > 1)
            QVERIFY(relative(deviceRmsNormInputGrad(dy, x, w, rstd, residual), dx + wide(residual)) < 2 * bound);
        at::Tensor grad = normal({width}, sums);
        const at::Tensor expected = wide(grad) + (wide(dy) * n).sum(at::IntArrayRef{0, 1});
        deviceRmsNormWeightGrad(grad, dy, x, rstd);
        QVERIFY(relative(grad, expected) < (sums == at::kDouble ? 4e-14 : 8e-6));
    }

    // The bits of the sum and its norm made one after the other: what recomputation makes again from the kept sum.
    void residualNorms_data() { formats(); }
    void residualNorms() {
        QFETCH(int, type);
        QFETCH(int, width);
        const auto format = static_cast<at::ScalarType>(type);
        const at::Tensor branch = normal({130, 3, width}, format), x = normal({130, 3, width}, format),
                         w = normal({width}, format);
        const at::Tensor sum = branch + x;
        at::Tensor plainRstd, rstd;
        const at::Tensor plain = deviceRmsNorm(sum, w, 1e-5, plainRstd);
        const at::Tensor y = deviceResidualRmsNorm(branch, x, w, 1e-5, rstd);
        QVERIFY(branch.equal(sum));
        QVERIFY(y.equal(plain));
        QVERIFY(rstd.equal(plainRstd));
    }

    void wholePacksLieWhole() {
        alignas(16) const float row[12] = {};
        QVERIFY(wholePacks<float>(8, {row, nullptr, row + 4}));
        QVERIFY(!wholePacks<float>(8, {row, row + 1}));
        QVERIFY(!wholePacks<float>(6, {row}));
        QVERIFY(wholePacks<double>(6, {row}) && !wholePacks<c10::BFloat16>(12, {row}));
        const RotateStrides heads{2, 3, 8, {48, 96, 16}, {48, 96, 16}}, odd{2, 3, 8, {48, 96, 16}, {48, 98, 16}};
        QVERIFY(wholeHeads<float>(heads, {row}) && !wholeHeads<float>(odd, {row}));
    }

    // Rows that do not begin at a multiple of 16 bytes are read value by value, to the same bits.
    void shiftedRows_data() { formats(); }
    void shiftedRows() {
        QFETCH(int, type);
        QFETCH(int, width);
        const auto format = static_cast<at::ScalarType>(type);
        const auto make = [&](at::IntArrayRef shape) { return normal(shape, format); };
        const auto shifted = [](const at::Tensor& x) {
            const at::Tensor room = at::empty({x.numel() + 1}, x.options());
            return room.narrow(0, 1, x.numel()).view(x.sizes()).copy_(x);
        };
        const at::Tensor x = make({70, width}), dy = make({70, width}), w = make({width}), more = make({70, width});
        at::Tensor rstd, otherRstd;
        QVERIFY(deviceRmsNorm(shifted(x), shifted(w), 1e-5, otherRstd).equal(deviceRmsNorm(x, w, 1e-5, rstd)));
        QVERIFY(otherRstd.equal(rstd));
        QVERIFY(deviceRmsNormInputGrad(shifted(dy), x, w, rstd, more)
                    .equal(deviceRmsNormInputGrad(dy, x, w, rstd, shifted(more))));
        at::Tensor grad = at::zeros({width}, rstd.options()), otherGrad = at::zeros({width}, rstd.options());
        deviceRmsNormWeightGrad(grad, dy, x, rstd);
        deviceRmsNormWeightGrad(otherGrad, shifted(dy), x, rstd);
        QVERIFY(otherGrad.equal(grad));
        const at::Tensor branch = shifted(dy), otherBranch = dy.clone();
        QVERIFY(deviceResidualRmsNorm(branch, x, w, 1e-5, rstd)
                    .equal(deviceResidualRmsNorm(otherBranch, x, w, 1e-5, otherRstd)));
        QVERIFY(branch.equal(otherBranch) && rstd.equal(otherRstd));
        QVERIFY(deviceSwiGlu(shifted(x), more).equal(deviceSwiGlu(x, more)));
        QVERIFY(deviceSwiGluGrad(dy, shifted(x), more).first.equal(deviceSwiGluGrad(dy, x, more).first));
        QVERIFY(deviceSwiGluGrad(dy, x, shifted(more)).second.equal(deviceSwiGluGrad(dy, x, more).second));
        const at::Tensor maxima = deviceRowMaxima(shifted(x)), targets = at::zeros({70}, at::kLong);
        QVERIFY(maxima.equal(deviceRowMaxima(x)));
        QVERIFY(deviceCrossEntropySums(shifted(x), targets, maxima, 0)
                    .equal(deviceCrossEntropySums(x, targets, maxima, 0)));
        const at::Tensor first = shifted(x), second = x.clone();
        deviceCrossEntropyGrad(first, targets, maxima, 0, 0.5);
        deviceCrossEntropyGrad(second, targets, maxima, 0, 0.5);
        QVERIFY(first.equal(second));
        if (width % 2 == 1) return;
        const at::Tensor heads = x.view({5, 7, 2, width}), cos = normal({5, width / 2}, rstd.scalar_type()),
                         sin = normal({5, width / 2}, rstd.scalar_type());
        QVERIFY(deviceRotate(shifted(heads), cos, sin, 1).equal(deviceRotate(heads, cos, sin, 1)));
    }

    void refusalsSayWhy() {
        const at::Tensor x = normal({4, 6}, at::kFloat);
        hostRows().refusal = "invalid device function";
        std::string said;
        try {
            static_cast<void>(deviceSwiGlu(x, x));
        } catch (const KernelRefused& refused) {
            said = refused.what();
        }
        hostRows().refusal = nullptr;
        QCOMPARE(said, std::string("The device did not start the kernel swiGlu: invalid device function."));
        QVERIFY(deviceSwiGlu(x, x).defined());
    }

    void activations_data() { formats(); }
    void activations() {
        QFETCH(int, type);
        QFETCH(int, width);
        QFETCH(double, bound);
        const auto format = static_cast<at::ScalarType>(type);
        const at::Tensor gate = normal({50, width}, format), up = normal({50, width}, format),
                         dy = normal({50, width}, format);
        QVERIFY(relative(deviceSwiGlu(gate, up), at::silu(wide(gate)) * wide(up)) < bound);
        const auto [dGate, dUp] = deviceSwiGluGrad(dy, gate, up);
        QVERIFY(relative(dGate, at::silu_backward(wide(dy) * wide(up), wide(gate))) < bound);
        QVERIFY(relative(dUp, at::silu(wide(gate)) * wide(dy)) < bound);
    }

    void rotation() {
        for (const auto& [format, bound] : {std::pair{at::kFloat, 1e-6}, std::pair{at::kBFloat16, 4e-3}}) {
            const at::Tensor x = normal({5, 3, 2, 14}, format);
            const at::Tensor cos = normal({5, 1, 1, 7}, at::kFloat), sin = normal({5, 1, 1, 7}, at::kFloat);
            for (const double way : {1.0, -1.0}) {
                const at::Tensor a = wide(x).narrow(-1, 0, 7), b = wide(x).narrow(-1, 7, 7);
                const at::Tensor expected = at::cat({a * cos - b * sin * way, b * cos + a * sin * way}, -1);
                QVERIFY(relative(deviceRotate(x, cos, sin, way), expected) < bound);
            }
            // As attention gives its gradients: [B, heads, S, D] seen as [S, B, heads, D].
            const at::Tensor strided = x.permute({1, 2, 0, 3}).contiguous().permute({2, 0, 1, 3});
            QVERIFY(!strided.is_contiguous());
            QVERIFY(deviceRotate(strided, cos, sin, 1).equal(deviceRotate(x, cos, sin, 1)));
        }
    }

    // Bit for bit the plain form's, of the matrix as it lies and turned, one scale or many; tiles at the edges are not
    // full.
    void fp8Factors_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns");
        for (const auto& [rows, columns] : {std::pair{1, 1}, {3, 70}, {64, 64}, {80, 136}, {130, 65}, {48, 2000}})
            for (const at::ScalarType type : {at::kBFloat16, at::kFloat, at::kHalf})
                QTest::addRow("%d x %d %s", rows, columns, c10::toString(type))
                    << static_cast<int>(type) << rows << columns;
    }
    void fp8Factors() {
        QFETCH(int, type);
        QFETCH(int, rows);
        QFETCH(int, columns);
        const auto same = [](const Fp8Factor& got, const Fp8Factor& want) {
            return got.values.sizes() == want.values.sizes() &&
                   got.values.view(at::kByte).equal(want.values.view(at::kByte)) && got.inverse.equal(want.inverse);
        };
        const at::Tensor x = normal({rows, columns}, static_cast<at::ScalarType>(type));
        for (const bool perRow : {false, true})
            for (const at::ScalarType to : {at::kFloat8_e4m3fn, at::kFloat8_e5m2}) {
                const at::Tensor largest = fp8Largest(x, perRow), across = fp8Largest(x.t(), perRow);
                QVERIFY(deviceFp8Largest(x, perRow).equal(largest));
                QVERIFY(deviceFp8Largest(x.t(), perRow).equal(across));
                const Fp8Factor plain = fp8Factor(x, largest, to), turned = fp8Factor(x.t(), across, to);
                QVERIFY(same(deviceFp8Factor(x, largest, to), plain));
                QVERIFY(same(deviceFp8Factor(x.t(), across, to), turned));
                const Fp8Pair pair = deviceFp8Pair(x, largest, across, to);
                QVERIFY(same(pair.rows, plain) && same(pair.columns, turned));
            }
    }
    // What is not finite reaches the product, what is beyond the given scale saturates, zeros have a scale.
    void fp8Edges() {
        at::Tensor x = normal({40, 80}, at::kBFloat16);
        x[3][70].fill_(std::nan(""));
        QVERIFY(std::isnan(deviceFp8Largest(x, false).item<float>()));
        const at::Tensor rows = deviceFp8Largest(x, true), columns = deviceFp8Largest(x.t(), true);
        QVERIFY(rows.isnan().sum().item<int>() == 1 && rows[3].isnan().item<bool>());
        QVERIFY(columns.isnan().sum().item<int>() == 1 && columns[70].isnan().item<bool>());
        QVERIFY(deviceFp8Factor(x, rows, at::kFloat8_e4m3fn).values.to(at::kFloat)[3].isnan().all().item<bool>());
        const at::Tensor one = at::ones({1, 1}, at::kFloat), big = at::ones({16, 16}, at::kBFloat16) * -3;
        const Fp8Factor beyond = deviceFp8Factor(big, one, at::kFloat8_e4m3fn);
        QVERIFY(beyond.values.to(at::kFloat).eq(-448).all().item<bool>());
        const Fp8Factor zeros = deviceFp8Factor(big * 0, deviceFp8Largest(big * 0, false), at::kFloat8_e5m2);
        QVERIFY(zeros.values.to(at::kFloat).eq(0).all().item<bool>() && zeros.inverse.isfinite().all().item<bool>());
    }

    void crossEntropy_data() { formats(); }
    void crossEntropy() {
        QFETCH(int, type);
        QFETCH(int, width);
        QFETCH(double, bound);
        const at::Tensor logits = (normal({8, 5, width}, at::kFloat) * 8).to(static_cast<at::ScalarType>(type));
        constexpr std::int64_t kFirst = 100;  // this rank's part of the vocabulary begins there
        at::Tensor targets = at::randint(kFirst, kFirst + width, {8, 5}, at::kLong);
        targets.select(0, 3).fill_(kIgnoredTarget);
        targets.select(0, 4).fill_(kFirst + width + 5);
        const at::Tensor maxima = deviceRowMaxima(logits);
        QVERIFY(wide(maxima).equal(wide(logits).amax(at::IntArrayRef{-1})));
        const at::Tensor sums = deviceCrossEntropySums(logits, targets, maxima, kFirst);
        const at::Tensor logSumExp = sums.select(0, 0).log() + maxima;
        QVERIFY(relative(logSumExp, at::logsumexp(wide(logits), at::IntArrayRef{-1})) < 2e-6);
        const at::Tensor local = (targets - kFirst).clamp(0, width - 1).unsqueeze(-1);
        const at::Tensor here = targets.ge(kFirst).logical_and(targets.lt(kFirst + width));
        const at::Tensor target =
            ((logits.to(maxima.scalar_type()) - maxima.unsqueeze(-1)).gather(-1, local).squeeze(-1)) * here;
        QVERIFY(sums.select(0, 1).equal(target));
        at::Tensor expected = at::log_softmax(wide(logits), -1).exp();
        expected.scatter_add_(-1, local, -here.to(at::kDouble).unsqueeze(-1));
        expected.mul_(targets.ne(kIgnoredTarget).unsqueeze(-1)).mul_(0.25);
        at::Tensor grad = logits.clone();
        deviceCrossEntropyGrad(grad, targets, logSumExp, kFirst, 0.25);
        if (width > 1)
            QVERIFY2(relative(grad, expected) < 10 * bound, qPrintable(QString::number(relative(grad, expected))));
        QCOMPARE(grad.select(0, 3).abs().sum().item<double>(), 0.0);
    }

    void badNumbersStay() {
        at::Tensor logits = normal({2, 40}, at::kFloat);
        logits.select(0, 1).select(0, 4).fill_(std::nan(""));
        const at::Tensor maxima = deviceRowMaxima(logits);
        QVERIFY(std::isfinite(maxima.select(0, 0).item<float>()));
        QVERIFY(std::isnan(maxima.select(0, 1).item<float>()));
    }

    void onlyOnAGpu() { QVERIFY(!hasDeviceRows(normal({4, 6}, at::kFloat))); }
};
SLIPWAY_TEST(TstDeviceRows)
#include "tst_device_rows.moc"
