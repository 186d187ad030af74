#include <ATen/core/ivalue.h>  // before Qt, whose macro `slots` it does not survive

// The fused row loops against the plain ATen operators they stand for: any width, any strides, numbers at the edge of
// the format.
#include "tests/support/slipway_test.h"
#include "trainer/kernels/embedding.h"
#include "trainer/kernels/fused_rows.h"
#include "trainer/kernels/lanes.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>

using namespace slipway::trainer;

namespace {

at::Tensor normal(at::IntArrayRef shape, at::ScalarType type) {
    static at::Generator generator = at::detail::createCPUGenerator(5);
    return at::randn(shape, generator, at::TensorOptions().dtype(at::kDouble)).to(type);
}

double relative(const at::Tensor& a, const at::Tensor& b) {
    const at::Tensor x = a.to(at::kDouble), y = b.to(at::kDouble);
    return (x - y).norm().item<double>() / std::max(y.norm().item<double>(), 1e-30);
}

// e^x of one number, in the way of its format.
template <class T>
T expOfOne(T x) {
    return expOf<T>(Lane<T>{} + x)[0];
}

template <class T>
double largestExpError(double low, double high) {
    double largest = 0;
    for (int i = 0; i <= 20000; ++i) {
        const T x = static_cast<T>(low + (high - low) * i / 20000);
        const double exact = std::exp(static_cast<double>(x));
        largest = std::max(largest, std::fabs(static_cast<double>(expOfOne(x)) / exact - 1));
    }
    return largest;
}

}  // namespace

class TstFusedRows : public QObject {
    Q_OBJECT
private slots:
    void exponential() {
        QVERIFY(largestExpError<float>(-86, 87) < 3e-7);
        QVERIFY(largestExpError<double>(-700, 700) < 6e-16);
        QCOMPARE(expOfOne(0.0F), 1.0F);
        QCOMPARE(expOfOne(-std::numeric_limits<float>::infinity()), 0.0F);
        QCOMPARE(expOfOne(-std::numeric_limits<double>::infinity()), 0.0);
        QVERIFY(std::isfinite(expOfOne(1000.0F)) && expOfOne(1000.0F) > 1e37F);
        QVERIFY(std::isnan(expOfOne(std::nanf(""))));
        QVERIFY(std::isnan(expOfOne(std::nan(""))));
    }

    void againstPlain_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("width");
        QTest::addColumn<double>("bound");
        for (const int width : {1, 7, 16, 33, 250}) {
            QTest::addRow("fp32 %d", width) << static_cast<int>(at::kFloat) << width << 2e-6;
            QTest::addRow("fp64 %d", width) << static_cast<int>(at::kDouble) << width << 1e-14;
        }
    }
    void againstPlain() {
        QFETCH(int, type);
        QFETCH(int, width);
        QFETCH(double, bound);
        const auto format = static_cast<at::ScalarType>(type);
        const at::Tensor x = normal({130, 3, width}, format), dy = normal({130, 3, width}, format);
        const at::Tensor w = normal({width}, format), up = normal({130, 3, width}, format);
        const auto wide = [](const at::Tensor& t) { return t.to(at::kDouble); };

        at::Tensor rstd;
        const at::Tensor y = fusedRmsNorm(x, w, 1e-5, rstd);
        const at::Tensor exactRstd = wide(x).square().mean(at::IntArrayRef{-1}, true).add(1e-5).rsqrt();
        const at::Tensor n = wide(x) * exactRstd;
        QCOMPARE(rstd.sizes(), exactRstd.sizes());
        QVERIFY(relative(rstd, exactRstd) < bound);
        QVERIFY(relative(y, n * wide(w)) < bound);
        const at::Tensor g = wide(dy) * wide(w);
        const at::Tensor dx = (g - n * (g * n).mean(at::IntArrayRef{-1}, true)) * exactRstd;
        // With one column the gradient is the difference of two equal numbers.
        if (width > 1) QVERIFY(relative(fusedRmsNormInputGrad(dy, x, w, rstd), dx) < 4 * bound);
        at::Tensor grad = normal({width}, format);
        const at::Tensor expected = wide(grad) + (wide(dy) * n).sum(at::IntArrayRef{0, 1});
        fusedRmsNormWeightGrad(grad, dy, x, rstd);
        QVERIFY(relative(grad, expected) < 4 * bound);

        QVERIFY(relative(fusedSwiGlu(x, up), at::silu(wide(x)) * wide(up)) < bound);
        const auto [dGate, dUp] = fusedSwiGluGrad(dy, x, up);
        QVERIFY(relative(dGate, at::silu_backward(wide(dy) * wide(up), wide(x))) < bound);
        QVERIFY(relative(dUp, at::silu(wide(x)) * wide(dy)) < bound);

        const at::Tensor& residual = up;
        if (width > 1)
            QVERIFY(relative(fusedRmsNormInputGrad(dy, x, w, rstd, residual), dx + wide(residual)) < 2 * bound);
        const at::Tensor sum = x.clone(), plainSum = x + residual;
        at::Tensor sumRstd, plainRstd;
        const at::Tensor sumNorm = fusedResidualRmsNorm(sum, residual, w, 1e-5, sumRstd);
        QVERIFY(sum.equal(plainSum));
        QVERIFY(sumNorm.equal(fusedRmsNorm(plainSum, w, 1e-5, plainRstd)));
        QVERIFY(sumRstd.equal(plainRstd));
    }

    void rotation() {
        const at::Tensor x = normal({5, 3, 2, 12}, at::kFloat);
        const at::Tensor cos = normal({5, 1, 1, 6}, at::kFloat), sin = normal({5, 1, 1, 6}, at::kFloat);
        const auto expected = [&](double way) {
            const at::Tensor a = x.narrow(-1, 0, 6), b = x.narrow(-1, 6, 6);
            return at::cat({a * cos - b * sin * way, b * cos + a * sin * way}, -1);
        };
        QVERIFY(relative(fusedRotate(x, cos, sin, 1), expected(1)) < 1e-6);
        QVERIFY(relative(fusedRotate(x, cos, sin, -1), expected(-1)) < 1e-6);
        // As attention gives its gradients: [B, heads, S, D] seen as [S, B, heads, D].
        const at::Tensor strided = x.permute({1, 2, 0, 3}).contiguous().permute({2, 0, 1, 3});
        QVERIFY(!strided.is_contiguous());
        QVERIFY(fusedRotate(strided, cos, sin, 1).equal(fusedRotate(x, cos, sin, 1)));
    }

    void crossEntropy_data() {
        QTest::addColumn<int>("width");
        for (const int width : {1, 9, 64, 301}) QTest::addRow("%d", width) << width;
    }
    void crossEntropy() {
        QFETCH(int, width);
        const at::Tensor logits = normal({40, width}, at::kFloat) * 20;
        at::Tensor targets = at::randint(width, {40}, at::kLong);
        targets.narrow(0, 3, 2).fill_(kIgnoredTarget);
        targets.narrow(0, 9, 1).fill_(width + 5);  // another rank's
        const at::Tensor maxima = fusedRowMaxima(logits);
        QVERIFY(maxima.equal(logits.amax(at::IntArrayRef{-1})));
        const at::Tensor sums = fusedCrossEntropySums(logits, targets, maxima, 0);
        const at::Tensor logSumExp = sums.select(0, 0).log() + maxima;
        QVERIFY(relative(logSumExp, at::logsumexp(logits.to(at::kDouble), at::IntArrayRef{-1})) < 1e-6);
        QCOMPARE(sums.select(0, 1).select(0, 9).item<float>(), 0.0F);
        QCOMPARE(sums.select(0, 1).select(0, 7).item<float>(),
                 (logits.select(0, 7).select(0, targets.select(0, 7).item<std::int64_t>()) - maxima.select(0, 7))
                     .item<float>());
        at::Tensor expected = at::log_softmax(logits.to(at::kDouble), -1).exp();
        for (int row = 0; row < 40; ++row) {
            const auto target = targets.select(0, row).item<std::int64_t>();
            if (target == kIgnoredTarget)
                expected.select(0, row).zero_();
            else if (target < width)
                expected.select(0, row).select(0, target).sub_(1);
        }
        const at::Tensor grad = logits.clone();
        fusedCrossEntropyGrad(grad, targets, logSumExp, 0, 0.25);
        if (width > 1) QVERIFY(relative(grad, expected * 0.25) < 2e-5);
        QCOMPARE(grad.select(0, 3).abs().sum().item<float>(), 0.0F);
    }

    // A bad number is not swallowed: the loss must show it.
    void notANumberStays() {
        at::Tensor logits = normal({2, 40}, at::kFloat);
        logits.select(0, 1).select(0, 37).fill_(std::nan(""));
        const at::Tensor maxima = fusedRowMaxima(logits);
        QVERIFY(std::isfinite(maxima.select(0, 0).item<float>()));
        QVERIFY(std::isnan(maxima.select(0, 1).item<float>()));
        const at::Tensor targets = at::zeros({2}, at::kLong);
        QVERIFY(std::isnan(fusedCrossEntropySums(logits, targets, maxima, 0).select(0, 0).select(0, 1).item<float>()));
        at::Tensor rstd;
        const at::Tensor w = at::zeros({40}, at::kFloat).fill_(1);
        const at::Tensor y = fusedRmsNorm(logits, w, 1e-5, rstd);
        QVERIFY(std::isfinite(y.select(0, 0).sum().item<float>()) && std::isnan(y.select(0, 1).sum().item<float>()));
    }

    // A row of logits that are all -inf but one is what a masked vocabulary gives.
    void minusInfinity() {
        const float infinity = std::numeric_limits<float>::infinity();
        at::Tensor logits = at::zeros({1, 20}, at::kFloat).fill_(-infinity);
        logits.select(1, 4).fill_(2);
        const at::Tensor maxima = fusedRowMaxima(logits);
        QCOMPARE(maxima.item<float>(), 2.0F);
        const at::Tensor targets = at::zeros({1}, at::kLong).fill_(4);
        QCOMPARE(fusedCrossEntropySums(logits, targets, maxima, 0).select(0, 0).item<float>(), 1.0F);
    }

    // The same bits with one thread and with two.
    void threadsChangeNoBit() {
        const at::Tensor x = normal({3000, 40}, at::kFloat), dy = normal({3000, 40}, at::kFloat);
        const at::Tensor w = normal({40}, at::kFloat);
        const auto run = [&](int threads) {
            at::set_num_threads(threads);
            at::Tensor rstd, grad = at::zeros({40}, at::kFloat);
            const at::Tensor y = fusedRmsNorm(x, w, 1e-5, rstd);
            fusedRmsNormWeightGrad(grad, dy, x, rstd);
            return at::cat({y.flatten(), fusedRmsNormInputGrad(dy, x, w, rstd).flatten(), grad});
        };
        const int before = at::get_num_threads();
        const at::Tensor one = run(1), two = run(2);
        at::set_num_threads(before);
        QVERIFY(one.equal(two));
    }

    void fusableOnlyWhatFits() {
        const at::Tensor x = normal({4, 6}, at::kFloat);
        QVERIFY(isFusable(x));
        QVERIFY(isFusable(x.to(at::kDouble)));
        QVERIFY(!isFusable(x.to(at::kBFloat16)));
        QVERIFY(!isFusable(x.t()));
    }
};
SLIPWAY_TEST(TstFusedRows)
#include "tst_fused_rows.moc"
