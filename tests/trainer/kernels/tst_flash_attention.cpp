#include <ATen/core/ivalue.h>  // before Qt, whose macro `slots` it does not survive

// Attention by the flash operator, whose place host_flash.cpp takes, against the plain form in fp64.
#include "tests/support/slipway_test.h"
#include "tests/trainer/kernels/host_flash.h"
#include "trainer/kernels/deterministic.h"
#include "trainer/kernels/flash_attention.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <limits>
#include <memory>

using namespace slipway::trainer;

namespace {

at::Tensor normal(at::IntArrayRef shape) {
    static at::Generator generator = at::detail::createCPUGenerator(5);
    return at::randn(shape, generator, at::TensorOptions().dtype(at::kFloat)).to(at::kBFloat16);
}
at::Tensor wide(const at::Tensor& x) {
    return x.to(at::kDouble);
}
double distance(const at::Tensor& got, const at::Tensor& want) {
    return (wide(got) - want).norm().item<double>() / std::max(want.norm().item<double>(), 1e-30);
}

struct Inputs {
    at::Tensor q = normal({24, 2, 4, 16}), k = normal({24, 2, 2, 16}), v = normal({24, 2, 2, 16}),
               dOut = normal({24, 2, 4, 16});
};

Documents packed() {
    at::Tensor numbers = at::zeros({2, 24}, at::TensorOptions().dtype(at::kLong));
    for (const std::int64_t begin : {5, 11, 12}) numbers.select(0, 0).narrow(0, begin, 24 - begin).add_(1);
    numbers.select(0, 1).narrow(0, 9, 15).add_(1);
    return documentsOf(numbers);
}

}  // namespace

class TstFlashAttention : public QObject {
    Q_OBJECT
private slots:
    void documentsLieEndToEnd() {
        const Documents documents = packed();
        const at::Tensor expected = at::tensor(std::vector<int>{0, 5, 11, 12, 24, 33, 48}, at::kInt);
        QVERIFY(documents.starts.equal(expected));
        QCOMPARE(documents.longest, std::int64_t{15});
    }

    void likeThePlainForm_data() {
        QTest::addColumn<int>("queries");
        QTest::addColumn<int>("keys");
        QTest::addColumn<int>("queryPosition");
        QTest::addColumn<int>("window");
        QTest::addColumn<bool>("documents");
        QTest::addColumn<bool>("served");
        QTest::newRow("diagonal") << 24 << 24 << 0 << 0 << false << true;
        QTest::newRow("earlier keys") << 8 << 12 << 12 << 0 << false << true;
        QTest::newRow("window") << 24 << 24 << 0 << 7 << false << true;
        QTest::newRow("window of one") << 24 << 24 << 0 << 1 << false << true;
        QTest::newRow("window over all") << 24 << 24 << 0 << 100 << false << true;
        QTest::newRow("window, last queries") << 8 << 24 << 16 << 5 << false << true;
        QTest::newRow("window, later queries") << 8 << 8 << 12 << 13 << false << false;
        QTest::newRow("documents") << 24 << 24 << 0 << 0 << true << true;
        QTest::newRow("documents and window") << 24 << 24 << 0 << 3 << true << true;
        QTest::newRow("documents, last queries") << 8 << 24 << 16 << 0 << true << false;
    }
    void likeThePlainForm() {
        QFETCH(int, queries);
        QFETCH(int, keys);
        QFETCH(int, queryPosition);
        QFETCH(int, window);
        QFETCH(bool, documents);
        QFETCH(bool, served);
        const Inputs in;
        BlockMask mask{.queryPosition = queryPosition};
        if (window > 0) mask.window = window;
        if (documents) mask.documents = packed();
        const at::Tensor q = in.q.narrow(0, 0, queries), k = in.k.narrow(0, 0, keys), v = in.v.narrow(0, 0, keys),
                         dOut = in.dOut.narrow(0, 0, queries);
        const int before = hostFlash().forward + hostFlash().backward;
        const BlockResult want = attentionBlock(wide(q), wide(k), wide(v), mask), got = attentionBlock(q, k, v, mask);
        const AttentionGrads exact =
            attentionBlockGrad(wide(dOut), wide(q), wide(k), wide(v), want.out, want.logSumExp, mask);
        // Not the block's own: of a sequence whose blocks were merged.
        const AttentionGrads grads =
            attentionBlockGrad(dOut, q, k, v, got.out.to(at::kBFloat16), got.logSumExp.to(at::kFloat), mask);
        QCOMPARE(hostFlash().forward + hostFlash().backward - before, served ? 2 : 0);
        QCOMPARE(got.out.sizes(), want.out.sizes());
        QCOMPARE(got.logSumExp.sizes(), want.logSumExp.sizes());
        QCOMPARE_LT(distance(got.out, want.out), 1e-2);
        const at::Tensor sees = want.logSumExp.gt(-1e300);
        QCOMPARE_LT(distance(got.logSumExp.masked_select(sees), want.logSumExp.masked_select(sees)), 1e-5);
        if (window != 1) {  // a query that sees itself alone has no gradient, nor has its key
            QCOMPARE_LT(distance(grads.q, exact.q), 2e-2);
            QCOMPARE_LT(distance(grads.k, exact.k), 2e-2);
        }
        QCOMPARE_LT(distance(grads.v, exact.v), 2e-2);
    }

    // The operator's own statistics of such rows are +inf, which would drown every other block.
    void queriesBeforeAllKeysSeeNone() {
        const Inputs in;
        const BlockMask mask{.keyPosition = 16, .window = 5};
        const at::Tensor k = in.k.narrow(0, 16, 8), v = in.v.narrow(0, 16, 8);
        const BlockResult got = attentionBlock(in.q, k, v, mask),
                          want = attentionBlock(wide(in.q), wide(k), wide(v), mask);
        const at::Tensor blind = got.logSumExp.narrow(2, 0, 16);
        QVERIFY(blind.eq(-std::numeric_limits<double>::infinity()).all().item<bool>());
        QVERIFY(got.out.narrow(0, 0, 16).eq(0).all().item<bool>());
        QCOMPARE_LT(distance(got.out, want.out), 1e-2);
    }

    void sumsInAFixedOrder() {
        const Inputs in;
        const BlockResult block = attentionBlock(in.q, in.k, in.v, {});
        const auto backward = [&] {
            static_cast<void>(attentionBlockGrad(in.dOut, in.q, in.k, in.v, block.out, block.logSumExp, {}));
        };
        const int before = hostFlash().fixedOrder;
        backward();
        QCOMPARE(hostFlash().fixedOrder.load(), before);
        {
            const DeterministicAttention same;
            QVERIFY(DeterministicAttention::isOn());
            QVERIFY(!at::globalContext().deterministicAlgorithms());  // for the operator's call alone
            backward();
        }
        QCOMPARE(hostFlash().fixedOrder.load(), before + 1);
        QVERIFY(!DeterministicAttention::isOn());
        backward();
        QCOMPARE(hostFlash().fixedOrder.load(), before + 1);
    }

    // The last of several scopes takes the flag back, whichever began first.
    void theFlagIsTakenBack() {
        const at::Context& context = at::globalContext();
        const auto is = [&](bool on) {
            return context.deterministicAlgorithms() == on && context.deterministicFillUninitializedMemory() == !on;
        };
        QVERIFY(is(false));
        const DeterministicOperators none(false);
        QVERIFY(is(false));
        auto first = std::make_unique<DeterministicOperators>();
        QVERIFY(is(true));
        auto second = std::make_unique<DeterministicOperators>();
        first.reset();
        QVERIFY(is(true));
        second.reset();
        QVERIFY(is(false));
    }

    // What the operator does not take is computed all the same.
    void whatIsRefusedIsPlain() {
        const at::Tensor odd = normal({7, 1, 2, 12});
        QVERIFY(!flashAttention(odd, odd, odd, {}));
        const at::Tensor one = normal({1, 1, 2, 16});
        QVERIFY(!flashAttention(one, one, one, {}));
        const at::Tensor fine = normal({13, 1, 2, 16});
        QVERIFY(!flashAttention(wide(fine), wide(fine), wide(fine), {}));
        hostFlash().refuses = true;
        const BlockResult plain = attentionBlock(fine, fine, fine, {});
        QCOMPARE_LT(distance(plain.out, attentionBlock(wide(fine), wide(fine), wide(fine), {}).out), 1e-2);
        for (int again = 0; again < 2; ++again) QVERIFY(!flashAttention(fine, fine, fine, {}));
        hostFlash().refuses = false;
        const int before = hostFlash().forward;
        QVERIFY(!flashAttention(fine, fine, fine, {}));  // refused three times in a row
        QCOMPARE(hostFlash().forward.load(), before);
    }

    // An error that passes is one call's: the operator serves the next. In the backward pass as well, whatever the
    // forward pass does.
    void anErrorThatPassesRefusesNothing() {
        const at::Tensor x = normal({19, 1, 2, 16});
        for (int round = 0; round < 4; ++round) {
            hostFlash().refuses = true;
            QVERIFY(!flashAttention(x, x, x, {}));
            QVERIFY(!flashAttentionGrad(x, x, x, x, x, at::zeros({1, 2, 19}), {}));
            hostFlash().refuses = false;
            const auto block = flashAttention(x, x, x, {});
            QVERIFY(block);
            QVERIFY(flashAttentionGrad(x, x, x, x, block->out, block->logSumExp, {}));
        }
        const at::Tensor y = normal({21, 1, 2, 16});
        const auto block = flashAttention(y, y, y, {});
        for (int round = 0; round < 3; ++round) {
            QVERIFY(flashAttention(y, y, y, {}));
            hostFlash().refuses = true;
            QVERIFY(!flashAttentionGrad(y, y, y, y, block->out, block->logSumExp, {}));
            hostFlash().refuses = false;
        }
        QVERIFY(!flashAttention(y, y, y, {}));  // no backward pass of these sizes
    }

    void namesWhatServed() {
        const at::Tensor x = normal({24, 1, 2, 16});
        static_cast<void>(attentionBlock(x, x, x, {}));
        static_cast<void>(attentionBlock(wide(x), wide(x), wide(x), {}));
        QCOMPARE(servedAttention(), std::string("cpu, flash"));
    }
};
SLIPWAY_TEST(TstFlashAttention)
#include "tst_flash_attention.moc"
