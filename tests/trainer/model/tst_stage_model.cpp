#include <ATen/core/ivalue.h>  // before Qt, whose macro `slots` it does not survive

// Whole models against autograd in fp64, and what the passes promise: recomputation and split passes change no bit.
#include "tests/support/slipway_test.h"
#include "tests/trainer/model/reference_model.h"
#include "trainer/model/model.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>

using namespace slipway;
using namespace slipway::trainer;

namespace {

RunConfig tiny(Family family) {
    RunConfig config;
    config.model.family = family;
    config.model.numLayers = 2;
    config.model.hiddenSize = 16;
    config.model.ffnHiddenSize = 24;
    config.model.numHeads = 4;
    config.model.vocabSize = 19;
    config.model.maxSeqLen = 12;
    config.train.seqLen = 9;
    config.train.microBatchSize = 2;
    config.train.globalBatchSize = 2;
    config.train.precision = Precision::Fp64;
    return config;
}

MicroBatch randomMicroBatch(const RunConfig& config) {
    at::Generator generator = at::detail::createCPUGenerator(3);
    const auto make = [&] {
        return at::randint(config.model.vocabSize, {config.train.microBatchSize, config.train.seqLen}, generator,
                           at::TensorOptions().dtype(at::kLong));
    };
    MicroBatch batch{make(), make()};
    batch.targets.select(1, 2).fill_(-1);
    batch.targets.select(0, 0).narrow(0, 5, 3).fill_(-1);
    return batch;
}

// Biases and norm weights start at constants; the comparison needs them away from zero and one.
void disturb(const std::vector<Parameter*>& parameters) {
    at::Generator generator = at::detail::createCPUGenerator(11);
    for (Parameter* p : parameters)
        p->weight.add_(
            at::randn(p->weight.sizes(), generator, at::TensorOptions().dtype(at::kDouble)).to(p->weight.scalar_type()),
            0.1);
}

struct OneRank {
    explicit OneRank(const RunConfig& c) : config(c), mesh(makeMesh(c.parallel, 0, {})), model(c, mesh, at::kCPU) {
        disturb(model.parameters());
        allocateMainGrads(model.parameters(), at::kDouble);
    }
    RunConfig config;
    ProcessMesh mesh;
    Model model;
    StageModel::Saved saved;
    double lossSum = 0;

    void run(bool split) {
        StageModel& stage = *model.chunks()[0];
        const MicroBatch batch = randomMicroBatch(config);
        static_cast<void>(stage.forward(batch, at::Tensor(), saved));
        lossSum = saved.lossSum.item<double>();
        if (split) {
            static_cast<void>(stage.backwardInput(at::Tensor(), 0.25, saved));
            stage.backwardWeight(saved, true);
        } else {
            static_cast<void>(stage.backward(at::Tensor(), 0.25, saved, true));
        }
    }
};

void sameBits(const OneRank& a, const OneRank& b) {
    QCOMPARE(a.lossSum, b.lossSum);
    for (std::size_t i = 0; i < a.model.parameters().size(); ++i)
        QVERIFY2(a.model.parameters()[i]->mainGrad.equal(b.model.parameters()[i]->mainGrad),
                 a.model.parameters()[i]->shard.name.c_str());
}

}  // namespace

Q_DECLARE_METATYPE(RunConfig)

class TstStageModel : public QObject {
    Q_OBJECT
private slots:
    void againstAutograd_data() {
        QTest::addColumn<RunConfig>("config");
        RunConfig c = tiny(Family::Llama);
        QTest::newRow("llama") << c;
        c.model.numKvHeads = 2;
        QTest::newRow("llama_grouped") << c;
        c.model.tieEmbeddings = true;
        QTest::newRow("llama_tied") << c;
        c.model.qkNorm = true;
        QTest::newRow("llama_qk_norm") << c;
        c.model.headDim = 6;
        c.model.bias = true;
        QTest::newRow("llama_bias_head_dim") << c;
        c.train.recompute.policy = RecomputePolicy::Full;
        QTest::newRow("llama_recompute") << c;
        c = tiny(Family::Llama);
        c.model.qkvBias = true;
        QTest::newRow("llama_qkv_bias") << c;
        c = tiny(Family::Gpt2);
        QTest::newRow("gpt2") << c;
        c.model.tieEmbeddings = true;
        c.model.numKvHeads = 1;
        QTest::newRow("gpt2_tied_one_kv_head") << c;
        c.model.activation = Activation::SwiGlu;
        c.model.norm = NormKind::RmsNorm;
        c.model.bias = false;
        QTest::newRow("gpt2_parts_of_llama") << c;
        c = tiny(Family::Llama);
        c.model.norm = NormKind::LayerNorm;
        c.model.position = PositionKind::Learned;
        c.model.activation = Activation::Gelu;
        QTest::newRow("llama_parts_of_gpt2") << c;
        c = tiny(Family::Llama);
        c.model.mla = MlaSpec{.qLoraRank = 6, .kvLoraRank = 5, .qkNopeHeadDim = 4, .qkRopeHeadDim = 2, .vHeadDim = 3};
        QTest::newRow("latent_attention") << c;
        c.train.recompute.policy = RecomputePolicy::Selective;
        QTest::newRow("latent_attention_selective") << c;
        c.train.recompute.policy = RecomputePolicy::None;
        c.model.mla->qLoraRank = 0;
        c.model.mla->vHeadDim = 6;  // as wide as queries and keys
        QTest::newRow("latent_attention_whole_queries") << c;
    }

    void againstAutograd() {
        QFETCH(RunConfig, config);
        OneRank ours(config);
        std::map<std::string, at::Tensor> weights;
        for (const Parameter* p : ours.model.parameters())
            weights[p->shard.name] = p->weight.detach().clone().requires_grad_(true);
        QCOMPARE(weights.size(), ours.model.parameters().size());
        const MicroBatch batch = randomMicroBatch(config);
        const at::Tensor expected = test::ReferenceModel(config.model, weights).lossSum(batch.tokens, batch.targets);
        expected.mul(0.25).backward();

        int ready = 0;
        for (Parameter* p : ours.model.parameters()) p->onGradReady = [&ready] { ++ready; };
        ours.run(false);
        QVERIFY2(std::abs(ours.lossSum - expected.item<double>()) < 1e-12 * expected.item<double>(),
                 qPrintable(QString::number(ours.lossSum - expected.item<double>())));
        QCOMPARE(ready, static_cast<int>(weights.size()));
        for (const Parameter* p : ours.model.parameters()) {
            const at::Tensor grad = weights.at(p->shard.name).grad();
            const double difference = (p->mainGrad - grad).norm().item<double>();
            QVERIFY2(difference <= 1e-12 * std::max(grad.norm().item<double>(), 1e-3),
                     qPrintable(QString("%1: %2").arg(p->shard.name.c_str()).arg(difference)));
        }
    }

    void recomputationChangesNoBit() {
        RunConfig config = tiny(Family::Llama);
        OneRank kept(config);
        kept.run(false);
        config.train.recompute.policy = RecomputePolicy::Full;
        for (const std::optional<std::int64_t> layers :
             {std::optional<std::int64_t>(), std::optional<std::int64_t>(1)}) {
            config.train.recompute.layers = layers;
            OneRank recomputed(config);
            recomputed.run(false);
            sameBits(kept, recomputed);
        }
        OneRank split(config);
        split.run(true);
        sameBits(kept, split);
    }

    void selectiveRecomputationChangesNoBit_data() {
        QTest::addColumn<int>("parts");
        QTest::addColumn<bool>("gpt2");
        for (int parts = 0; parts < 8; ++parts)
            for (const bool gpt2 : {false, true}) QTest::addRow("parts %d gpt2 %d", parts, gpt2) << parts << gpt2;
    }
    void selectiveRecomputationChangesNoBit() {
        QFETCH(int, parts);
        QFETCH(bool, gpt2);
        RunConfig config = tiny(gpt2 ? Family::Gpt2 : Family::Llama);
        OneRank kept(config);
        kept.run(false);
        RecomputeSpec& r = config.train.recompute;
        r.policy = RecomputePolicy::Selective;
        r.attention = (parts & 1) != 0;
        r.norm = (parts & 2) != 0;
        r.ffn = (parts & 4) != 0;
        for (const bool split : {false, true}) {
            OneRank recomputed(config);
            recomputed.run(split);
            sameBits(kept, recomputed);
        }
    }

    // Each part drops exactly its tensors; of the layers, exactly as many as asked for.
    void selectiveRecomputationKeepsLess() {
        const auto savedTensors = [](const RecomputeSpec& recompute) {
            RunConfig config = tiny(Family::Llama);
            config.train.recompute = recompute;
            OneRank rank(config);
            static_cast<void>(rank.model.chunks()[0]->forward(randomMicroBatch(config), at::Tensor(), rank.saved));
            int tensors = 0;
            rank.saved.each([&](const at::Tensor& t) { tensors += t.defined() ? 1 : 0; });
            return tensors;
        };
        const int numLayers = static_cast<int>(tiny(Family::Llama).model.numLayers);
        const int none = savedTensors({});
        const RecomputePolicy selective = RecomputePolicy::Selective;
        QCOMPARE(none - savedTensors({selective, {}, true, false, false}),
                 3 * numLayers);  // output (under two names), statistics
        QCOMPARE(none - savedTensors({selective, {}, false, true, false}), 2 * numLayers);
        QCOMPARE(none - savedTensors({selective, {}, false, false, true}), 1 * numLayers);
        QCOMPARE(none - savedTensors({selective, 1, true, true, true}), 6);
        QCOMPARE(none - savedTensors({selective, 0, true, true, true}), 0);
    }

    void splitPassesChangeNoBit() {
        OneRank full(tiny(Family::Gpt2));
        full.run(false);
        OneRank split(tiny(Family::Gpt2));
        split.run(true);
        sameBits(full, split);
    }

    void recomputationKeepsLess() {
        const auto savedBytes = [](RecomputePolicy policy) {
            RunConfig config = tiny(Family::Llama);
            config.train.recompute.policy = policy;
            OneRank rank(config);
            static_cast<void>(rank.model.chunks()[0]->forward(randomMicroBatch(config), at::Tensor(), rank.saved));
            std::size_t bytes = 0;
            rank.saved.each([&](const at::Tensor& t) { bytes += t.defined() ? t.nbytes() : 0; });
            return bytes;
        };
        const std::size_t none = savedBytes(RecomputePolicy::None);
        const std::size_t full = savedBytes(RecomputePolicy::Full);
        QVERIFY2(full * 4 < none, qPrintable(QString("%1 %2").arg(none).arg(full)));
    }

    void backwardFreesEverything() {
        OneRank rank(tiny(Family::Llama));
        rank.run(false);
        int held = 0;
        rank.saved.each([&](const at::Tensor& t) { held += t.defined() ? 1 : 0; });
        QCOMPARE(held, 0);
    }
};
SLIPWAY_TEST(TstStageModel)
#include "tst_stage_model.moc"
