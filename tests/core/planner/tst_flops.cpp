// Golden vectors: Megatron-LM's README (full attention), Megatron-Bridge's tables (causal), PaLM (arXiv 2204.02311, appendix B).
#include "core/planner/count/flops.h"
#include "core/planner/count/parameters.h"
#include "core/planner/presets.h"
#include "core/planner/time/compute.h"
#include "core/planner/time/step.h"
#include "core/planner/time/utilisation.h"
#include "tests/support/slipway_test.h"

#include <limits>

namespace slipway {

class TstFlops : public QObject {
    Q_OBJECT
private slots:
    void perToken_data() {
        QTest::addColumn<QString>("id");
        QTest::addColumn<int>("seqLen");
        QTest::addColumn<int>("rule");
        QTest::addColumn<double>("gigaFlops");
        QTest::addColumn<double>("tolerance");
        const auto row = [](const char* name, const char* id, int seqLen, FlopsRule rule, double expected,
                            double tolerance) {
            QTest::newRow(name) << id << seqLen << static_cast<int>(rule) << expected << tolerance;
        };
        row("Llama-3 8B full", "llama3-8b", 8192, FlopsRule::B, 57.913, 1e-5);
        row("Llama-3 8B causal", "llama3-8b", 8192, FlopsRule::C, 51.470, 1e-5);
        row("Llama-3 70B full", "llama3-70b", 8192, FlopsRule::B, 481.44, 2e-5);
        row("Llama-3 70B causal", "llama3-70b", 8192, FlopsRule::C, 449.22, 2e-5);
        row("Llama-3.1 405B full", "llama3.1-405b", 8192, FlopsRule::B, 2625.4, 2e-5);
        row("Llama-3.1 405B causal", "llama3.1-405b", 8192, FlopsRule::C, 2524.0, 2e-5);
        row("Qwen2.5 7B causal", "qwen2.5-7b", 1024, FlopsRule::C, 43.04, 1e-4);
        row("GPT-2 124M PaLM", "gpt2-124m", 1024, FlopsRule::A, 0.8599, 1e-4);
        // Megatron-LM README: 800 TFLOP/s at 13,812 tokens/s; Megatron-Bridge: 744 at 14,451 and 736 at 1,639.
        row("Megatron-LM README 8B", "llama3-8b", 8192, FlopsRule::B, 800e3 / 13812, 1e-3);
        row("Megatron-Bridge 8B", "llama3-8b", 8192, FlopsRule::C, 744e3 / 14451, 1e-3);
        row("Megatron-Bridge 70B", "llama3-70b", 8192, FlopsRule::C, 736e3 / 1639, 1e-3);
        // MosaicML 7B: 10,643 tokens/s are 459.5 TFLOP/s under rule A at 2,048 tokens (its vocabulary is 50,368).
        row("MPT 7B", "mpt-7b", 2048, FlopsRule::A, 459.5e3 / 10643, 2e-3);
    }
    void perToken() {
        QFETCH(QString, id);
        QFETCH(int, seqLen);
        QFETCH(int, rule);
        QFETCH(double, gigaFlops);
        QFETCH(double, tolerance);
        const ModelPreset* preset = findModelPreset(id.toStdString());
        QVERIFY(preset != nullptr);
        const double value = modelFlopsPerToken(preset->model, seqLen, static_cast<FlopsRule>(rule)) / 1e9;
        QVERIFY2(qAbs(value / gigaFlops - 1) <= tolerance, qPrintable(QString::number(value, 'g', 8)));
    }
    // A device that only its products take time of: its seconds are the products of the model, of every rank that replicates them
    // as well. Utilisation counts the same.
    void timeCountsTheSameProducts_data() {
        QTest::addColumn<int>("tp");
        QTest::addColumn<int>("kvHeads");
        QTest::addColumn<bool>("latent");
        QTest::addColumn<double>("replicated");  // columns of the layer's first products, beyond the model's
        QTest::newRow("grouped queries") << 2 << 2 << false << 0.0;
        QTest::newRow("key-value heads on two ranks each") << 4 << 2 << false << 2.0 * 2 * 32;
        QTest::newRow("one key-value head on four ranks") << 4 << 1 << false << 2.0 * 3 * 32;
        QTest::newRow("latent attention") << 2 << 4 << true << 48.0 + 32 + 16;
    }
    void timeCountsTheSameProducts() {
        QFETCH(int, tp);
        QFETCH(int, kvHeads);
        QFETCH(bool, latent);
        QFETCH(double, replicated);
        RunConfig c;
        c.model.hiddenSize = 128;
        c.model.numHeads = 4;
        c.model.numKvHeads = kvHeads;
        if (latent) c.model.mla = MlaSpec{48, 32, 16, 16, 16};
        c.parallel.tp = tp;
        const double perLayer = 2.0 * 128 * replicated, layers = static_cast<double>(c.model.numLayers);
        QCOMPARE(replicatedFlopsPerToken(c), 3 * layers * perLayer);
        RankSpeed speed;
        const double infinite = std::numeric_limits<double>::infinity();
        speed.peakFlops = 1;
        speed.widePeakFlops = speed.memoryBytesPerSecond = infinite;
        speed.constants.gemmEfficiency = 1;
        const double tokens = static_cast<double>(c.train.microBatchSize * c.train.seqLen);
        const double model = layerForwardFlopsPerToken(c.model, false);
        QCOMPARE(layerSeconds(c, speed, false).total() * tp, 3 * (model + perLayer) * tokens);
        const double once = makeTimeTable(c, {}).hardwareFlopsPerToken;
        QCOMPARE(once - modelFlopsPerToken(c.model, c.train.seqLen), 3 * layers * perLayer);
        c.train.recompute.policy = RecomputePolicy::Full;
        const double core = attentionForwardFlopsPerToken(c.model, c.train.seqLen, true);
        QCOMPARE(makeTimeTable(c, {}).hardwareFlopsPerToken - once, layers * (model + perLayer + core));
        QCOMPARE(layerSeconds(c, speed, false).total() * tp, 4 * (model + perLayer) * tokens);
    }
    void matmulWeights_data() {
        QTest::addColumn<QString>("id");
        QTest::addColumn<double>("billions");
        QTest::newRow("8B") << "llama3-8b" << 7.5047;
        QTest::newRow("70B") << "llama3-70b" << 69.502;
        QTest::newRow("405B") << "llama3.1-405b" << 403.75;
        QTest::newRow("Qwen2.5 7B") << "qwen2.5-7b" << 7.0703;
    }
    void matmulWeights() {
        QFETCH(QString, id);
        QFETCH(double, billions);
        const double value = countParameters(findModelPreset(id.toStdString())->model).matmul / 1e9;
        QVERIFY2(qAbs(value / billions - 1) < 2e-5, qPrintable(QString::number(value, 'g', 8)));
    }
    void ruleDOfGptIsTheClosedForm() {
        // 96 L h^2 + 16 L h s + 6 V h; the closed form has no biases, norms and position table.
        const ModelSpec gpt = findModelPreset("gpt3-175b")->model;
        const double L = 96, h = 12288, s = 2048, V = 50257;
        const double closed = 96 * L * h * h + 16 * L * h * s + 6 * V * h;
        QVERIFY(qAbs(modelFlopsPerToken(gpt, 2048, FlopsRule::D) / closed - 1) < 2e-4);
        QVERIFY(qAbs(megatronStepFlops(1, s, L, h, V) / s / closed - 1) < 1e-12);
    }
    void rulesAreOrdered() {
        for (const ModelPreset& preset : modelPresets()) {
            const auto flops = [&](FlopsRule rule) { return modelFlopsPerToken(preset.model, 2048, rule); };
            QVERIFY2(flops(FlopsRule::A) >= flops(FlopsRule::B) && flops(FlopsRule::B) > flops(FlopsRule::C) &&
                         flops(FlopsRule::D) > flops(FlopsRule::C),
                     preset.id.c_str());
        }
    }
    void layersAndHeadMakeUpRuleC() {
        for (const ModelPreset& preset : modelPresets()) {
            const ModelSpec& m = preset.model;
            double forward = 2 * countEnds(m).table;
            for (std::int64_t layer = 0; layer < m.numLayers; ++layer)
                forward +=
                    layerForwardFlopsPerToken(m, isMoeLayer(m, layer)) + attentionForwardFlopsPerToken(m, 1024, true);
            QVERIFY2(qAbs(3 * forward / modelFlopsPerToken(m, 1024, FlopsRule::C) - 1) < 1e-12, preset.id.c_str());
        }
    }
    void slidingWindowCapsAttention() {
        ModelSpec m = findModelPreset("mistral-7b")->model;
        const double windowed = attentionForwardFlopsPerToken(m, 32768, false);
        QCOMPARE(windowed, attentionForwardFlopsPerToken(m, 4096, false));
        // Causal: position i sees min(i, w) tokens, w - w^2 / (2 s) in the mean.
        QCOMPARE(attentionForwardFlopsPerToken(m, 8192, true), 0.75 * windowed);
        QCOMPARE(attentionForwardFlopsPerToken(m, 2048, true), 0.25 * windowed);
        m.slidingWindow.reset();
        QCOMPARE(attentionForwardFlopsPerToken(m, 32768, false), 8 * windowed);
    }
    void unknownPeakGivesNoMfu() {
        QVERIFY(!mfu(1e9, 1000, {}, 1));
        QVERIFY(!mfu(1e9, 1000, 0.0, 1));
        QCOMPARE(*mfu(1e9, 500, 1e12, 1), 0.5);
    }
};

SLIPWAY_TEST(TstFlops)

}  // namespace slipway

#include "tst_flops.moc"
