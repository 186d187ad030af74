#include <ATen/core/ivalue.h>  // before Qt, whose macro `slots` it does not survive

// Every operator against autograd in fp64: output and each gradient.
#include "tests/support/slipway_test.h"
#include "trainer/kernels/activation.h"
#include "trainer/kernels/attention.h"
#include "trainer/kernels/embedding.h"
#include "trainer/kernels/linear.h"
#include "trainer/kernels/norm.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/full.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <functional>

using namespace slipway::trainer;

namespace {

using Tensors = std::vector<at::Tensor>;

struct Case {
    const char* name;
    Tensors inputs;                                                     // those with gradients
    std::function<at::Tensor(const Tensors&)> reference;                // plain ATen, differentiated by autograd
    std::function<Tensors(const Tensors&, const at::Tensor& dy)> ours;  // output, then a gradient per input
};

at::Generator& generator() {
    static at::Generator g = at::detail::createCPUGenerator(7);
    return g;
}

at::Tensor normal(at::IntArrayRef shape) {
    return at::randn(shape, generator(), at::TensorOptions().dtype(at::kDouble));
}

at::Tensor ids(std::int64_t high, at::IntArrayRef shape) {
    return at::randint(high, shape, generator(), at::TensorOptions().dtype(at::kLong));
}

at::Tensor zeros(const at::Tensor& like) {
    return at::zeros_like(like);
}

at::Tensor rmsReference(const at::Tensor& x, const at::Tensor& w) {
    return x / (x * x).mean(-1, true).add(1e-5).sqrt() * w;
}

// Written from the formula with complex-free halves, independent of RotaryTable.
RotaryTable rotaryTable(std::int64_t numPositions, std::int64_t size, double magnitude) {
    std::vector<double> frequencies;
    for (std::int64_t i = 0; i < size / 2; ++i)
        frequencies.push_back(std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(size)));
    return {at::arange(numPositions, at::TensorOptions().dtype(at::kLong)), frequencies, magnitude, at::kDouble,
            at::kCPU};
}

at::Tensor ropeReference(const at::Tensor& x) {
    const std::int64_t half = x.size(3) / 2;
    Tensors rows;
    for (std::int64_t s = 0; s < x.size(0); ++s) {
        Tensors first, second;
        for (std::int64_t i = 0; i < half; ++i) {
            const double angle = static_cast<double>(s) /
                                 std::pow(10000.0, 2.0 * static_cast<double>(i) / static_cast<double>(2 * half));
            const at::Tensor a = x.select(0, s).select(-1, i);
            const at::Tensor b = x.select(0, s).select(-1, i + half);
            first.push_back((a * std::cos(angle) - b * std::sin(angle)).unsqueeze(-1));
            second.push_back((b * std::cos(angle) + a * std::sin(angle)).unsqueeze(-1));
        }
        first.insert(first.end(), second.begin(), second.end());
        rows.push_back(at::cat(first, -1).unsqueeze(0));
    }
    return at::cat(rows, 0);
}

at::Tensor attentionReference(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    const auto perHead = [&](const at::Tensor& x) {
        return x.permute({1, 2, 0, 3}).repeat_interleave(q.size(2) / x.size(2), 1);
    };
    return at::scaled_dot_product_attention(perHead(q), perHead(k), perHead(v), {}, 0.0, true).permute({2, 0, 1, 3});
}

Case attentionCase(const char* name, std::int64_t length, std::int64_t heads, std::int64_t kvHeads) {
    return {name,
            {normal({length, 2, heads, 8}), normal({length, 2, kvHeads, 8}), normal({length, 2, kvHeads, 8})},
            [](const Tensors& t) { return attentionReference(t[0], t[1], t[2]); },
            [](const Tensors& t, const at::Tensor& dy) {
                AttentionSaved saved;
                const at::Tensor y = causalAttention(t[0], t[1], t[2], saved);
                const AttentionGrads grads = causalAttentionGrad(dy, saved);
                return Tensors{y, grads.q, grads.k, grads.v};
            }};
}

// Two halves of a vocabulary, as two ranks would hold them; the sums are added by hand.
Case crossEntropyCase(const char* name, std::int64_t cut) {
    const at::Tensor targets = ids(11, {5, 3});
    targets.select(0, 1).fill_(kIgnoredTarget);
    const double scale = 0.37;
    return {name,
            {normal({5, 3, 11}) * 4},
            [=](const Tensors& t) {
                const at::Tensor picked =
                    at::log_softmax(t[0], -1).gather(-1, targets.clamp_min(0).unsqueeze(-1)).squeeze(-1);
                return picked.masked_fill(targets.eq(kIgnoredTarget), 0).sum().mul(-scale);
            },
            [=](const Tensors& t, const at::Tensor& dy) {
                const Tensors parts{t[0].narrow(-1, 0, cut), t[0].narrow(-1, cut, 11 - cut)};
                const at::Tensor maxima = rowMaxima(parts[0]).maximum(rowMaxima(parts[1]));
                const at::Tensor sums =
                    crossEntropySums(parts[0], targets, maxima, 0) + crossEntropySums(parts[1], targets, maxima, cut);
                const at::Tensor logSum = sums.select(0, 0).log();
                const at::Tensor loss =
                    (logSum - sums.select(0, 1)).masked_fill(targets.eq(kIgnoredTarget), 0).sum() * scale;
                const double dLoss = dy.item<double>();
                return Tensors{loss, at::cat({crossEntropyGrad(parts[0], targets, logSum + maxima, 0, scale * dLoss),
                                              crossEntropyGrad(parts[1], targets, logSum + maxima, cut, scale * dLoss)},
                                             -1)};
            }};
}

std::vector<Case> cases() {
    std::vector<Case> all;
    all.push_back({"linear",
                   {normal({4, 3, 6}), normal({5, 6})},
                   [](const Tensors& t) { return at::linear(t[0], t[1]); },
                   [](const Tensors& t, const at::Tensor& dy) {
                       at::Tensor dw = zeros(t[1]);
                       addLinearWeightGrad(dw, dy, t[0]);
                       return Tensors{linearForward(t[0], t[1], at::Tensor()), linearInputGrad(dy, t[1]), dw};
                   }});
    all.push_back({"linear_bias",
                   {normal({4, 3, 6}), normal({5, 6}), normal({5})},
                   [](const Tensors& t) { return at::linear(t[0], t[1], t[2]); },
                   [](const Tensors& t, const at::Tensor& dy) {
                       at::Tensor dw = zeros(t[1]);
                       at::Tensor db = zeros(t[2]);
                       addLinearWeightGrad(dw, dy, t[0]);
                       addBiasGrad(db, dy);
                       return Tensors{linearForward(t[0], t[1], t[2]), linearInputGrad(dy, t[1]), dw, db};
                   }});
    all.push_back({"rms_norm",
                   {normal({4, 3, 6}), normal({6})},
                   [](const Tensors& t) { return rmsReference(t[0], t[1]); },
                   [](const Tensors& t, const at::Tensor& dy) {
                       NormStats stats;
                       const at::Tensor y = rmsNorm(t[0], t[1], 1e-5, stats);
                       at::Tensor dw = zeros(t[1]);
                       addRmsNormWeightGrad(dw, dy, t[0], stats);
                       return Tensors{y, rmsNormInputGrad(dy, t[0], t[1], stats), dw};
                   }});
    all.push_back({"layer_norm",
                   {normal({4, 3, 6}), normal({6}), normal({6})},
                   [](const Tensors& t) { return at::layer_norm(t[0], {6}, t[1], t[2], 1e-5); },
                   [](const Tensors& t, const at::Tensor& dy) {
                       NormStats stats;
                       const at::Tensor y = layerNorm(t[0], t[1], t[2], 1e-5, stats);
                       at::Tensor dw = zeros(t[1]);
                       at::Tensor db = zeros(t[2]);
                       addLayerNormWeightGrad(dw, db, dy, t[0], stats);
                       return Tensors{y, layerNormInputGrad(dy, t[0], t[1], stats), dw, db};
                   }});
    all.push_back({"swiglu",
                   {normal({4, 6}), normal({4, 6})},
                   [](const Tensors& t) { return t[0] * t[0].sigmoid() * t[1]; },
                   [](const Tensors& t, const at::Tensor& dy) {
                       const auto [dGate, dUp] = swiGluGrad(dy, t[0], t[1]);
                       return Tensors{swiGlu(t[0], t[1]), dGate, dUp};
                   }});
    all.push_back({"gelu",
                   {normal({4, 6})},
                   [](const Tensors& t) {
                       return t[0] * 0.5 * ((t[0] + t[0].pow(3) * 0.044715) * std::sqrt(2 / M_PI)).tanh().add(1);
                   },
                   [](const Tensors& t, const at::Tensor& dy) {
                       return Tensors{geluForward(t[0]), geluGrad(dy, t[0])};
                   }});
    all.push_back({"rope",
                   {normal({7, 2, 3, 8})},
                   [](const Tensors& t) { return ropeReference(t[0]); },
                   [](const Tensors& t, const at::Tensor& dy) {
                       const RotaryTable table = rotaryTable(9, 8, 1);
                       return Tensors{table.rotate(t[0]), table.rotateBack(dy)};
                   }});
    all.push_back({"rope_of_a_part",
                   {normal({7, 2, 3, 10})},
                   [](const Tensors& t) {
                       return at::cat({ropeReference(t[0].narrow(-1, 0, 6)) * 1.25, t[0].narrow(-1, 6, 4)}, -1);
                   },
                   [](const Tensors& t, const at::Tensor& dy) {
                       const RotaryTable table = rotaryTable(7, 6, 1.25);
                       return Tensors{table.rotate(t[0]), table.rotateBack(dy)};
                   }});
    const at::Tensor tokens = ids(9, {4, 3});
    all.push_back({"embedding_whole",
                   {normal({9, 5})},
                   [=](const Tensors& t) { return at::embedding(t[0], tokens); },
                   [=](const Tensors& t, const at::Tensor& dy) {
                       at::Tensor grad = zeros(t[0]);
                       addEmbeddingGrad(grad, dy, tokens, 0);
                       return Tensors{embeddingRows(tokens, t[0], 0), grad};
                   }});
    all.push_back({"embedding_two_parts",
                   {normal({9, 5})},
                   [=](const Tensors& t) { return at::embedding(t[0], tokens); },
                   [=](const Tensors& t, const at::Tensor& dy) {
                       at::Tensor low = zeros(t[0].narrow(0, 0, 4));
                       at::Tensor high = zeros(t[0].narrow(0, 4, 5));
                       addEmbeddingGrad(low, dy, tokens, 0);
                       addEmbeddingGrad(high, dy, tokens, 4);
                       return Tensors{embeddingRows(tokens, t[0].narrow(0, 0, 4), 0) +
                                          embeddingRows(tokens, t[0].narrow(0, 4, 5), 4),
                                      at::cat({low, high}, 0)};
                   }});
    all.push_back(attentionCase("attention", 7, 4, 4));
    all.push_back(attentionCase("attention_grouped", 7, 4, 2));
    all.push_back(attentionCase("attention_one_kv_head", 33, 6, 1));
    all.push_back(attentionCase("attention_one_position", 1, 2, 2));
    all.push_back(crossEntropyCase("cross_entropy", 6));
    all.push_back(crossEntropyCase("cross_entropy_ragged", 1));
    return all;
}

double relative(const at::Tensor& a, const at::Tensor& b) {
    return (a - b).norm().item<double>() / std::max(b.norm().item<double>(), 1e-30);
}

}  // namespace

class TstKernels : public QObject {
    Q_OBJECT
private slots:
    void againstAutograd_data() {
        QTest::addColumn<int>("index");
        m_cases = cases();
        for (std::size_t i = 0; i < m_cases.size(); ++i) QTest::newRow(m_cases[i].name) << static_cast<int>(i);
    }

    void againstAutograd() {
        QFETCH(int, index);
        const Case& c = m_cases[static_cast<std::size_t>(index)];
        Tensors leaves;
        for (const at::Tensor& input : c.inputs) leaves.push_back(input.detach().clone().requires_grad_(true));
        const at::Tensor expected = c.reference(leaves);
        const at::Tensor dy = normal(expected.sizes());
        expected.backward(dy);
        const Tensors ours = c.ours(c.inputs, dy);
        QCOMPARE(ours.size(), c.inputs.size() + 1);
        QVERIFY2(relative(ours[0], expected.detach()) < 1e-13,
                 qPrintable(QString::number(relative(ours[0], expected.detach()))));
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            const double difference = relative(ours[i + 1], leaves[i].grad());
            QVERIFY2(difference < 1e-12, qPrintable(QString("gradient %1: %2").arg(i).arg(difference)));
        }
    }

    // bf16 is stored in 16 bits and summed in fp32: the result is the fp64 one rounded once or twice.
    void bf16IsCloseToFp64() {
        const at::Tensor x = normal({16, 64}).to(at::kBFloat16);
        const at::Tensor w = normal({32, 64}).to(at::kBFloat16);
        const at::Tensor y = linearForward(x, w, at::Tensor());
        QCOMPARE(y.scalar_type(), at::kBFloat16);
        QVERIFY(relative(y.to(at::kDouble), at::linear(x.to(at::kDouble), w.to(at::kDouble))) < 4e-3);
        at::Tensor mainGrad = at::zeros_like(w, at::TensorOptions().dtype(at::kFloat));
        addLinearWeightGrad(mainGrad, y, x);
        const at::Tensor exact = y.to(at::kDouble).t().mm(x.to(at::kDouble));
        QVERIFY(relative(mainGrad.to(at::kDouble), exact) < 1e-6);
        NormStats stats;
        QCOMPARE(rmsNorm(x, w.select(0, 0), 1e-5, stats).scalar_type(), at::kBFloat16);
        QCOMPARE(stats.rstd.scalar_type(), at::kFloat);
    }

    // Weight gradients add to what is there: that is how micro-batches accumulate.
    void gradientsAccumulate() {
        const at::Tensor x = normal({4, 6});
        const at::Tensor dy = normal({4, 5});
        at::Tensor once = at::zeros({5, 6}, at::TensorOptions().dtype(at::kDouble));
        addLinearWeightGrad(once, dy, x);
        at::Tensor twice = once.clone();
        addLinearWeightGrad(twice, dy, x);
        QVERIFY(relative(twice, once * 2) < 1e-15);
        // So do input gradients of layers that share an input.
        const at::Tensor w = normal({5, 6});
        at::Tensor dx = x.clone();
        addLinearInputGrad(dx, dy, w);
        QVERIFY(relative(dx, x + dy.mm(w)) < 1e-15);
    }

    // fp16 has 11 digits and bf16 8: what is summed keeps its digits, and the sum is rounded once.
    void bf16GradientsOfFp16() {
        const at::Tensor x = normal({16, 6}).to(at::kHalf), dy = normal({16, 5}).to(at::kHalf);
        const auto narrow = [](at::IntArrayRef shape) { return at::zeros(shape, at::kBFloat16); };
        at::Tensor weight = narrow({5, 6});
        addLinearWeightGrad(weight, dy, x);
        QVERIFY(weight.equal(dy.to(at::kFloat).t().mm(x.to(at::kFloat)).to(at::kBFloat16)));
        // Three rows of 1 + 3 / 1024, which bf16 would take for 1; their sum 3.0088 is nearer to 3 + 1 / 64 than to 3.
        const at::Tensor ones = at::ones({3, 4}, at::kHalf), rows = ones + 3.0 / 1024;
        const at::Tensor expected = at::full({4}, 3 + 1.0 / 64, at::kBFloat16);
        at::Tensor bias = narrow({4}), scale = narrow({4}), shift = narrow({4}), rms = narrow({4});
        addBiasGrad(bias, rows);
        QVERIFY(bias.equal(expected));
        NormStats stats;
        rmsNorm(ones, ones[0], 1e-9, stats);
        addRmsNormWeightGrad(rms, rows, ones, stats);
        QVERIFY(rms.equal(expected));
        layerNorm(ones, ones[0], ones[0], 1e-5, stats);
        addLayerNormWeightGrad(scale, shift, rows, ones, stats);
        QVERIFY(shift.equal(expected));
    }

private:
    std::vector<Case> m_cases;
};
SLIPWAY_TEST(TstKernels)
#include "tst_kernels.moc"
