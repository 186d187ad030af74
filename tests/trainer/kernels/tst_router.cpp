#include <ATen/core/ivalue.h>  // before Qt, whose macro `slots` it does not survive

// The choice of experts: with a bias that decides who is chosen and never how much an expert counts.
#include "tests/support/slipway_test.h"
#include "trainer/kernels/router.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

using namespace slipway::trainer;

namespace {

at::Tensor normal(at::IntArrayRef shape) {
    static at::Generator generator = at::detail::createCPUGenerator(9);
    return at::randn(shape, generator, at::TensorOptions().dtype(at::kDouble));
}

}  // namespace

class TstRouter : public QObject {
    Q_OBJECT
private slots:
    void biasChoosesButDoesNotWeigh() {
        const at::Tensor logits = normal({20, 6});
        at::Tensor bias = at::zeros({6}, at::kDouble);
        bias.select(0, 2).fill_(5);   // always chosen
        bias.select(0, 4).fill_(-5);  // never
        const Routing plain = route(logits, 2, true, {});
        const Routing biased = route(logits, 2, true, bias);
        QVERIFY(plain.probabilities.equal(biased.probabilities));
        QVERIFY(biased.chosen.eq(2).any(-1).all().item<bool>());
        QVERIFY(!biased.chosen.eq(4).any().item<bool>());
        const at::Tensor chosen = biased.probabilities.gather(-1, biased.chosen);
        const at::Tensor expected = chosen / chosen.sum(at::IntArrayRef{-1}, true);
        QVERIFY((biased.weights - expected).abs().max().item<double>() < 1e-15);
        // A bias of zero is none.
        const Routing zero = route(logits, 2, true, at::zeros({6}, at::kDouble));
        QVERIFY(zero.chosen.equal(plain.chosen) && zero.weights.equal(plain.weights));
    }

    void gradientWithBias_data() {
        QTest::addColumn<bool>("normalize");
        QTest::newRow("normalised") << true;
        QTest::newRow("as they are") << false;
    }
    // d sum(weights * v) / d logits by autograd, with the choice of the biased scores.
    void gradientWithBias() {
        QFETCH(bool, normalize);
        const at::Tensor logits = normal({7, 5}), v = normal({7, 3}), bias = normal({5});
        const Routing routing = route(logits, 3, normalize, bias);
        const at::Tensor leaf = logits.detach().clone().requires_grad_(true);
        at::Tensor weights = leaf.softmax(-1).gather(-1, routing.chosen);
        if (normalize) weights = weights / weights.sum(at::IntArrayRef{-1}, true);
        (weights * v).sum().backward();
        const at::Tensor ours = routeGrad(v, {}, {}, routing, normalize);
        QVERIFY((ours - leaf.grad()).norm().item<double>() < 1e-14);
    }
};
SLIPWAY_TEST(TstRouter)
#include "tst_router.moc"
