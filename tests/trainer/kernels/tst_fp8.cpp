#include <ATen/core/ivalue.h>  // before Qt, whose macro `slots` it does not survive

// Products in 8 bit against values by hand and against fp64; the switch of TF32.
#include "tests/support/slipway_test.h"
#include "trainer/kernels/fp8.h"
#include "trainer/kernels/tf32.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>

using namespace slipway;
using namespace slipway::trainer;

namespace {

at::Tensor normal(at::IntArrayRef shape, std::uint64_t seed) {
    at::Generator generator = at::detail::createCPUGenerator(seed);
    return at::randn(shape, generator, at::TensorOptions().dtype(at::kFloat));
}

at::Tensor row(std::initializer_list<float> values) {
    at::Tensor tensor = at::zeros({1, static_cast<std::int64_t>(values.size())}, at::kFloat);
    std::copy(values.begin(), values.end(), tensor.mutable_data_ptr<float>());
    return tensor;
}

Fp8Factor factorOf(const at::Tensor& x, bool perRow, at::ScalarType type = at::kFloat8_e4m3fn) {
    return fp8Factor(x, fp8Largest(x, perRow), type);
}

at::Tensor standsFor(const Fp8Factor& factor) {
    return factor.values.to(at::kFloat) * factor.inverse;
}

double apart(const at::Tensor& a, const at::Tensor& b) {
    return ((a.to(at::kDouble) - b.to(at::kDouble)).norm() / b.to(at::kDouble).norm()).item<double>();
}

}  // namespace

class TstFp8 : public QObject {
    Q_OBJECT
private slots:
    // e4m3: three digits behind the first, steps of 2 from 16 to 32, smallest 2^-9; e5m2: two digits, steps of 2 from 8
    // to 16. Ties go to the even neighbour. The first value sets the scale to one.
    void roundsToTheNearest_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<double>("value");
        QTest::addColumn<double>("expected");
        const auto add = [](at::ScalarType type, double value, double expected) {
            QTest::addRow("%s %g", c10::toString(type), value) << static_cast<int>(type) << value << expected;
        };
        for (const auto& [value, expected] : {std::pair{17.0, 16.0},
                                              {19.0, 20.0},
                                              {18.5, 18.0},
                                              {-27.0, -28.0},
                                              {std::exp2(-9), std::exp2(-9)},
                                              {std::exp2(-10), 0.0},
                                              {0.75 * std::exp2(-9), std::exp2(-9)},
                                              {447.0, 448.0}})
            add(at::kFloat8_e4m3fn, value, expected);
        for (const auto& [value, expected] :
             {std::pair{9.0, 8.0}, {11.0, 12.0}, {-13.5, -14.0}, {std::exp2(-16), std::exp2(-16)}, {57000.0, 57344.0}})
            add(at::kFloat8_e5m2, value, expected);
    }
    void roundsToTheNearest() {
        QFETCH(int, type);
        QFETCH(double, value);
        QFETCH(double, expected);
        const auto format = static_cast<at::ScalarType>(type);
        const double most = format == at::kFloat8_e4m3fn ? 448 : 57344;
        const Fp8Factor factor = factorOf(row({static_cast<float>(most), static_cast<float>(value)}), false, format);
        QCOMPARE(factor.inverse.item<float>(), 1.0F);
        QCOMPARE(factor.values.to(at::kDouble)[0][1].item<double>(), expected);
    }

    // The largest value becomes 448: 2 -> scale 224, and all of these are exact.
    void scalesByTheLargest() {
        const at::Tensor x = row({1, -2, 0.5, 0});
        const Fp8Factor factor = factorOf(x, false);
        QVERIFY(factor.values.to(at::kFloat).equal(row({224, -448, 112, 0})));
        QCOMPARE(factor.inverse.item<float>(), 1.0F / 224.0F);
        // Each row by its own: a small row beside a large one keeps its digits.
        at::Tensor rows = at::zeros({2, 4}, at::kFloat);
        rows.select(0, 0).copy_(x[0]);
        rows.select(0, 1).copy_(x[0] * std::exp2(-20));
        const Fp8Factor each = factorOf(rows, true);
        QVERIFY(each.values.to(at::kFloat)[0].equal(each.values.to(at::kFloat)[1]));
        QCOMPARE(each.inverse[1].item<float>(), std::exp2(-20.0F) / 224.0F);
        QVERIFY(factorOf(rows, false).values.to(at::kFloat)[1].abs().max().item<float>() < 0.01F);
        QCOMPARE(fp8Type(Fp8Format::Hybrid, true), at::kFloat8_e5m2);
        QCOMPARE(fp8Type(Fp8Format::Hybrid, false), at::kFloat8_e4m3fn);
        QCOMPARE(fp8Type(Fp8Format::E4m3, true), at::kFloat8_e4m3fn);
    }

    // Values beyond the largest that was told become the largest, not NaN.
    void saturates() {
        const Fp8Factor factor =
            fp8Factor(row({1000, -1000, 1}), at::full({1, 1}, 448, at::kFloat), at::kFloat8_e4m3fn);
        QVERIFY(factor.values.to(at::kFloat).equal(row({448, -448, 1})));
    }

    void zerosStayZero_data() {
        QTest::addColumn<bool>("perRow");
        QTest::newRow("tensorwise") << false;
        QTest::newRow("rowwise") << true;
    }
    void zerosStayZero() {
        QFETCH(bool, perRow);
        const Fp8Factor zeros = factorOf(at::zeros({3, 5}, at::kFloat), perRow),
                        other = factorOf(normal({4, 5}, 1), perRow);
        const at::Tensor product = fp8ProductReference(zeros, other, at::kFloat);
        QVERIFY(product.equal(at::zeros({3, 4}, at::kFloat)));
        // No rows: what an expert without tokens multiplies.
        const Fp8Factor none = factorOf(at::zeros({0, 5}, at::kFloat), perRow);
        QCOMPARE(fp8ProductReference(none, other, at::kFloat).numel(), std::int64_t{0});
        const Fp8Factor noDepth = factorOf(at::zeros({3, 0}, at::kFloat), perRow);
        QVERIFY(fp8ProductReference(noDepth, noDepth, at::kFloat).equal(at::zeros({3, 3}, at::kFloat)));
    }

    // What is not finite is seen in the product; per row, in that row alone.
    void notFiniteIsData_data() {
        QTest::addColumn<double>("value");
        QTest::newRow("nan") << std::numeric_limits<double>::quiet_NaN();
        QTest::newRow("inf") << std::numeric_limits<double>::infinity();
        QTest::newRow("-inf") << -std::numeric_limits<double>::infinity();
    }
    void notFiniteIsData() {
        QFETCH(double, value);
        at::Tensor x = normal({3, 5}, 2);
        x[1][2].fill_(value);
        const at::Tensor b = normal({4, 5}, 3);
        const at::Tensor whole = fp8ProductReference(factorOf(x, false), factorOf(b, false), at::kFloat);
        QVERIFY(!whole[1].isfinite().any().item<bool>());
        const at::Tensor rows = fp8ProductReference(factorOf(x, true), factorOf(b, true), at::kFloat);
        QVERIFY(!rows[1].isfinite().any().item<bool>());
        QVERIFY(rows[0].isfinite().all().item<bool>() && rows[2].isfinite().all().item<bool>());
    }

    // Each rounding to e4m3 is off by at most one part in 16 (e5m2: in 8), so a sum of many by a few percent.
    void productsAreNear_data() {
        QTest::addColumn<bool>("perRow");
        QTest::addColumn<bool>("gradient");
        for (const bool perRow : {false, true})
            for (const bool gradient : {false, true})
                QTest::addRow("%s, %s", perRow ? "rowwise" : "tensorwise", gradient ? "e5m2" : "e4m3")
                    << perRow << gradient;
    }
    void productsAreNear() {
        QFETCH(bool, perRow);
        QFETCH(bool, gradient);
        const at::Tensor x = normal({33, 70}, 4), w = normal({19, 70}, 5);
        const Fp8Factor a = factorOf(x, perRow, fp8Type(Fp8Format::Hybrid, gradient)), b = factorOf(w, perRow);
        QVERIFY(((standsFor(a) - x).abs() <= x.abs() / (gradient ? 8 : 16) + 1e-4).all().item<bool>());
        const at::Tensor product = fp8ProductReference(a, b, at::kFloat);
        QVERIFY2(apart(product, standsFor(a).to(at::kDouble).mm(standsFor(b).to(at::kDouble).t())) < 1e-6, "sum");
        const double off = apart(product, x.to(at::kDouble).mm(w.to(at::kDouble).t()));
        QVERIFY2(off > 1e-3 && off < (gradient ? 0.08 : 0.05), qPrintable(QString::number(off)));
        QCOMPARE(fp8ProductReference(a, b, at::kBFloat16).scalar_type(), at::kBFloat16);
    }

    // libtorch's own operator, with sizes that are no multiples of 16, where this device has it.
    void sameAsTheOperator_data() { productsAreNear_data(); }
    void sameAsTheOperator() {
        QFETCH(bool, perRow);
        QFETCH(bool, gradient);
        const Fp8Factor a = factorOf(normal({33, 70}, 4), perRow, fp8Type(Fp8Format::Hybrid, gradient));
        const Fp8Factor b = factorOf(normal({19, 70}, 5), perRow);
        if (perRow) QSKIP("libtorch takes scales of rows on a GPU only");
        at::Tensor product;
        try {
            product = fp8Product(a, b, at::kBFloat16, /*native=*/true, /*fast=*/false);
        } catch (const c10::Error&) {
            QSKIP("libtorch has no such product on this CPU");
        }
        const at::Tensor reference = fp8ProductReference(a, b, at::kBFloat16);
        QVERIFY2(apart(product, reference) < 3e-3, qPrintable(QString::number(apart(product, reference))));
    }

    void cpuEmulates() { QVERIFY(!multipliesFp8(at::kCPU)); }

    // The switch is on for the scope alone, whatever it was before.
    void tf32IsOfTheScope() {
        at::Context& context = at::globalContext();
        for (const bool before : {false, true}) {
            context.setAllowTF32CuBLAS(before);
            for (const bool allowed : {false, true}) {
                const Tf32Products scope(allowed);
                QCOMPARE(context.allowTF32CuBLAS(), allowed);
            }
            QCOMPARE(context.allowTF32CuBLAS(), before);
        }
        context.setAllowTF32CuBLAS(false);
    }
};
SLIPWAY_TEST(TstFp8)
#include "tst_fp8.moc"
