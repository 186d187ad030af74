#include <ATen/core/ivalue.h>  // before Qt, whose macro `slots` it does not survive

// The choice of experts against loops, and its gradient against autograd and finite differences.
#include "tests/support/slipway_test.h"
#include "trainer/kernels/router.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

using namespace slipway;
using namespace slipway::trainer;

namespace {

at::Tensor normal(at::IntArrayRef shape) {
    static at::Generator generator = at::detail::createCPUGenerator(9);
    return at::randn(shape, generator, at::TensorOptions().dtype(at::kDouble));
}

MoeSpec routerOf(std::int64_t numExperts, std::int64_t topK, RouterScore score = RouterScore::Softmax) {
    MoeSpec spec;
    spec.numExperts = numExperts;
    spec.topK = topK;
    spec.routerScore = score;
    return spec;
}

// The experts of one token by loops over the definition.
std::set<std::int64_t> chosenByLoops(const MoeSpec& spec, const std::vector<double>& biased) {
    const auto size = static_cast<std::size_t>(spec.numExperts / spec.numExpertGroups);
    std::vector<std::pair<double, std::size_t>> groups;
    for (std::size_t g = 0; g < biased.size() / size; ++g) {
        std::vector<double> inside(biased.begin() + static_cast<std::ptrdiff_t>(g * size),
                                   biased.begin() + static_cast<std::ptrdiff_t>((g + 1) * size));
        std::sort(inside.rbegin(), inside.rend());
        const bool two = spec.routerScore == RouterScore::Sigmoid && size > 1;
        groups.emplace_back(two ? inside[0] + inside[1] : inside[0], g);
    }
    std::sort(groups.rbegin(), groups.rend());
    groups.resize(static_cast<std::size_t>(spec.topKGroups));
    std::vector<std::pair<double, std::int64_t>> experts;
    for (const auto& [score, g] : groups)
        for (std::size_t i = g * size; i < (g + 1) * size; ++i) experts.emplace_back(biased[i], i);
    std::sort(experts.rbegin(), experts.rend());
    std::set<std::int64_t> chosen;
    for (std::int64_t k = 0; k < spec.topK; ++k) chosen.insert(experts[static_cast<std::size_t>(k)].second);
    return chosen;
}

// The function whose gradient routeGrad gives: sum(weights v) + sum(shares u) + sum(z logSumExp^2), the choice being
// given.
at::Tensor lossOf(const at::Tensor& logits, const MoeSpec& spec, const at::Tensor& chosen, const at::Tensor& v,
                  const at::Tensor& u, const at::Tensor& z) {
    const bool isSigmoid = spec.routerScore == RouterScore::Sigmoid;
    const at::Tensor scores = isSigmoid ? logits.sigmoid() : logits.softmax(-1);
    at::Tensor weights = scores.gather(-1, chosen);
    if (spec.normalizeTopK) weights = weights / weights.sum(at::IntArrayRef{-1}, true);
    at::Tensor loss = (weights * spec.routedScale * v).sum();
    if (u.defined()) loss = loss + (scores / scores.sum(at::IntArrayRef{-1}, true) * u).sum();
    if (z.defined()) loss = loss + (at::logsumexp(logits, at::IntArrayRef{-1}, true).square() * z).sum();
    return loss;
}

}  // namespace

class TstRouter : public QObject {
    Q_OBJECT

    static MoeSpec routerOfRow() {
        QFETCH(int, score);
        QFETCH(int, numGroups);
        QFETCH(int, topKGroups);
        MoeSpec spec = routerOf(12, 4, static_cast<RouterScore>(score));
        spec.numExpertGroups = numGroups;
        spec.topKGroups = topKGroups;
        return spec;
    }

private slots:
    void biasChoosesButDoesNotWeigh() {
        const at::Tensor logits = normal({20, 6});
        at::Tensor bias = at::zeros({6}, at::kDouble);
        bias.select(0, 2).fill_(5);   // always chosen
        bias.select(0, 4).fill_(-5);  // never
        for (const RouterScore score : {RouterScore::Softmax, RouterScore::Sigmoid}) {
            const MoeSpec spec = routerOf(6, 2, score);
            const Routing plain = route(logits, spec, {});
            const Routing biased = route(logits, spec, bias);
            QVERIFY(plain.scores.equal(biased.scores));
            QVERIFY(biased.chosen.eq(2).any(-1).all().item<bool>());
            QVERIFY(!biased.chosen.eq(4).any().item<bool>());
            const at::Tensor chosen = biased.scores.gather(-1, biased.chosen);
            const at::Tensor expected = chosen / chosen.sum(at::IntArrayRef{-1}, true);
            QVERIFY((biased.weights - expected).abs().max().item<double>() < 1e-15);
            // A bias of zero is none.
            const Routing zero = route(logits, spec, at::zeros({6}, at::kDouble));
            QVERIFY(zero.chosen.equal(plain.chosen) && zero.weights.equal(plain.weights));
        }
    }

    void choiceByLoops_data() {
        QTest::addColumn<int>("score");
        QTest::addColumn<int>("numGroups");
        QTest::addColumn<int>("topKGroups");
        QTest::addColumn<bool>("isBiased");
        for (const RouterScore score : {RouterScore::Softmax, RouterScore::Sigmoid})
            for (const auto& [groups, top] : {std::pair{1, 1}, {2, 1}, {4, 2}, {6, 3}, {12, 5}})
                for (const bool biased : {false, true})
                    QTest::addRow("%s, %d of %d groups%s", wordOf(score).data(), top, groups, biased ? ", biased" : "")
                        << static_cast<int>(score) << groups << top << biased;
    }
    // Negative biased scores included: a token never leaves its groups.
    void choiceByLoops() {
        QFETCH(bool, isBiased);
        MoeSpec spec = routerOfRow();
        spec.routedScale = 2.5;
        const at::Tensor logits = normal({50, 12}), bias = isBiased ? normal({12}) : at::Tensor();
        const Routing routing = route(logits, spec, bias);
        const at::Tensor scores =
            spec.routerScore == RouterScore::Sigmoid ? (1 + (-logits).exp()).reciprocal() : logits.softmax(-1);
        QVERIFY((routing.scores - scores).abs().max().item<double>() < 1e-15);
        const at::Tensor biased = isBiased ? scores + bias : scores;
        for (std::int64_t token = 0; token < 50; ++token) {
            const double* row = biased[token].const_data_ptr<double>();
            std::set<std::int64_t> found;
            double sum = 0;
            for (std::int64_t k = 0; k < 4; ++k) {
                found.insert(routing.chosen[token][k].item<std::int64_t>());
                sum += routing.weights[token][k].item<double>();
            }
            QVERIFY(found == chosenByLoops(spec, {row, row + 12}));
            QVERIFY(std::fabs(sum - 2.5) < 1e-14);
        }
    }

    // What a balance loss counts: with sigmoids the largest scores of all experts, with a softmax those within the
    // token's groups; no bias.
    void countedByLoops_data() { choiceByLoops_data(); }
    void countedByLoops() {
        QFETCH(bool, isBiased);
        MoeSpec spec = routerOfRow();
        const Routing routing = route(normal({50, 12}), spec, isBiased ? normal({12}) : at::Tensor());
        const at::Tensor counted = countedExperts(routing, spec, isBiased);
        if (spec.routerScore == RouterScore::Sigmoid) spec.numExpertGroups = spec.topKGroups = 1;
        for (std::int64_t token = 0; token < 50; ++token) {
            const double* row = routing.scores[token].const_data_ptr<double>();
            std::set<std::int64_t> found;
            for (std::int64_t k = 0; k < 4; ++k) found.insert(counted[token][k].item<std::int64_t>());
            QVERIFY(found == chosenByLoops(spec, {row, row + 12}));
        }
    }

    void gradient_data() {
        QTest::addColumn<int>("score");
        QTest::addColumn<bool>("normalize");
        QTest::addColumn<double>("scale");
        QTest::addColumn<bool>("hasBalance");
        QTest::addColumn<bool>("hasZLoss");
        for (const RouterScore score : {RouterScore::Softmax, RouterScore::Sigmoid})
            for (int i = 0; i < 16; ++i) {
                const bool normalize = i % 2 == 1, balance = i / 2 % 2 == 1, zLoss = i / 4 % 2 == 1;
                if (zLoss && score == RouterScore::Sigmoid) continue;
                QTest::addRow("%s %d", wordOf(score).data(), i)
                    << static_cast<int>(score) << normalize << (i / 8 == 1 ? 2.5 : 1.0) << balance << zLoss;
            }
    }
    // In fp64 with a biased choice in groups, against autograd and against central differences.
    void gradient() {
        QFETCH(int, score);
        QFETCH(bool, normalize);
        QFETCH(double, scale);
        QFETCH(bool, hasBalance);
        QFETCH(bool, hasZLoss);
        MoeSpec spec = routerOf(6, 2, static_cast<RouterScore>(score));
        spec.normalizeTopK = normalize;
        spec.routedScale = scale;
        spec.numExpertGroups = 3;
        spec.topKGroups = 2;
        const at::Tensor logits = normal({7, 6}), v = normal({7, 2}), bias = normal({6});
        const at::Tensor u = hasBalance ? normal({7, 6}) : at::Tensor(), z = hasZLoss ? normal({7, 1}) : at::Tensor();
        const Routing routing = route(logits, spec, bias);
        const at::Tensor ours = routeGrad(v, u, z, routing, spec);
        const at::Tensor leaf = logits.detach().clone().requires_grad_(true);
        lossOf(leaf, spec, routing.chosen, v, u, z).backward();
        QVERIFY((ours - leaf.grad()).norm().item<double>() < 1e-13 * (1 + ours.norm().item<double>()));

        // Through route() itself, as far as it computes the loss.
        const auto lossAt = [&](const at::Tensor& x) {
            const Routing r = route(x, spec, bias);
            double loss = (r.weights * v).sum().item<double>();
            if (hasBalance) loss += (r.scores / r.scores.sum(at::IntArrayRef{-1}, true) * u).sum().item<double>();
            if (hasZLoss) loss += (r.logSumExp.square() * z).sum().item<double>();
            return loss;
        };
        const double step = 1e-6;
        at::Tensor difference = at::zeros_like(logits);
        for (std::int64_t i = 0; i < logits.numel(); ++i) {
            const at::Tensor above = logits.clone(), below = logits.clone();
            above.view({-1})[i] += step;
            below.view({-1})[i] -= step;
            difference.view({-1})[i] = (lossAt(above) - lossAt(below)) / (2 * step);
        }
        QVERIFY((ours - difference).abs().max().item<double>() < 1e-8);
    }
};
SLIPWAY_TEST(TstRouter)
#include "tst_router.moc"
