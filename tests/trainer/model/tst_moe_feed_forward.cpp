#include <ATen/core/ivalue.h>  // before Qt, whose macro `slots` it does not survive

// What a layer of experts counts for its balance loss, by loops over the definition.
#include "tests/support/slipway_test.h"
#include "trainer/comm/mesh.h"
#include "trainer/model/moe_feed_forward.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/topk.h>

using namespace slipway;
using namespace slipway::trainer;

class TstMoeFeedForward : public QObject {
    Q_OBJECT
private slots:
    void balanceCountsScoresWithoutBias_data() {
        QTest::addColumn<int>("score");
        for (const RouterScore score : {RouterScore::Softmax, RouterScore::Sigmoid})
            QTest::newRow(wordOf(score).data()) << static_cast<int>(score);
    }
    // alpha f_i / S with f_i = E / (K S) times the tokens of a sequence among whose K largest scores expert i is,
    // however they were sent.
    void balanceCountsScoresWithoutBias() {
        QFETCH(int, score);
        constexpr std::int64_t kExperts = 6, kTopK = 2, kLength = 9, kBatch = 2, kHidden = 8;
        RunConfig config;
        config.model.hiddenSize = kHidden;
        config.model.moe = MoeSpec{};
        MoeSpec& moe = *config.model.moe;
        moe.numExperts = kExperts;
        moe.topK = kTopK;
        moe.expertFfnHiddenSize = 4;
        moe.routerScore = static_cast<RouterScore>(score);
        moe.auxLossCoefficient = 0.3;
        moe.biasUpdateRate = 0.01;
        config.train.seqLen = kLength;
        const ProcessMesh mesh = makeMesh(config.parallel, 0, nullptr);
        MoeFeedForward layer({mesh.tp.get(), false, at::kDouble}, config.model, config.train, "mlp.");
        std::vector<Parameter*> parameters;
        layer.collect(parameters);
        for (Parameter* p : parameters)
            if (p->balanceRate > 0) p->weight.copy_(at::arange(kExperts, at::kDouble) * 10);
        at::Generator generator = at::detail::createCPUGenerator(4);
        const at::Tensor x =
            at::randn({kLength, kBatch, kHidden}, generator, at::TensorOptions().dtype(at::kDouble)) * 20;
        MoeFeedForward::Saved saved;
        static_cast<void>(layer.forward(x, saved));
        // The bias sends every token to the last two experts.
        QVERIFY(saved.routing.chosen.ge(kExperts - kTopK).all().item<bool>());
        const at::Tensor best = std::get<1>(at::topk(saved.routing.scores, kTopK, -1)).view({kLength, kBatch, kTopK});
        for (std::int64_t sequence = 0; sequence < kBatch; ++sequence) {
            const at::Tensor counts = at::bincount(best.select(1, sequence).flatten(), {}, kExperts).to(at::kDouble);
            const double factor = 0.3 * kExperts / (kTopK * static_cast<double>(kLength * kLength));
            QVERIFY((saved.balance[sequence] - counts * factor).abs().max().item<double>() < 1e-15);
        }
    }
};
SLIPWAY_TEST(TstMoeFeedForward)
#include "tst_moe_feed_forward.moc"
