// Frequencies and magnitudes of rotary positions, against what transformers 5.23 computes from the same config.json.
#include "core/base/json.h"
#include "core/spec/huggingface_document.h"
#include "core/spec/huggingface_positions.h"
#include "core/spec/rotary.h"
#include "core/spec/run_config.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <tuple>
#include <utility>

namespace slipway {

namespace {

ModelSpec llama(double theta, std::int64_t headSize) {
    ModelSpec m;
    m.ropeTheta = theta;
    m.headDim = headSize;
    return m;
}

RopeScaling yarn() {
    RopeScaling s;
    s.kind = RopeScalingKind::Yarn;
    s.factor = 40;
    s.originalMaxSeqLen = 4096;
    return s;
}

bool near(double a, double b) {
    return std::fabs(a - b) <= 3e-7 * std::fabs(b);  // theirs are in fp32
}

using Pairs = std::vector<std::pair<std::size_t, double>>;

}  // namespace

class TstRotary : public QObject {
    Q_OBJECT

private slots:
    void plain() {
        ModelSpec m = llama(10000, 8);
        QCOMPARE(rotaryFrequencies(m).size(), std::size_t{4});
        QVERIFY(near(rotaryFrequencies(m)[3], 1e-3) && rotaryMagnitude(m) == 1 && attentionMagnitude(m) == 1);
        m.rotaryDim = 4;
        QCOMPARE(rotaryFrequencies(m).size(), std::size_t{2});
        QVERIFY(near(rotaryFrequencies(m)[1], 1e-2));
        m.mla = MlaSpec{};
        QCOMPARE(m.rotarySize(), std::int64_t{64});
    }

    void linear() {
        ModelSpec m = llama(10000, 8);
        m.ropeScaling = RopeScaling{RopeScalingKind::Linear, 4};
        const std::vector<double> scaled = rotaryFrequencies(m);
        m.ropeScaling.reset();
        for (std::size_t i = 0; i < scaled.size(); ++i) QCOMPARE(scaled[i], rotaryFrequencies(m)[i] / 4);
    }

    // Llama 3.1: fast pairs as they are, a blend at 29 to 34, slow ones an eighth.
    void llama3() {
        ModelSpec m = llama(500000, 128);
        m.ropeScaling = RopeScaling{};
        const std::vector<double> found = rotaryFrequencies(m);
        QCOMPARE(found.size(), std::size_t{64});
        for (const auto& [pair, expected] : Pairs{{0, 1},
                                                  {8, 0.193922758},
                                                  {28, 0.00321144611},
                                                  {29, 0.00216657063},
                                                  {30, 0.00137189368},
                                                  {32, 0.000524846022},
                                                  {34, 0.000178507791},
                                                  {36, 7.78465546e-05},
                                                  {63, 3.06892588e-07}})
            QVERIFY2(near(found[pair], expected), qPrintable(QString::number(pair)));
        QCOMPARE(rotaryMagnitude(m), 1.0);
    }

    // DeepSeek-V3's terms; and Kimi K2's, whose blend is one pair wide.
    void yarnOfDeepSeek() {
        ModelSpec m = llama(10000, 64);
        m.ropeScaling = yarn();
        for (const auto& [pair, expected] : Pairs{{0, 1},
                                                  {10, 0.0562341288},
                                                  {11, 0.0390069261},
                                                  {16, 0.00550000044},
                                                  {22, 0.00017782794},
                                                  {23, 3.3338034e-05},
                                                  {31, 3.33380353e-06}})
            QVERIFY2(near(rotaryFrequencies(m)[pair], expected), qPrintable(QString::number(pair)));
        QVERIFY(near(rotaryMagnitude(m), 1.3688879454113936));
        m.ropeScaling->mscale = 1;
        m.ropeScaling->mscaleAllDim = 0.5;
        QVERIFY(near(rotaryMagnitude(m), 1.1557219901962608));
        QCOMPARE(attentionMagnitude(m), 1.0);  // without latent attention
        m.ropeScaling->mscaleAllDim = 1;
        QCOMPARE(rotaryMagnitude(m), 1.0);
        m.mla = MlaSpec{};
        QVERIFY(near(attentionMagnitude(m), 1.3688879454113936 * 1.3688879454113936));
        m.ropeScaling->betaFast = 1;
        for (const auto& [pair, expected] : Pairs{{11, 0.0421696492}, {22, 0.00177827943}, {23, 3.3338034e-05}})
            QVERIFY2(near(rotaryFrequencies(m)[pair], expected), qPrintable(QString::number(pair)));
    }

    void refused_data() {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<QString>("field");
        QTest::newRow("odd") << QByteArray(R"({"rotary_dim": 3})") << "model.rotary_dim";
        QTest::newRow("wider than the head") << QByteArray(R"({"rotary_dim": 64})") << "model.rotary_dim";
        QTest::newRow("without rope") << QByteArray(R"({"family": "gpt2", "rotary_dim": 8})") << "model.rotary_dim";
        QTest::newRow("scaled without rope")
            << QByteArray(R"({"family": "gpt2", "rope_scaling": {"kind": "linear", "factor": 2}})")
            << "model.rope_scaling";
        QTest::newRow("another kind's term")
            << QByteArray(R"({"rope_scaling": {"kind": "linear", "beta_fast": 16}})") << "model.rope_scaling.beta_fast";
        QTest::newRow("no blend") << QByteArray(R"({"rope_scaling": {"kind": "llama3", "high_freq_factor": 1}})")
                                  << "model.rope_scaling.high_freq_factor";
        QTest::newRow("turned round") << QByteArray(R"({"rope_scaling": {"kind": "yarn", "beta_fast": 0.5}})")
                                      << "model.rope_scaling.beta_fast";
    }
    void refused() {
        QFETCH(QByteArray, model);
        QFETCH(QString, field);
        Issues issues;
        const RunConfig config = runConfigFromJson(Json{{"model", Json::parse(model.toStdString())}}, issues);
        if (issues.empty()) issues = validate(config);
        QVERIFY(!issues.empty());
        QCOMPARE(QString::fromStdString(issues.front().field), field);
    }

    // What a config.json says, and the same after writing it.
    void huggingFace_data() {
        QTest::addColumn<QByteArray>("changes");
        QTest::addColumn<QByteArray>("expected");  // rope_scaling of ours, or the kind that is none of them
        QTest::addColumn<double>("turning");
        const auto row = [](const char* name, const char* changes, const char* expected, double turning = 1) {
            QTest::newRow(name) << QByteArray(changes) << QByteArray(expected) << turning;
        };
        row("none", R"({"model_type": "llama", "rope_scaling": null})", "");
        row("default", R"({"rope_parameters": {"rope_type": "default", "rope_theta": 1e6}})", "");
        row("linear", R"({"model_type": "llama", "rope_scaling": {"type": "linear", "factor": 2.0}})",
            R"({"kind": "linear", "factor": 2})");
        row("llama 3.1",
            R"({"model_type": "llama", "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}})",
            R"({"kind": "llama3", "factor": 8, "original_max_seq_len": 8192})");
        row("rope_parameters",
            R"({"model_type": "llama", "rope_parameters": {"rope_type": "llama3", "factor": 32.0, "original_max_position_embeddings": 8192, "rope_theta": 500000.0}})",
            R"({"kind": "llama3", "factor": 32, "original_max_seq_len": 8192})");
        row("length of the model",
            R"({"model_type": "qwen3", "max_position_embeddings": 40960, "rope_scaling": {"rope_type": "yarn", "factor": 4.0}})",
            R"({"kind": "yarn", "factor": 4, "original_max_seq_len": 40960})");
        row("deepseek",
            R"({"model_type": "deepseek_v3", "rope_scaling": {"type": "yarn", "factor": 40, "original_max_position_embeddings": 4096, "beta_fast": 32, "beta_slow": 1, "mscale": 1.0, "mscale_all_dim": 0.8}})",
            R"({"kind": "yarn", "factor": 40, "original_max_seq_len": 4096, "mscale": 1, "mscale_all_dim": 0.8})");
        row("half", R"({"model_type": "glm4_moe"})", "", 0.5);
        row("neox", R"({"model_type": "gpt_neox", "rotary_pct": 0.5})", "", 0.5);
        row("longrope", R"({"rope_scaling": {"type": "longrope", "factor": 2}})", "longrope");
        row("no factor", R"({"rope_scaling": {"type": "linear"}})", "linear without a factor");
        row("own magnitude", R"({"rope_scaling": {"type": "yarn", "factor": 2, "attention_factor": 1.0}})",
            "yarn with an attention_factor");
        row("broken", R"({"rope_scaling": {"type": 3}, "rope_parameters": 7, "partial_rotary_factor": "x"})", "");
    }
    void huggingFace() {
        QFETCH(QByteArray, changes);
        QFETCH(QByteArray, expected);
        QFETCH(double, turning);
        const Json config = Json::parse(changes.toStdString());
        const HuggingFacePositions read = huggingFacePositions(config);
        QCOMPARE(read.turning, turning);
        if (!expected.startsWith('{')) {
            QCOMPARE(QByteArray::fromStdString(read.unknown), expected);
            QVERIFY(!read.scaling);
            return;
        }
        Issues issues;
        const ModelSpec ours =
            runConfigFromJson(Json{{"model", {{"rope_scaling", Json::parse(expected.toStdString())}}}}, issues).model;
        QVERIFY(issues.empty() && read.scaling);
        ModelSpec m = ours;
        m.ropeScaling = read.scaling;
        QCOMPARE(dumpJson(toJson(m), false), dumpJson(toJson(ours), false));
        Json written{{"model_type", config["model_type"]}};
        addHuggingFacePositions(m, written);
        m.ropeScaling = huggingFacePositions(written).scaling;
        QCOMPARE(dumpJson(toJson(m), false), dumpJson(toJson(ours), false));
    }
    void partWritten() {
        ModelSpec m = llama(10000, 8);
        m.rotaryDim = 4;
        for (const auto& [type, key, said] : {std::tuple{"glm4_moe", "partial_rotary_factor", true},
                                              {"gpt_neox", "rotary_pct", true},
                                              {"llama", "partial_rotary_factor", false}}) {
            Json written{{"model_type", type}};
            addHuggingFacePositions(m, written);
            QCOMPARE(written.contains(key), said);
            if (said) QCOMPARE(huggingFacePositions(written).turning, 0.5);
        }
    }
};

SLIPWAY_TEST(TstRotary)

}  // namespace slipway

#include "tst_rotary.moc"
